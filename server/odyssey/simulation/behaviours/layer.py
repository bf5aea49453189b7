"""The lines of a text around the answer of an engine: what they refuse, what they change, what they say instead."""

from collections.abc import Callable, Sequence

from odyssey.expressions import EvaluationError, Expression, Facts, Lazy
from odyssey.records.ledger import Add, Operation, Remove, Update
from odyssey.simulation.behaviours.behaviours import Behaviours, ToolBehaviours
from odyssey.simulation.behaviours.binding import Binding
from odyssey.simulation.behaviours.effects import carry_out
from odyssey.simulation.behaviours.failing import RefusedError, UnsaidError
from odyssey.simulation.behaviours.moment import Moment
from odyssey.simulation.behaviours.parts import Effect, Guard, Returns
from odyssey.simulation.behaviours.responding import respond
from odyssey.simulation.engine import Answer, Reading, ToolCall
from odyssey.simulation.world.answer import CERTAIN, GUESSED
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import apply


def with_behaviours(
    behaviours: Behaviours, call: ToolCall, world: Ledger, inner: Callable[[], Answer]
) -> Answer:
    """Answer a call by its lines and, as far as they leave it open, by `inner`. Raises BehaviourFailedError."""
    lines = behaviours.about(call.tool.name)
    if lines is None:
        return inner()
    try:
        return _Layer(lines, call, world).answer(inner)
    except RefusedError as refusal:
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
        raise RefusedError(guard.line, guard.code, message)

    def _overlaid(self, answer: Answer, effects: Sequence[Effect], returns: Returns | None) -> Answer:
        leaves_out = self._lines.is_alone or answer.refused or answer.confidence <= GUESSED
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
            confidence=CERTAIN if lines else answer.confidence,
            explanation=explain(reading, sorted(lines)),
            reading=reading,
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
