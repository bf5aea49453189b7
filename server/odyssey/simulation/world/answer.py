"""What all acts of the engine share: the question they are given and the ways to answer it."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

from odyssey.kit.words import phrase
from odyssey.records.ledger import Operation
from odyssey.records.smallest import smallest_value
from odyssey.simulation.engine import Answer, Reading, Shape, ToolCall
from odyssey.simulation.world.kinds import Kind
from odyssey.simulation.world.meaning import Intent
from odyssey.simulation.world.shape import FillSources, fit, is_loose
from odyssey.worlds.ledger import copy_json
from odyssey.worlds.schema import id_text

CERTAIN = 0.9
LIKELY = 0.6
UNSURE = 0.5
GUESSED = 0.3
"""The ceiling for a call whose effect the engine did not understand."""
_BLANK = 0.2
_NO_READING = Reading("none")
NOT_UNDERSTOOD = "not understood"
"""How the explanation of an answer begins that says nothing."""


class WorldQuestion(NamedTuple):
    call: ToolCall
    intent: Intent
    kind: Kind

    @property
    def noun(self) -> str:
        return phrase(self.kind.name)

    @property
    def entity_id(self) -> str | None:
        """The id of the entity that is meant: the one that is given, or of the only one there is."""
        given = id_text(self.given(self.intent.id_argument))
        return self.intent.only_one if given is None else given

    def given(self, argument: str | None) -> Any:
        """The value of an argument; absent and null are both None."""
        return None if argument is None else self.call.arguments.get(argument)

    def others(self) -> dict[str, Any]:
        """The arguments that were given beside the one that says which entity is meant."""
        chosen = self.intent.id_argument
        return {
            name: value for name, value in self.call.arguments.items() if name != chosen and value is not None
        }

    def reading(self, operation: str, fields: Iterable[str] = (), by: Iterable[str] = ()) -> Reading:
        return Reading(operation, self.kind.name, tuple(fields), tuple(by))


def respond(
    question: WorldQuestion,
    value: Any,
    reading: Reading,
    *,
    certainty: float,
    operations: tuple[Operation, ...] = (),
    identity: Mapping[str, Any] | None = None,
    facts: Mapping[str, Any] | None = None,
) -> Answer:
    """Answer with the world's own value in the shape the tool promised."""
    known = FillSources(
        noun=question.kind.name,
        arguments=question.call.arguments,
        identity=identity or {},
        word=question.intent.naming.word if operations else "",
        facts=facts or {},
    )
    response, is_invented = fit(value, question.call.tool.output_schema, known)
    is_sure = question.intent.is_named and not is_invented
    return Answer(
        response=copy_json(response),
        operations=operations,
        certainty=certainty if is_sure else min(certainty, UNSURE),
        explanation=reading.in_words(),
        reading=reading,
        shape=_shape_of(response, value, question.call, is_invented=is_invented),
    )


def _shape_of(response: Any, value: Any, call: ToolCall, *, is_invented: bool) -> Shape:
    if is_invented:
        return "invented"
    if is_loose(response, call.tool.output_schema):
        return "loose"
    return "as_is" if response is value else "shaped"


def refuse(
    code: Literal["not_found", "conflict", "bad_value"],
    message: str,
    reading: Reading,
    certainty: float = CERTAIN,
) -> Answer:
    """`LIKELY` where another thing than the one that is meant is at fault, `UNSURE` where only a sentence says so."""
    return Answer(
        response={"error": {"code": code, "message": message}},
        certainty=certainty,
        refused=True,
        explanation=f"{reading.in_words()}: refused, {code}",
        reading=reading,
    )


def not_understood(call: ToolCall, why: str, reading: Reading = _NO_READING) -> Answer:
    """The smallest answer the tool allows; nothing happens in the world."""
    schema = call.tool.output_schema
    return Answer(
        response={} if schema is None else copy_json(smallest_value(schema)),
        certainty=_BLANK,
        is_blank=True,
        evidence="schema",
        explanation=f"{NOT_UNDERSTOOD}: {why}",
        reading=reading,
    )


def not_found(question: WorldQuestion, entity_id: str, operation: str) -> Answer:
    message = f"No {question.noun} with id {entity_id!r} exists."
    argument = question.intent.id_argument
    by = [argument] if argument else []
    for other in question.kind.all_kinds() if argument else ():
        is_other = other.name != question.kind.name and entity_id in other.entities
        if is_other and argument and other.is_meant_by(argument):
            return not_understood(
                question.call, f"{entity_id} is no {question.noun} but of {phrase(other.name)}"
            )
    return refuse("not_found", message, question.reading(operation, by=by))


def identity_of(kind: Kind, entity_id: str) -> dict[str, Any]:
    """The id under every name a schema may ask for it, in the type the world's own entities use."""
    value: Any = int(entity_id) if kind.ids_are_integers() and _is_decimal(entity_id) else entity_id
    names = dict.fromkeys([kind.id_field or "id", "id", f"{phrase(kind.name).replace(' ', '_')}_id"])
    return dict.fromkeys(names, value)


def _is_decimal(text: str) -> bool:
    return text.isascii() and text.removeprefix("-").isdecimal() and len(text) < 20
