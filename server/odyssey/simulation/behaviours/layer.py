"""The lines of a text around the answer of an engine: what they refuse, what they change, what they say instead."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from odyssey.expressions import EvaluationError, Expression, Facts, Lazy
from odyssey.records.ledger import Add, Operation, Remove, Update
from odyssey.records.smallest import smallest_value
from odyssey.simulation.behaviours.behaviours import Behaviours, Effect, Guard, Returns, ToolBehaviours
from odyssey.simulation.behaviours.effects import carry_out
from odyssey.simulation.behaviours.moment import Binding, CallRefusedError, Moment, UnsaidError
from odyssey.simulation.engine import Answer, Reading, ToolCall
from odyssey.simulation.world.answer import CERTAIN, GUESSED, identity_of
from odyssey.simulation.world.kinds import know, known_types
from odyssey.simulation.world.naming import read_name
from odyssey.simulation.world.shape import FillSources, fit
from odyssey.worlds.ledger import Ledger, copy_json, json_equal
from odyssey.worlds.operations import apply
from odyssey.worlds.schema import id_text

# What a call with lines of its own answers: what the engine shows, as the world has it once the lines are done.

_SCALARS = (str, int, float, bool, type(None))


class _ChangedEntity(NamedTuple):
    """An entity that the engine may have shown, as it showed it and as it has become."""

    id_field: str
    id: str
    fields: Mapping[str, Any]
    becomes: dict[str, Any]

    def is_shown_by(self, value: dict[str, Any]) -> bool:
        """Whether an object is this entity: it gives the id, is mostly made of its fields, and denies none."""
        if id_text(value.get(self.id_field)) != self.id:
            return json_equal(value, dict(self.fields))
        shared = [name for name in value if name in self.fields or name == self.id_field]
        return 2 * len(shared) > len(value) and not any(
            isinstance(value[name], _SCALARS) and _differs(value[name], self.fields[name])
            for name in shared
            if name in self.fields
        )

    def refreshed(self, value: dict[str, Any]) -> dict[str, Any]:
        is_whole = self.fields.keys() <= value.keys()
        names = [*value, *(name for name in self.becomes if is_whole and name not in value)]
        return {name: self.becomes.get(name, value.get(name)) for name in names}


def respond(
    call: ToolCall, inner: Answer, before: Ledger, operations: Sequence[Operation], after: Ledger
) -> Any:
    """The engine's response with every entity in it as it is after the call, or what was changed in its place."""
    if not _still_stands(inner, after):
        return copy_json(_changed(call, operations, after))
    shown = list(_shown(call, inner, before, operations, after))
    if not shown:
        return inner.response
    response = _refresh(copy_json(inner.response), shown)
    noun = inner.reading.entity_type if inner.reading else None
    return fit(response, call.tool.output_schema, FillSources(noun or "", call.arguments))[0]


def _still_stands(inner: Answer, after: Ledger) -> bool:
    """Whether the engine understood the call and what it shows as new is there."""
    if inner.refused or inner.is_blank or inner.reading is None or inner.reading.operation == "none":
        return False
    return all(
        after.entity(each.entity_type, each.id) is not None
        for each in inner.operations
        if isinstance(each, Add)
    )


def _changed(call: ToolCall, operations: Sequence[Operation], after: Ledger) -> Any:
    """The one entity that was changed, or the one of those that the tool is called after; else the least allowed."""
    keys = list(dict.fromkeys(_keys(operations)))
    keys = [key for key in keys if after.entity(*key) is not None]
    if len(keys) > 1:
        noun = read_name(call.tool.name, known_types(after, call.ledger_schema)).entity_type
        keys = [key for key in keys if key[0] == noun]
    schema = call.tool.output_schema
    if len(keys) != 1:
        return {} if schema is None else smallest_value(schema)
    entity_type, entity_id = keys[0]
    kind = know(entity_type, after, call.ledger_schema)
    known = FillSources(entity_type, call.arguments, identity_of(kind, entity_id), word=call.tool.name)
    return fit(dict(after.entity(*keys[0]) or {}), schema, known)[0]


def _shown(
    call: ToolCall, inner: Answer, before: Ledger, operations: Sequence[Operation], after: Ledger
) -> Iterator[_ChangedEntity]:
    """The entities that are otherwise than the engine would have left them."""
    proposed = apply(before, inner.operations, "off").ledger
    for key in dict.fromkeys((*_keys(inner.operations), *_keys(operations))):
        fields = proposed.entity(*key) or before.entity(*key)
        becomes = after.entity(*key)
        if fields is not None and becomes is not None and _differs(dict(fields), dict(becomes)):
            id_field = know(key[0], after, call.ledger_schema).id_field or "id"
            yield _ChangedEntity(id_field, key[1], fields, dict(becomes))


def _refresh(value: Any, shown: Sequence[_ChangedEntity]) -> Any:
    if isinstance(value, list):
        return [_refresh(each, shown) for each in value]
    if not isinstance(value, dict):
        return value
    entity = next((each for each in shown if each.is_shown_by(value)), None)
    if entity is not None:
        return entity.refreshed(value)
    return {name: _refresh(each, shown) for name, each in value.items()}


def _differs(left: Any, right: Any) -> bool:
    return bool(left != right) or not json_equal(left, right)  # true is 1 in Python, and not in JSON


def _keys(operations: Sequence[Operation]) -> Iterator[tuple[str, str]]:
    for each in operations:
        if isinstance(each, Add | Update | Remove):
            yield (each.entity_type, each.id)


def with_behaviours(
    behaviours: Behaviours, call: ToolCall, world: Ledger, inner: Callable[[], Answer]
) -> Answer:
    """Answer a call by its lines and, as far as they leave it open, by `inner`. Raises BehaviourFailedError."""
    lines = behaviours.about(call.tool.name)
    if lines is None:
        return inner()
    try:
        return _Layer(lines, call, world).answer(inner)
    except CallRefusedError as refusal:
        return refusal.answer(read_refused(lines, inner), CERTAIN)


class _Layer:
    def __init__(self, lines: ToolBehaviours, call: ToolCall, world: Ledger) -> None:
        self._lines = lines
        self._call = call
        self._world = world
        facts = call.facts(world)
        binding = Binding(call, world)
        self._before = Moment(facts, binding, binding, {let.name: let for let in lines.lets})
        self._define_types(self._before)
        for let in lines.lets:
            facts.define(let.name, Lazy(_evaluation(let.value, facts)))

    def answer(self, inner: Callable[[], Answer]) -> Answer:
        for guard in self._lines.guards:
            self._pass(guard)
        effects = [each for each in self._lines.effects if self._applies(each)]
        returns = next((each for each in self._lines.returns if self._applies(each)), None)
        answer = inner()
        is_told = bool(effects) or returns is not None
        if not is_told and not (self._lines.is_alone and answer.operations):
            return answer
        if answer.refused and not (self._lines.is_alone and is_told):
            return answer
        return self._overlaid(answer, effects, returns)

    def _applies(self, part: Effect | Returns) -> bool:
        try:
            return self._before.holds(part.line, part.when)
        except UnsaidError:
            if not part.for_all:
                raise
            return False

    def _pass(self, guard: Guard) -> None:
        try:
            is_passed = self._before.holds(guard.line, guard.condition) is guard.allows
        except UnsaidError:
            is_passed = guard.for_all
            if not guard.for_all:
                raise
        if is_passed:
            return
        if guard.message is not None:
            message = self._before.text(guard.line, guard.message)
        else:
            word = "works only" if guard.allows else "fails"
            message = f"{self._call.tool.name} {word} when {guard.condition.text}."
        raise CallRefusedError(guard.line, guard.code, message)

    def _overlaid(self, answer: Answer, effects: Sequence[Effect], returns: Returns | None) -> Answer:
        leaves_out = self._lines.is_alone or answer.refused or answer.certainty <= GUESSED
        proposed = () if leaves_out else answer.operations
        operations, lines = carry_out(effects, self._before, self._call, self._world, proposed)
        lines += [returns.line] if returns else []
        if not lines and (answer.refused or not self._lines.is_alone):
            return answer
        after = apply(self._world, operations, "off").ledger
        if returns is None:
            response = respond(self._call, answer, self._world, operations, after)
        else:
            response = self._moment_after(after, operations).value(returns.line, returns.value)
        is_other = bool(operations) and after != self._world
        reading = come_to(answer, operations, sorted(lines), alone=self._lines.is_alone, is_other=is_other)
        return Answer(
            response=response,
            operations=operations,
            certainty=CERTAIN if lines else answer.certainty,
            explanation=explain(reading, sorted(lines)),
            reading=reading,
            by_own_rules=True,
            evidence="behaviour" if lines else answer.evidence,
        )

    def _moment_after(self, after: Ledger, operations: Sequence[Operation]) -> Moment:
        """The world as `returns` sees it: types mean what is there now, lets what they meant before."""
        binding = Binding(self._call, after, operations)
        moment = self._before._replace(facts=self._before.facts.on(after), binding=binding)
        self._define_types(moment)
        return moment

    def _define_types(self, moment: Moment) -> None:
        for name in self._lines.types:
            moment.facts.define(name, Lazy(_fields(moment.binding, name)))


def _evaluation(expression: Expression, facts: Facts) -> Callable[[], object]:
    return lambda: expression.evaluate(facts)


def _fields(binding: Binding, entity_type: str) -> Callable[[], object]:
    return lambda: binding.fields(entity_type)


# What a call came to, for those who read it: as the engine took it, unless lines made something else of it.
_WRITES = ("create", "update", "remove")
_LOOKS = ("read", "list")


def come_to(
    answer: Answer, operations: Sequence[Operation], lines: Sequence[int], *, alone: bool, is_other: bool
) -> Reading:
    """The engine's reading, or that of the lines where they alone say what happens.

    `is_other`: whether the operations leave another world than there was.
    """
    inner = answer.reading or Reading("none")
    is_understood = inner.operation != "none" and not answer.refused
    if is_understood and not alone and (inner.operation in _WRITES or not operations):
        return inner
    by = tuple(f"line {line}" for line in lines)
    if not operations:
        only_looks = inner.operation in (*_LOOKS, "none")
        return Reading("read" if only_looks else "acknowledge", inner.entity_type, (), by)
    for operation in operations if is_other else ():
        match operation:
            case Add(entity_type=entity_type, fields=fields):
                return Reading("create", entity_type, tuple(fields), by)
            case Update(entity_type=entity_type, fields=fields):
                return Reading("update", entity_type, tuple(fields), by)
            case Remove(entity_type=entity_type):
                return Reading("remove", entity_type, (), by)
    return Reading("acknowledge", inner.entity_type, (), by)


def explain(reading: Reading, lines: Sequence[int]) -> str:
    if not lines:
        return f"{reading.in_words()}; behaviours leave out what it would change"
    return f"{reading.in_words()}; behaviour line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}"


def read_refused(lines: ToolBehaviours, inner: Callable[[], Answer]) -> Reading:
    """What a refused call was for: what the engine takes it for, or the change that its lines would have made."""
    try:
        reading = inner().reading or Reading("none")
    except EvaluationError:
        reading = Reading("none")
    if lines.effects and reading.operation not in _WRITES:
        return Reading("update", reading.entity_type)
    return Reading(reading.operation, reading.entity_type)
