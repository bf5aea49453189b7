"""Looking at rows without keeping them: also at lines of behaviours, and with an agent at what it has none of."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from odyssey.agents.compiled import CompiledAgent
from odyssey.agents.ledger_schema import check_initial_state
from odyssey.core.errors import NotAvailableYetError
from odyssey.expressions.arguments import read_tool_choice
from odyssey.grading.checks import read_checks
from odyssey.library.datasets.columns import BY_MEMBER
from odyssey.library.datasets.reading import ReadRow, WorldLookup, check_rows, read_rows
from odyssey.library.datasets.schemas import LintOut, NoteOut
from odyssey.library.datasets.sources import RowSource
from odyssey.library.datasets.ungradable import UngradableRows
from odyssey.library.datasets.unnoticed import SideEffects
from odyssey.library.seeds import Seed
from odyssey.library.unclear import unclear_notes
from odyssey.records.faults import Faults, did_you_mean, shown
from odyssey.records.problems import FaultList, FieldError

MOST_NOTES = 1000
_BEHAVING = {"behavior", "world"}
"""Columns that bring a behaviour."""


def lint(
    source: RowSource, referred: WorldLookup, faults: Faults, agent: CompiledAgent | None, *, judged: bool
) -> LintOut:
    """Say everything that is wrong or odd; `faults` has what is wrong with the form of the table."""
    ungradable = UngradableRows(judged=judged)
    without_schema = {key: world._replace(faults=()) for key, world in referred.worlds.items()}
    plain = referred._replace(worlds=without_schema)
    side_effects, hints = SideEffects(agent), FaultList((), MOST_NOTES)

    def look(position: int, seed: Seed) -> None:
        ungradable.look(position, seed._asdict())
        hint = None if hints.is_full else side_effects.hint(seed)
        if hint is not None:
            hints.append(FieldError(("rows", position, *hint.loc), hint.msg))

    checked = check_rows(source, plain, faults, look=look)
    errors = [*checked.errors, *NotAvailableYetError(checked.later).errors]
    odd = Faults(found=FaultList(checked.warnings, MOST_NOTES))
    if agent is not None or _BEHAVING & set(checked.columns):
        for row in read_rows(source, plain, Faults(limit=MOST_NOTES)):
            if odd.found.is_full:
                break
            for note in _odd(row, agent, referred):
                member, *path = note.loc
                column = BY_MEMBER[str(member)].name if source.is_csv else str(member)
                odd.add(note.msg, "rows", row.position, column, *path)
    return LintOut(
        valid=not errors,
        rows=checked.row_count,
        errors=[_note(error) for error in errors],
        warnings=[_note(warning) for warning in odd.found],
        hints=[_note(hint) for hint in hints],
        ungradable=ungradable.found,
    )


def _odd(row: ReadRow, agent: CompiledAgent | None, referred: WorldLookup) -> Iterator[FieldError]:
    if row.seed is not None:
        yield from unclear_notes(row.seed, agent)
        if agent is not None:
            yield from _against(row.seed, agent, referred)


def _against(seed: Seed, agent: CompiledAgent, referred: WorldLookup) -> Iterator[FieldError]:
    if seed.world is not None:
        for fault in referred.worlds[seed.world.id].faults:
            yield FieldError(loc=("world_id",), msg=fault)
    elif agent.ledger_schema is not None:
        yield from check_initial_state(msgspec.json.decode(seed.initial_state.text), agent.ledger_schema)
    yield from _unknown_tools(seed, list(agent.tools))


def _unknown_tools(seed: Seed, known: Sequence[str]) -> Iterator[FieldError]:
    for check in read_checks(seed.checks).checks:
        for name in check.tools:
            yield from _unknown(name, known, ("checks", check.index, check.kind))
    for index, rule in enumerate(seed.failure_rules):
        named = rule.get("tool", "*")
        for name in named if isinstance(named, list) else [named]:
            yield from _unknown(name, known, ("failure_rules", index, "tool"))


def _unknown(name: Any, known: Sequence[str], place: tuple[str | int, ...]) -> Iterator[FieldError]:
    choice = read_tool_choice(name, Faults())
    if not any(choice.includes(tool) for tool in known):
        what = "tool like" if choice.globs is not None else "tool"
        yield FieldError(loc=place, msg=f"the agent has no {what} {shown(name)}{did_you_mean(name, known)}")


def _note(fault: FieldError) -> NoteOut:
    place, *path = fault.loc
    row = path[0] if place == "rows" and path else None
    named = path[1:2] if place == "rows" else path[:1] if place == "header" else fault.loc[:1]
    column = named[0] if named and named[0] not in ("body", "rows") else None
    return NoteOut(
        row=row if isinstance(row, int) else None, column=column, loc=list(fault.loc), msg=fault.msg
    )
