"""What a scripted proxy answers: from given answers, else from a world, else the least that fits a schema."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

_DEEPEST = 20


class AnswersInvalidError(ValueError):
    """A file of answers cannot be read; the message says where."""


class Answer(NamedTuple):
    """An answer to the calls of a tool whose arguments have at least these members."""

    tool: str
    arguments: Mapping[str, Any]
    response: Any


class Answers:
    """Decides every call by itself alone: the world it answers from never changes."""

    def __init__(
        self,
        given: Sequence[Answer] = (),
        *,
        state: Mapping[str, Any] | None = None,
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self._given = given
        self._entities = _entities(state or {})
        self._schemas = {str(tool.get("name")): tool.get("output_schema") for tool in tools}

    def to(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        """Answer a call: as given, else with the entity an argument names, else with the smallest fitting value."""
        for answer in self._given:
            if answer.tool == tool and _has(arguments, answer.arguments):
                return answer.response
        for value in arguments.values():
            if isinstance(value, str | int) and str(value) in self._entities:
                return self._entities[str(value)]
        schema = self._schemas.get(tool)
        return smallest(schema) if isinstance(schema, Mapping) else {}


def read_answers(document: Any) -> list[Answer]:
    """Read `{tool: response}`, or a list of `{tool, arguments, response}` of which the first that fits answers."""
    if isinstance(document, Mapping):
        return [Answer(tool, {}, response) for tool, response in document.items()]
    if not isinstance(document, list):
        raise AnswersInvalidError("the answers must be an object {tool: response} or a list of answers")
    return [_read_answer(f"answers[{index}]", entry) for index, entry in enumerate(document)]


def _read_answer(place: str, entry: Any) -> Answer:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("tool"), str):
        raise AnswersInvalidError(f"{place} must be an object with the name of a tool in `tool`")
    if "response" not in entry:
        raise AnswersInvalidError(f"{place} has no `response`")
    arguments = entry.get("arguments", {})
    if not isinstance(arguments, Mapping):
        raise AnswersInvalidError(f"{place}.arguments must be an object of the arguments it is for")
    return Answer(entry["tool"], arguments, entry["response"])


def smallest(schema: Mapping[str, Any], depth: int = 0) -> Any:
    """Build the least value that fits the common parts of a JSON Schema."""
    for member in ("const", "default"):
        if member in schema:
            return schema[member]
    for member in ("enum", "examples"):
        if schema.get(member):
            return schema[member][0]
    for member in ("anyOf", "oneOf", "allOf"):
        choices = schema.get(member)
        if isinstance(choices, list) and choices and isinstance(choices[0], Mapping) and depth < _DEEPEST:
            return smallest(choices[0], depth + 1)
    kind = schema.get("type", "object")
    return _smallest_of(kind[0] if isinstance(kind, list) and kind else kind, schema, depth)


def _smallest_of(kind: Any, schema: Mapping[str, Any], depth: int) -> Any:
    match kind:
        case "string":
            return "-" * int(schema.get("minLength", 0))
        case "integer" | "number":
            return schema.get("minimum", 0)
        case "boolean":
            return False
        case "null":
            return None
        case "array":
            items = schema.get("items")
            needed = int(schema.get("minItems", 0))
            item = smallest(items, depth + 1) if isinstance(items, Mapping) and depth < _DEEPEST else {}
            return [item] * needed
        case _:
            members = schema.get("properties") or {}
            required = schema.get("required") or ()
            return {name: _smallest_member(members.get(name), depth) for name in required}


def _smallest_member(schema: Any, depth: int) -> Any:
    return smallest(schema, depth + 1) if isinstance(schema, Mapping) and depth < _DEEPEST else {}


def _entities(state: Mapping[str, Any]) -> dict[str, Any]:
    """Index a world `{entity_type: {id: {…}}}` by id; an id of two types belongs to the first."""
    found: dict[str, Any] = {}
    for entities in state.values():
        for entity_id, entity in entities.items() if isinstance(entities, Mapping) else ():
            found.setdefault(str(entity_id), entity)
    return found


def _has(arguments: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(name in arguments and arguments[name] == value for name, value in wanted.items())
