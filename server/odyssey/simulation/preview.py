"""How each tool of an agent will be simulated, told before the first run: by asking for one plausible call of it.

The example call takes ids and values from the world it is given. Without one, there is a world made of what the tools
and the ledger schema name: `get_order(order_id)` is enough to know that there are orders, and that they have ids.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from odyssey.kit.words import id_noun, is_id_list, singular
from odyssey.records.smallest import smallest_value
from odyssey.records.tools import LedgerSchema, Tool
from odyssey.simulation.calibration import confidence_of
from odyssey.simulation.choosing import ChosenEngine, Manner
from odyssey.simulation.engine import Answer, ToolCall
from odyssey.simulation.simulate import what_helps
from odyssey.simulation.world.kinds import Kind, know, known_types
from odyssey.simulation.world.naming import find_noun
from odyssey.worlds.ledger import Ledger

AnsweredBy = Literal["live_service", "program", "behaviour", "world", "model", "nobody"]

_TRIES = 8
"""Entities an example call is tried on, until one does not refuse it."""
_DOES = {
    "read": "reads",
    "list": "lists",
    "create": "creates",
    "update": "changes",
    "remove": "removes",
    "calculate": "calculates",
    "acknowledge": "acknowledges",
}
_MODEL = "Set a simulator model (Settings, models.simulator)"


class ToolReading(msgspec.Struct, frozen=True):
    tool: str
    answered_by: AnsweredBy
    reading: str
    """How a call is read, in words: "reads order by order_id", or "not understood"."""
    confidence: float | None = None
    """How often such answers were right on worlds that the engine had not seen; None where it does not answer."""
    why: str | None = None
    """What is not understood, or why nobody answers."""
    help: tuple[str, ...] = ()
    """What to do about it, the cheapest first."""


def read_ahead(
    tools: Sequence[Tool],
    ledger_schema: LedgerSchema | None,
    manner: Manner,
    world: Ledger | None = None,
    *,
    has_model: bool = False,
) -> list[ToolReading]:
    """Say of each tool how its calls will be read."""
    at = world if world is not None and world.entity_types() else _imagined(tools, ledger_schema)
    return [_read(tool, at, ledger_schema, manner, has_model=has_model) for tool in tools]


def _read(
    tool: Tool, world: Ledger, ledger_schema: LedgerSchema | None, manner: Manner, *, has_model: bool
) -> ToolReading:
    if tool.default_execution_mode == "passthrough":
        return ToolReading(tool.name, "live_service", "answered by a live service")
    choice = manner.choice(tool.name)
    if choice == "llm":
        return _by_model(tool, has_model=has_model)
    if choice == "program" or (choice == "auto" and tool.name in manner.programs):
        return ToolReading(tool.name, "program", "answered by its program", 1.0)
    answer = _example(tool, world, ledger_schema, manner)
    call = ToolCall(tool, {}, ledger_schema, random_seed=1, sequence=1)
    confidence = confidence_of(answer, call)
    if not answer.is_understood:
        why = answer.explanation.partition(": ")[2]
        if choice == "auto" and has_model:
            return ToolReading(tool.name, "model", "asks the simulator model", why=why)
        return ToolReading(tool.name, "nobody", "not understood", 0.0, why, tuple(what_helps(tool)))
    by: AnsweredBy = "behaviour" if manner.behaviours.about(tool.name) is not None else "world"
    is_sure = 1 - confidence <= manner.ask_model_above
    if choice == "auto" and has_model and not is_sure and by == "world":
        return ToolReading(tool.name, "model", f"{_in_words(answer)}, not surely: asks the model", confidence)
    help_ = () if is_sure else tuple(what_helps(tool))
    return ToolReading(tool.name, by, _in_words(answer), confidence, help=help_)


def _by_model(tool: Tool, *, has_model: bool) -> ToolReading:
    if has_model:
        return ToolReading(tool.name, "model", "asks the simulator model")
    why = "its engine is llm, and no simulator model is set"
    return ToolReading(
        tool.name, "nobody", "not answered", 0.0, why, (f"{_MODEL}, or choose another engine.",)
    )


def _in_words(answer: Answer) -> str:
    reading = answer.reading
    if reading is None:
        return "answered by lines of behaviour"
    words = [_DOES.get(reading.operation, reading.operation), reading.entity_type or ""]
    words += [f"by {', '.join(reading.by)}"] if reading.by else []
    return " ".join(filter(None, words))


# An example call.


def _example(tool: Tool, world: Ledger, ledger_schema: LedgerSchema | None, manner: Manner) -> Answer:
    engine = ChosenEngine(manner)
    last: Answer | None = None
    for place in range(_TRIES):
        arguments = _arguments(tool, world, ledger_schema, place)
        last = engine.answer(ToolCall(tool, arguments, ledger_schema, random_seed=1, sequence=1), world)
        if not last.refused:
            break
    assert last is not None
    return last


def _arguments(tool: Tool, world: Ledger, ledger_schema: LedgerSchema | None, place: int) -> dict[str, Any]:
    kinds = [know(name, world, ledger_schema) for name in known_types(world, ledger_schema)]
    return {name: _value(name, schema, kinds, place) for name, schema in _properties(tool).items()}


def _value(name: str, schema: Any, kinds: Sequence[Kind], place: int) -> Any:
    found = next((kind for kind in kinds if kind.entities and kind.is_meant_by(name)), None)
    if found is not None and id_noun(name) != ():
        ids = list(found.entities)[: place + 1]
        return [ids[-1]] if is_id_list(name) else ids[-1]
    declared = schema if isinstance(schema, dict) else {}
    if declared.get("default") is not None:
        return declared["default"]
    if isinstance(declared.get("enum"), list) and declared["enum"]:
        return declared["enum"][place % len(declared["enum"])]
    held = (_held(kind, name, place) for kind in kinds)
    value = next((each for each in held if each is not None), None)
    return smallest_value(declared) if value is None else value


def _held(kind: Kind, name: str, place: int) -> Any:
    """What an entity has in the field of that name."""
    path = kind.path_of(name)
    if path is None or len(path) != 1:
        return None
    for fields in list(kind.entities.values())[: place + 1]:
        if fields.get(path[0]) is not None:
            return fields[path[0]]
    return None


def _properties(tool: Tool) -> Mapping[str, Any]:
    properties = tool.input_schema.get("properties")
    return properties if isinstance(properties, dict) else {}


def _imagined(tools: Sequence[Tool], ledger_schema: LedgerSchema | None) -> Ledger:
    """A world of two entities of each type that is declared, or else of each that an argument gives the id of."""
    if ledger_schema is not None:
        fields = {
            each.type: {each.id_field: "", **{field.name: _blank(field.type) for field in each.fields}}
            for each in ledger_schema.entities
        }
        ids = {each.type: each.id_field for each in ledger_schema.entities}
    else:
        nouns = dict.fromkeys(_nouns(tools))
        fields = {noun: {f"{noun}_id": "", **_fields_of(noun, tools)} for noun in nouns}
        ids = {noun: f"{noun}_id" for noun in nouns}
    return Ledger.boot(
        {
            noun: {f"{noun}_{n}": {**members, ids[noun]: f"{noun}_{n}"} for n in (1, 2)}
            for noun, members in fields.items()
        }
    )


def _nouns(tools: Sequence[Tool]) -> Iterator[str]:
    for tool in tools:
        for name in _properties(tool):
            words = id_noun(name)
            if words:
                yield "_".join((*words[:-1], singular(words[-1])))


def _fields_of(noun: str, tools: Sequence[Tool]) -> dict[str, Any]:
    """The arguments of the tools that are about a noun by their names: what such things are made of."""
    found: dict[str, Any] = {}
    for tool in tools:
        if find_noun(tuple(tool.name.replace("-", "_").split("_")), (noun,)) is None:
            continue
        for name, schema in _properties(tool).items():
            if id_noun(name) is None and isinstance(schema, dict):
                found.setdefault(name, _blank(str(schema.get("type"))))
    return found


def _blank(kind: str) -> Any:
    blanks: dict[str, Any] = {"number": 1, "integer": 1, "boolean": False, "array": [], "object": {}}
    return blanks.get(kind, "text")
