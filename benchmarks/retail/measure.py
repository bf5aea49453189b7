"""How faithful the simulation of a shop is, by how much of it was written down: nothing, behaviours, programs.

The recordings are no part of the repository: a folder with `tools.json`, `state.json` and `calls.jsonl`, in the form
that `odyssey fidelity` takes. Without it nothing is measured.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.processes import say
from benchmarks.targets import Outcome, Target

from odyssey.commands.fidelity import read_engine, read_state, read_tasks, read_tools
from odyssey.simulation.engine import Engine
from odyssey.simulation.fidelity import EqualShare, Fidelity, as_json, measure
from odyssey.simulation.world.engine import WorldEngine

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "retail"
PROGRAMS = Path(__file__).with_name("programs.yaml")
BEHAVIOURS = Path(__file__).with_name("behaviours.txt")

WORLD, WITH_BEHAVIOURS, WITH_PROGRAMS = "world engine alone", "with behaviours", "programs"
TARGETS = {
    name: Target(
        f"a shop, {name}: share of equal responses, or of equal changes if that is less", at_least=share
    )
    for name, share in ((WITH_BEHAVIOURS, 0.80), (WITH_PROGRAMS, 0.98))
}

_SHARES = ("responses", "reads", "changes", "refusals", "refusal_texts")


class Retail(NamedTuple):
    calls: int
    found: dict[str, Fidelity]
    """By what was written down."""


def measure_retail(folder: Path) -> Retail | None:
    """Replay the recordings by each engine; None without recordings."""
    if not folder.is_dir():
        say(f"{folder} is not there: the retail recordings are not replayed")
        return None
    tools, state = read_tools(folder / "tools.json"), read_state(folder / "state.json")
    tasks = read_tasks(folder / "calls.jsonl", {tool.name for tool in tools})
    engines: dict[str, Engine] = {
        WORLD: WorldEngine(),
        WITH_BEHAVIOURS: read_engine(tools, state, BEHAVIOURS, None),
        WITH_PROGRAMS: read_engine(tools, state, None, PROGRAMS),
    }
    found = {}
    for name, engine in engines.items():
        say(f"{len(tasks)} recorded tasks of a shop, {name}")
        found[name] = measure(engine, tools, state, tasks)
    return Retail(sum(len(task.calls) for task in tasks), found)


def retail_table(measured: Retail) -> Iterator[str]:
    yield ""
    titles = ("responses", "of reads", "changes", "refusals", "same words")
    yield f"{f'{measured.calls} recorded calls of a shop':<34}" + "".join(f"{title:>20}" for title in titles)
    yield "-" * 134
    for name, found in measured.found.items():
        yield f"{name:<34}" + "".join(f"{_in_words(getattr(found.total, share)):>20}" for share in _SHARES)
    yield "Equal to what the back end answered, changed and refused, with 95 % Wilson intervals."
    yield from _missed(measured.found[WITH_PROGRAMS])


def retail_outcomes(measured: Retail | None) -> list[Outcome]:
    if measured is None:
        return [target.measured(None) for target in TARGETS.values()]
    totals = {name: measured.found[name].total for name in TARGETS}
    return [
        target.measured(min(totals[name].responses.share or 0.0, totals[name].changes.share or 0.0))
        for name, target in TARGETS.items()
    ]


def retail_json(measured: Retail) -> dict[str, Any]:
    return {name: as_json(found) for name, found in measured.found.items()}


def _missed(found: Fidelity) -> Iterable[str]:
    for name, row in found.tools.items():
        missed = {"responses": row.responses, "changes": row.changes}
        words = [
            f"{share.of - share.equal} {what}" for what, share in missed.items() if share.equal < share.of
        ]
        if words:
            yield f"  {WITH_PROGRAMS}, {name}: {' and '.join(words)} of {row.calls} differ"


def _in_words(share: EqualShare) -> str:
    if share.share is None:
        return "–"
    low, high = share.interval
    return f"{share.share:.1%} ({low:.0%}–{high:.0%})"
