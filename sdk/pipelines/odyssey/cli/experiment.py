"""The file of a matrix in a repository: which agent, which scenarios, which pressures, how often.

agent: Support desk           # its name or number
world: Support desk           # where a scenario names none
scenarios: [scenarios/*.yaml] # files beside this one
variations: all               # or a list
repeats: 4
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple, cast

from pipelines.odyssey.cli.connection import Connection, FaultyError
from pipelines.odyssey.cli.failures import CommandFailedError
from pipelines.odyssey.cli.printing.screen import word
from pipelines.odyssey.cli.yaml_text import read_document
from pipelines.odyssey.client import types as t

Named = str | int
"""A name, or a number."""

ALL = "all"

_OURS = ("agent", "world", "scenarios", "variations")
_PASSED_ON = (
    "name",
    "repeats",
    "baseline_repeats",
    "placebo",
    "dose",
    "delivery",
    "step",
    "seed",
    "max_concurrency",
    "max_unmeasured",
    "budget_runs",
    "confirm",
    "confirm_runs_max",
    "min_match",
    "parallel",
    "rule_sets",
)
"""Members that the platform itself checks."""
_GLOB = frozenset("*?[")


class Entry(NamedTuple):
    """One scenario, and the file it stands in."""

    file: Path
    content: dict[str, Any]


class Experiment(NamedTuple):
    agent: Named | None
    world: Named | None
    entries: list[Entry]
    variations: list[str] | None
    """None: all there are."""
    settings: dict[str, Any]
    """What is passed on as it is."""


def read_experiment(path: Path) -> Experiment:
    """Read the file and the scenarios it names."""
    document = read_document(path)
    if not isinstance(document, dict):
        raise CommandFailedError(f"{path} must have members such as agent, scenarios and variations.")
    _refuse_unknown(path, document)
    return Experiment(
        _named(path, document, "agent"),
        _named(path, document, "world"),
        _entries(path, document.get("scenarios")),
        _variations(path, document.get("variations", ALL)),
        {"name": path.stem} | {name: document[name] for name in _PASSED_ON if name in document},
    )


def _refuse_unknown(path: Path, document: Mapping[str, Any]) -> None:
    known = (*_OURS, *_PASSED_ON)
    for name in document:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"it may have {', '.join(known)}."
            raise CommandFailedError(f"{path} has a member {word(name)}, which means nothing here; {hint}")


def _named(path: Path, document: Mapping[str, Any], member: str) -> Named | None:
    value = document.get(member)
    if value is None or (isinstance(value, str | int) and not isinstance(value, bool) and value != ""):
        return value
    raise CommandFailedError(f"{path}: {member} is a name or a number.")


def _variations(path: Path, value: Any) -> list[str] | None:
    if value == ALL:
        return None
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return value
    raise CommandFailedError(f"{path}: variations is `all`, or a list of names.")


def _entries(path: Path, value: Any) -> list[Entry]:
    patterns = [value] if isinstance(value, str) else value
    if not isinstance(patterns, list) or not patterns or not all(isinstance(each, str) for each in patterns):
        raise CommandFailedError(f"{path}: scenarios names files of scenarios, such as scenarios/*.yaml.")
    files = dict.fromkeys(file for pattern in patterns for file in _files(path, pattern))
    entries = [entry for file in files for entry in _read_entries(file)]
    _refuse_twins(entries)
    return entries


def _files(path: Path, pattern: str) -> Sequence[Path]:
    if not _GLOB & set(pattern):
        return [path.parent / pattern]
    try:
        found = sorted(file for file in path.parent.glob(pattern) if file.is_file())
    except (ValueError, NotImplementedError) as error:
        raise CommandFailedError(f"{path}: {word(pattern)} cannot be looked for: {error}.") from None
    if not found:
        raise CommandFailedError(f"{path}: no file is like {word(pattern)}.")
    return found


def _read_entries(file: Path) -> list[Entry]:
    """Read one scenario, a list of them, or `scenarios: […]`, as the platform takes them."""
    document = read_document(file)
    rows = document.get("scenarios", [document]) if isinstance(document, dict) else document
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise CommandFailedError(f"{file} must be a scenario or a list of scenarios.")
    return [Entry(file, row) for row in rows]


def _refuse_twins(entries: Sequence[Entry]) -> None:
    """Scenarios are known by their names: two of one name would be made anew each time."""
    seen: dict[str, Path] = {}
    for entry in entries:
        name = entry.content.get("name")
        if isinstance(name, str):
            if name in seen:
                raise CommandFailedError(
                    f"{seen[name]} and {entry.file} both have a scenario {word(name)}; give them different names."
                )
            seen[name] = entry.file


def take_in(platform: Connection, experiment: Experiment) -> t.ImportedScenarios:
    """Bring the scenarios to the platform, all or none; a fault is told by its file."""
    world = None if experiment.world is None else find("world", platform.worlds.list, experiment.world)
    rows = [
        entry.content
        if world is None or "world_id" in entry.content
        else {**entry.content, "world_id": world}
        for entry in experiment.entries
    ]
    try:
        # What a person wrote is for the platform to judge.
        return platform.eval.scenarios.import_scenarios(cast("list[t.ScenarioIn]", rows))
    except FaultyError as error:
        raise FaultyError(
            str(error), [_placed(fault, experiment.entries) for fault in error.faults]
        ) from None


def _placed(fault: Mapping[str, Any], entries: Sequence[Entry]) -> Mapping[str, Any]:
    match fault.get("loc"):
        case ["scenarios", int() as index, *_] if index < len(entries):
            return {**fault, "loc": [str(entries[index].file)]}
    return fault


def body_of(
    platform: Connection, experiment: Experiment, scenarios: Sequence[t.ImportedScenario]
) -> t.MatrixIn:
    """Put together what is asked for: the scenarios by the ids they have on the platform."""
    variations = experiment.variations
    if variations is None:
        variations = [str(each["name"]) for each in platform.eval.variations.list()]
    body: t.MatrixIn = {
        **cast("t.MatrixIn", experiment.settings),
        "scenario_ids": [each["id"] for each in scenarios],
        "variation_types": variations,
    }
    if experiment.agent is not None:
        body["agent_id"] = find("agent", platform.agents.list, experiment.agent)
    return body


def find(noun: str, listed: Callable[..., Iterator[t.AgentOut | t.WorldSummary]], wanted: Named) -> int:
    """Find the number of an agent or a world by its name; a number is taken as it is."""
    if isinstance(wanted, int) or (wanted.isascii() and wanted.isdecimal()):
        return int(wanted)
    named = [each for each in listed(q=wanted[:200]) if each["name"] == wanted]
    if not named:
        raise CommandFailedError(f"There is no {noun} called {word(wanted)}.")
    if len(named) > 1:
        numbers = ", ".join(str(each["id"]) for each in named[:5])
        raise CommandFailedError(
            f"{len(named)} {noun}s are called {word(wanted)}; give the number of one: {numbers}."
        )
    return int(named[0]["id"])
