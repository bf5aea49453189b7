"""How faithful an engine is: recorded calls of a real back end, answered again and compared.

Every task starts from the same state. After each call the recorded changes are put into the world, whatever the
engine proposed, so that one miss counts once. Equal means equal canonical JSON; two refusals are equal whatever
their words, and whether the words are equal too is counted apart.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from odyssey.records.canonical import canonical_json
from odyssey.records.json_schema import compile_schema
from odyssey.records.ledger import Operation
from odyssey.records.tools import LedgerSchema, Tool
from odyssey.simulation.calibration import confidence_of
from odyssey.simulation.engine import Answer, Engine, ToolCall
from odyssey.statistics.intervals import Interval, wilson
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import apply

SURE = 0.6
"""From this confidence on somebody relies on an answer."""
_SEED = 1
_ARGUMENTS_INVALID = Answer({"error": {"code": "arguments_invalid"}}, refused=True, evidence="schema")
"""What the proxy tells an agent whose arguments do not fit: such a call comes to no engine."""


class RecordedChange(msgspec.Struct, frozen=True):
    entity_type: str
    id: str
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None


class RecordedCall(msgspec.Struct, frozen=True):
    """What a real back end answered, or the text it refused with, and what it changed."""

    tool: str
    args: dict[str, Any]
    response: Any = None
    error: str | None = None
    changes: list[RecordedChange] = []


class RecordedTask(msgspec.Struct, frozen=True):
    task: Any
    calls: list[RecordedCall]


class EqualShare(NamedTuple):
    """How many of some calls were equal."""

    equal: int = 0
    of: int = 0

    @property
    def share(self) -> float | None:
        return self.equal / self.of if self.of else None

    @property
    def interval(self) -> Interval:
        return wilson(self.equal, self.of)


class CallComparison(NamedTuple):
    """One call, answered by both."""

    tool: str
    responses_equal: bool
    changes_equal: bool
    changed: bool
    """Whether either of the two changed the world."""
    recorded_change: bool
    refused: bool
    """Whether either of the two refused."""
    both_refused: bool
    text_equal: bool
    confidence: float | None
    """None of a call that the proxy refuses."""
    call: RecordedCall
    answer: Answer

    @property
    def is_refused_by_proxy(self) -> bool:
        return self.answer is _ARGUMENTS_INVALID

    @property
    def is_right(self) -> bool:
        """Whether the answer and what it did to the world are exactly the back end's."""
        return self.responses_equal and self.changes_equal


class FidelityRow(NamedTuple):
    """The figures of one tool, or of all."""

    calls: int
    responses: EqualShare
    reads: EqualShare
    """Responses of the calls that changed nothing; of tools that touch the world."""
    changes: EqualShare
    """Of the calls by which either side changed the world."""
    refusals: EqualShare
    """Of the calls that either side refused: equal when both did."""
    refusal_texts: EqualShare
    sure: EqualShare = EqualShare()
    """Of the calls that were answered with a confidence of `SURE` or more: how many are right in all."""


class AnswerDifference(NamedTuple):
    """Where an answer first parts from the recorded one."""

    where: str
    """`$.status`; or `changes` where the answers are equal and what they did is not."""
    recorded: Any
    simulated: Any


class Fidelity(NamedTuple):
    total: FidelityRow
    tools: dict[str, FidelityRow]
    stateless: frozenset[str]
    """Tools whose recorded answers neither show nor change anything of the world."""
    differences: Mapping[str, AnswerDifference] = {}
    """Of each tool that ever answers wrongly, the first one."""


def measure(
    engine: Engine,
    tools: Sequence[Tool],
    state: Mapping[str, Any],
    tasks: Sequence[RecordedTask],
    *,
    ledger_schema: LedgerSchema | None = None,
    advance: Callable[[], object] = lambda: None,
) -> Fidelity:
    """Replay every task; `advance` is called after each. Raises KeyError for a call of a tool that is not listed."""
    by_name = {tool.name: tool for tool in tools}
    initial = Ledger.boot(state)
    outcomes: list[CallComparison] = []
    for task in tasks:
        outcomes += replay(engine, by_name, initial, task.calls, ledger_schema)
        advance()
    return summarise(outcomes, stateless_tools(outcomes, state))


def replay(
    engine: Engine,
    tools: Mapping[str, Tool],
    initial: Ledger,
    calls: Iterable[RecordedCall],
    ledger_schema: LedgerSchema | None = None,
) -> Iterator[CallComparison]:
    world = initial
    schemas = {name: compile_schema(tool.input_schema) for name, tool in tools.items()}
    for sequence, recorded in enumerate(calls, start=1):
        call = ToolCall(tools[recorded.tool], recorded.args, ledger_schema, _SEED, sequence)
        fits = schemas[recorded.tool].is_valid(recorded.args)
        answer = engine.answer(call, world) if fits else _ARGUMENTS_INVALID
        proposed = apply(world, answer.operations, "off").ledger
        after = as_recorded(world, recorded.changes)
        compared = _compare(recorded, answer, world, proposed, after)
        yield compared._replace(confidence=confidence_of(answer, call)) if fits else compared
        world = after


def summarise(outcomes: Sequence[CallComparison], stateless: frozenset[str]) -> Fidelity:
    names = sorted({outcome.tool for outcome in outcomes})
    return Fidelity(
        _row(outcomes, stateless),
        {name: _row([each for each in outcomes if each.tool == name], stateless) for name in names},
        stateless,
        {name: found for name in names if (found := _first_difference(name, outcomes)) is not None},
    )


def _first_difference(tool: str, outcomes: Sequence[CallComparison]) -> AnswerDifference | None:
    wrong = next((each for each in outcomes if each.tool == tool and not each.is_right), None)
    if wrong is None:
        return None
    recorded = {"error": wrong.call.error} if wrong.call.error is not None else wrong.call.response
    if not wrong.responses_equal:
        return _difference(recorded, wrong.answer.response, "$")
    done = [f"{each.entity_type} {each.id}" for each in wrong.call.changes]
    return AnswerDifference("changes", done, [_entity(each) for each in wrong.answer.operations])


def _entity(operation: Operation) -> str:
    named = (getattr(operation, "entity_type", None), getattr(operation, "id", None))
    return " ".join(str(each) for each in named if each is not None) or "flag"


def _difference(recorded: Any, simulated: Any, where: str) -> AnswerDifference:
    """Go down while both are objects with the same members, or lists of the same length."""
    if isinstance(recorded, dict) and isinstance(simulated, dict):
        for name in {**recorded, **simulated}:
            if name not in recorded or name not in simulated:
                return AnswerDifference(f"{where}.{name}", recorded.get(name), simulated.get(name))
            if canonical_json(recorded[name]) != canonical_json(simulated[name]):
                return _difference(recorded[name], simulated[name], f"{where}.{name}")
    if isinstance(recorded, list) and isinstance(simulated, list) and len(recorded) == len(simulated):
        for place, (left, right) in enumerate(zip(recorded, simulated, strict=True)):
            if canonical_json(left) != canonical_json(right):
                return _difference(left, right, f"{where}[{place}]")
    return AnswerDifference(where, recorded, simulated)


def stateless_tools(outcomes: Sequence[CallComparison], state: Mapping[str, Any]) -> frozenset[str]:
    """The tools that changed nothing, and whose answers mostly hold no text or number that stands in the world."""
    in_world = {canonical_json(leaf) for leaf in _leaves(state)}
    touching: dict[str, list[bool]] = {}
    for outcome in outcomes:
        answer = outcome.call.response
        shows = any(canonical_json(leaf) in in_world for leaf in _leaves(answer))
        touching.setdefault(outcome.tool, []).append(
            outcome.recorded_change or shows or outcome.call.error is not None
        )
    return frozenset(tool for tool, touches in touching.items() if 2 * sum(touches) < len(touches))


def as_json(fidelity: Fidelity) -> dict[str, Any]:
    """The shape of `odyssey fidelity --json`."""
    return {
        **_row_json(fidelity.total),
        "tools": {
            name: {
                **_row_json(row),
                "stateless": name in fidelity.stateless,
                "first_difference": _difference_json(fidelity.differences.get(name)),
            }
            for name, row in fidelity.tools.items()
        },
    }


def _difference_json(found: AnswerDifference | None) -> dict[str, Any] | None:
    return None if found is None else found._asdict()


def as_recorded(world: Ledger, changes: Iterable[RecordedChange]) -> Ledger:
    """The world after a call, as the recording has it."""
    for change in changes:
        if change.after is not None:
            world = world.with_entity(change.entity_type, change.id, change.after)
        elif world.entity(change.entity_type, change.id) is not None:
            world = world.without_entity(change.entity_type, change.id)
    return world


def _compare(
    recorded: RecordedCall, answer: Answer, before: Ledger, proposed: Ledger, after: Ledger
) -> CallComparison:
    refuses = recorded.error is not None
    if not answer.is_understood:
        responses_equal = False
    elif refuses or answer.refused:
        responses_equal = refuses and answer.refused
    else:
        responses_equal = canonical_json(answer.response) == canonical_json(recorded.response)
    return CallComparison(
        tool=recorded.tool,
        responses_equal=responses_equal,
        changes_equal=proposed == after,
        changed=not (proposed == before and after == before),
        recorded_change=after != before,
        refused=refuses or answer.refused,
        both_refused=refuses and answer.refused,
        text_equal=refuses and answer.refused and _message(answer) == recorded.error,
        confidence=None,
        call=recorded,
        answer=answer,
    )


def _message(answer: Answer) -> Any:
    response = answer.response
    error = response.get("error") if isinstance(response, dict) else None
    return error.get("message") if isinstance(error, dict) else error


def _row(outcomes: Sequence[CallComparison], stateless: frozenset[str]) -> FidelityRow:
    reads = [each for each in outcomes if not each.recorded_change and each.tool not in stateless]
    refused = [each for each in outcomes if each.refused]
    both = [each for each in refused if each.both_refused]
    return FidelityRow(
        calls=len(outcomes),
        responses=_share(each.responses_equal for each in outcomes),
        reads=_share(each.responses_equal for each in reads),
        changes=_share(each.changes_equal for each in outcomes if each.changed),
        refusals=_share(each.both_refused for each in refused),
        refusal_texts=_share(each.text_equal for each in both),
        sure=_share(
            each.is_right for each in outcomes if each.confidence is not None and each.confidence >= SURE
        ),
    )


def _share(equal: Iterable[bool]) -> EqualShare:
    found = list(equal)
    return EqualShare(sum(found), len(found))


def _row_json(row: FidelityRow) -> dict[str, Any]:
    return {
        "calls": row.calls,
        **{name: _share_json(getattr(row, name)) for name in FidelityRow._fields if name != "calls"},
    }


def _share_json(share: EqualShare) -> dict[str, Any]:
    return {"share": share.share, "interval": list(share.interval), "equal": share.equal, "of": share.of}


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, str | int | float) and not isinstance(value, bool) and value != "":
        yield value
