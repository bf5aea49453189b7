"""A program held against recorded calls: which it answers as the real back end did, and where it does not."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from odyssey.expressions.facts import EarlierCall
from odyssey.library.compiling.bench import Bench, first_difference
from odyssey.library.compiling.schemas import MOST_MISMATCHES, MismatchOut, ProgramChangeOut
from odyssey.records.faults import Faults
from odyssey.records.problems import FieldError
from odyssey.simulation.engine import Answer, EngineName, ToolCall
from odyssey.simulation.fidelity import (
    CallComparison,
    FidelityRow,
    RecordedCall,
    RecordedChange,
    RecordedTask,
    replay,
    summarise,
)
from odyssey.simulation.programs import Program, ProgramFailedError, read_program, run_program
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import apply, difference

MOST_SECONDS = 30.0
MOST_FAULTS = 50

_NOTHING = Answer(None)
_LONGEST_VALUE = 20_000
_BEGINNING = 1_000
_MOST_CHANGES = 20

Clock = Callable[[], float]


class Trial(NamedTuple):
    """What came of one program."""

    program: Program | None
    """None when it could not be read."""
    errors: Sequence[FieldError]
    row: FidelityRow
    equal: int
    """Calls with equal response and equal changes."""
    of: int
    mismatches: Sequence[MismatchOut]
    mismatched: Sequence[RecordedCall] = ()
    """The calls that the mismatches are of."""

    def is_accepted(self, accept_at: float) -> bool:
        """Whether enough of what was recorded came out the same, of the responses and of the changes."""
        if self.program is None or self.errors or not self.row.responses.of:
            return False
        shares = (self.row.responses.share, self.row.changes.share)
        return all(share is None or share >= accept_at for share in shares)


class _TooSlowError(Exception):
    pass


def try_program(raw: Any, bench: Bench, *, clock: Clock = time.monotonic) -> Trial:
    """Read a program and replay every recorded call of its tool; takes time, so call it in a thread."""
    faults = Faults(limit=MOST_FAULTS)
    program = read_program(raw, faults, tool=bench.tool)
    if program is None or faults.found:
        return failed(bench, *faults.found)
    outcomes: list[CallComparison] = []
    mismatches: list[MismatchOut] = []
    mismatched: list[RecordedCall] = []
    deadline = clock() + MOST_SECONDS
    try:
        for task, number, outcome, before in _replayed(program, bench, lambda: clock() > deadline):
            outcomes.append(outcome)
            if not _is_equal(outcome) and len(mismatches) < MOST_MISMATCHES:
                mismatches.append(_mismatch(task, number, outcome, before))
                mismatched.append(outcome.call)
    except _TooSlowError:
        faults.add(
            f"{len(outcomes)} of {bench.calls} calls took more than {MOST_SECONDS:g} s; "
            "the rest was not replayed: the program does too much, or there are too many recorded calls"
        )
    equal = sum(map(_is_equal, outcomes))
    return Trial(program, faults.found, _row(outcomes), equal, bench.calls, mismatches, mismatched)


def failed(bench: Bench, *errors: FieldError) -> Trial:
    """What comes of an attempt that gave no program."""
    return Trial(None, errors, _row([]), 0, bench.calls, [])


def _replayed(
    program: Program, bench: Bench, is_late: Callable[[], bool]
) -> Iterator[tuple[RecordedTask, int, CallComparison, Ledger]]:
    """Each recorded call of the tool, with its place in the task and the world before it."""
    name, initial = bench.tool.name, bench.boot()
    others = {call.tool for task in bench.tasks for call in task.calls}
    # Only the changes of other tools' calls matter, so they need not be tools of the agent.
    tools = {other: msgspec.structs.replace(bench.tool, name=other) for other in others} | {name: bench.tool}
    for task in bench.tasks:
        engine = _Engine(program, name, task.calls, is_late)
        for number, outcome in enumerate(
            replay(engine, tools, initial, task.calls, bench.ledger_schema), start=1
        ):
            if outcome.tool == name:
                yield task, number, outcome, engine.before


class _Engine:
    """Answers the calls of one task by the program; those of other tools leave their recorded changes only."""

    name: EngineName = "program"

    def __init__(
        self, program: Program, tool: str, recorded: Sequence[RecordedCall], is_late: Callable[[], bool]
    ) -> None:
        self._program = program
        self._tool = tool
        self._is_late = is_late
        self._earlier = tuple(EarlierCall(call.tool, call.args, "odyssey") for call in recorded)
        self.before = Ledger.boot({})

    def answer(self, call: ToolCall, world: Ledger) -> Answer:
        if call.tool.name != self._tool:
            return _NOTHING
        if self._is_late():
            raise _TooSlowError
        self.before = world
        if self._program.uses_calls:
            call = msgspec.structs.replace(call, calls=self._earlier[: call.sequence - 1])
        try:
            return run_program(self._program, call, world)
        except ProgramFailedError as error:
            failure = {"error": {"code": "program_failed", "message": str(error)}}
            return Answer(failure, certainty=0.0, explanation=f"the program failed: {error}")


def _row(outcomes: Sequence[CallComparison]) -> FidelityRow:
    return summarise(outcomes, frozenset()).total


def _is_equal(outcome: CallComparison) -> bool:
    return outcome.responses_equal and outcome.changes_equal


def _mismatch(task: RecordedTask, number: int, outcome: CallComparison, before: Ledger) -> MismatchOut:
    call, answer = outcome.call, outcome.answer
    expected = call.response if call.error is None else {"error": call.error}
    after = apply(before, answer.operations, "off").ledger
    made = [
        RecordedChange(one.entity_type, one.id, one.before, one.after)
        for one in difference(before, after).changes
    ]
    return MismatchOut(
        task=_bounded(task.task),
        call=number,
        args=_bounded(call.args),
        problem=_problem(outcome, made, sorted(after.flags - before.flags)),
        expected=_bounded(expected),
        got=_bounded(answer.response),
        expected_changes=[_bounded_change(one) for one in call.changes[:_MOST_CHANGES]],
        got_changes=[_bounded_change(one) for one in made[:_MOST_CHANGES]],
    )


def _problem(outcome: CallComparison, made: Sequence[RecordedChange], flags: Sequence[str]) -> str:
    call, answer = outcome.call, outcome.answer
    if answer.explanation.startswith("the program failed"):
        return answer.explanation
    if call.error is not None and not answer.refused:
        return f"it should be refused ({call.error!r}) and is answered"
    if call.error is None and answer.refused:
        return f"it should be answered and is refused: {_message(answer)}"
    if not outcome.responses_equal:
        return f"the response differs {first_difference(call.response, answer.response)}"
    return f"the changes differ: {_change_in_words(call.changes, made, flags)}"


def _change_in_words(
    recorded: Sequence[RecordedChange], made: Sequence[RecordedChange], flags: Sequence[str]
) -> str:
    wanted = {(one.entity_type, one.id): one.after for one in recorded if one.before != one.after}
    got = {(one.entity_type, one.id): one.after for one in made}
    for key in [*wanted, *got]:
        entity = f"{key[0]} {key[1]!r}"
        if key not in got:
            return f"{entity} should change and does not"
        if key not in wanted:
            return f"{entity} changes and should not"
        found = first_difference(wanted[key], got[key])
        if found is not None:
            return f"{entity} {found}"
    return f"the flag {flags[0]!r} is set, and recorded calls know of none" if flags else "in the flags"


def _message(answer: Answer) -> str:
    response = answer.response
    error = response.get("error") if isinstance(response, dict) else None
    return str(error.get("message") if isinstance(error, dict) else error)


def _bounded(value: Any) -> Any:
    """The value, or how its text begins: a report must not be a copy of a world."""
    text = msgspec.json.encode(value).decode()
    return value if len(text) <= _LONGEST_VALUE else f"{text[:_BEGINNING]}… ({len(text)} characters)"


def _bounded_change(change: RecordedChange) -> ProgramChangeOut:
    before, after = _bounded(change.before), _bounded(change.after)
    return ProgramChangeOut(entity_type=change.entity_type, id=change.id, before=before, after=after)
