"""Measure how often each kind of answer is right, and write it where the engine looks: `make calibrate`.

A kind's share is the mean over worlds, so that no world weighs more for being called more, drawn a little towards the
share of the next wider kind: a kind that one world has is not known well.

    update/ok/0.9/shaped   right in all calls of two worlds, 0.6 in the next wider kind: (1 + 1 + 2 · 0.6) / 4 = 0.8,
                           less the spread of 1, 1, 0.6 and 0.6, which is 0.2
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import fmean, pstdev
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # so that it can be started by its path

from benchmarks.processes import say
from benchmarks.reference.back_end import BackEnd
from benchmarks.reference.recording import record
from benchmarks.reference.worlds_of import CALIBRATION

from odyssey.agents.tools_schema import read_tools_schema
from odyssey.records.tools import Tool
from odyssey.simulation.behaviours import EMPTY
from odyssey.simulation.calibration import kind_of
from odyssey.simulation.choosing import ChosenEngine, Manner
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.fidelity import CallComparison, replay
from odyssey.worlds.ledger import Ledger

WRITTEN_TO = Path(__file__).resolve().parents[2] / "server" / "odyssey" / "simulation" / "calibration.json"
SEEDS = (1, 2, 3)
SESSIONS = 40
_WIDER = 2
"""How many worlds the share of the next wider kind counts for."""
_CAUTION = 1.0
"""How many standard deviations between worlds a share is lowered by: a kind that is right here and wrong there is no
one's to rely on. Of 0.4, 0.5, 0.6, 0.75 and 1 the one that does best when each world is judged by the others."""
_RELIED_ON = 0.5
"""From which share on: what is mostly wrong nobody relies on, so that its share is told as it is."""


class KindOfCall(NamedTuple):
    world: str
    kinds: tuple[str, ...]
    """The narrowest first."""
    is_right: bool


def tools_of(back_end: BackEnd) -> list[Tool]:
    tools, faults = read_tools_schema(back_end.tools)
    assert not faults, faults
    return tools


def compare(
    back_end: BackEnd, tools: Iterable[Tool], seeds: Iterable[int], sessions: int
) -> Iterator[CallComparison]:
    """Replay recordings of a world, one of each seed."""
    by_name = {tool.name: tool for tool in tools}
    engine = ChosenEngine(Manner({}, EMPTY))
    for seed in seeds:
        state, tasks = record(back_end, seed, sessions)
        initial = Ledger.boot(state)
        for task in tasks:
            yield from replay(engine, by_name, initial, task.calls)


def calls_of(
    back_end: BackEnd, seeds: Iterable[int] = SEEDS, sessions: int = SESSIONS
) -> Iterator[KindOfCall]:
    tools = tools_of(back_end)
    for each in compare(back_end, tools, seeds, sessions):
        if not each.is_refused_by_proxy:
            yield KindOfCall(back_end.name, kinds_of(each, tools), each.is_right)


def kinds_of(compared: CallComparison, tools: Iterable[Tool]) -> tuple[str, ...]:
    """Name the kind of an answer, and the wider ones."""
    tool = next(each for each in tools if each.name == compared.tool)
    call = ToolCall(tool, compared.call.args, None, random_seed=1, sequence=1)
    return tuple(kind_of(compared.answer, call).names())


def calibrate(calls: Iterable[KindOfCall]) -> dict[str, float]:
    right: defaultdict[str, defaultdict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    widths: dict[str, str] = {}
    for call in calls:
        for kind, wider in zip(call.kinds, (*call.kinds[1:], ""), strict=True):
            right[kind][call.world].append(call.is_right)
            widths[kind] = wider
    shares: dict[str, float] = {}
    cautious: dict[str, float] = {}
    for kind in sorted(right, key=lambda each: (each.count("/") if each else -1, each)):
        of_worlds = [sum(each) / len(each) for each in right[kind].values()]
        if kind:
            of_worlds += [shares[widths[kind]]] * _WIDER
        shares[kind] = fmean(of_worlds)
        caution = _CAUTION if shares[kind] >= _RELIED_ON else 0
        cautious[kind] = max(0.0, shares[kind] - caution * pstdev(of_worlds))
    return {kind: round(share, 3) for kind, share in cautious.items()}


def measure() -> dict[str, float]:
    calls: list[KindOfCall] = []
    for back_end in CALIBRATION:
        say(f"{back_end.name}: {len(SEEDS)} recordings of {SESSIONS} sessions")
        calls += calls_of(back_end)
    return calibrate(calls)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="only say whether what is written is up to date")
    options = parser.parse_args()
    text = json.dumps(measure(), indent=2) + "\n"
    if not options.check:
        WRITTEN_TO.write_text(text, "utf-8")
    elif WRITTEN_TO.read_text("utf-8") != text:
        sys.exit("calibration.json is not what the reference worlds say: run make calibrate")


if __name__ == "__main__":
    main()
