"""The tools that straw agents have for a row, and arguments for them: the smallest, with ids that exist."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from odyssey.agents.compiled import CompiledAgent, CompiledTool, compile_tool
from odyssey.expressions.arguments import read_value
from odyssey.kit.words import id_noun, tokens
from odyssey.library.datasets.auditing.demands import Demand
from odyssey.library.datasets.auditing.matching import fitting_arguments
from odyssey.records.faults import Faults
from odyssey.records.ledger import ConsistencyMode
from odyssey.records.smallest import smallest_value
from odyssey.records.tools import LedgerSchema, Tool, declared_types
from odyssey.simulation.programs import Program
from odyssey.simulation.world.naming import Naming, find_noun, read_name
from odyssey.worlds.ledger import Ledger

MOST_TOOLS = 100
"""An agent with more is tried on its first."""
_GLOB = frozenset("*?[")
_READING = ("read", "list")


class ToolBox(NamedTuple):
    """What a straw agent can call."""

    tools: Mapping[str, CompiledTool]
    is_known: bool
    """Whether an agent said so; otherwise the tools are made up from what the checks name."""
    smallest: Mapping[str, dict[str, Any]]
    """The smallest arguments that each takes."""
    ledger_schema: LedgerSchema | None = None
    programs: Mapping[str, Program] = {}
    mode: ConsistencyMode = "warn"

    def named(self, world: Ledger) -> dict[str, Naming]:
        """What the names of the tools say in this world."""
        types = tuple(dict.fromkeys([*declared_types(self.ledger_schema), *world.entity_types()]))
        return {name: read_name(name, types) for name in self.tools}


def of_agent(agent: CompiledAgent) -> ToolBox:
    tools = dict(list(agent.tools.items())[:MOST_TOOLS])
    return ToolBox(
        tools,
        is_known=True,
        smallest=_smallest(tools),
        ledger_schema=agent.ledger_schema,
        programs=agent.programs,
        mode=agent.config.consistency_mode,
    )


def of_checks(demands: Iterable[Demand], world: Ledger) -> ToolBox:
    """Make up the tools that a row demands calls of: with the arguments it names, and the id of what the name names."""
    args: dict[str, dict[str, Any]] = {}
    for demand in demands:
        if demand.wants_some:
            for name in demand.written:
                if not _GLOB & set(name):
                    args.setdefault(name, {}).update(demand.args)
    types = world.entity_types()
    made = {name: compile_tool(_made_up(name, asked, types)) for name, asked in args.items()}
    tools = dict(list(made.items())[:MOST_TOOLS])
    return ToolBox(tools, is_known=False, smallest=_smallest(tools))


def _smallest(tools: Mapping[str, CompiledTool]) -> dict[str, dict[str, Any]]:
    values = {name: smallest_value(tool.tool.input_schema) for name, tool in tools.items()}
    return {name: value if isinstance(value, dict) else {} for name, value in values.items()}


def _made_up(name: str, args: dict[str, Any], types: tuple[str, ...]) -> Tool:
    properties: dict[str, Any] = {member: _shape(asked) for member, asked in args.items()}
    naming = read_name(name, types)
    entity_type = naming.entity_type if naming.is_named else None
    names_one = naming.verb not in ("create", "list") and not naming.plural
    if (
        entity_type is not None
        and names_one
        and not any(_type_of(each, types) == entity_type for each in args)
    ):
        properties[f"{entity_type}_id"] = {"type": "string"}
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return Tool(name=name, input_schema=schema)


def _shape(asked: Any) -> dict[str, Any]:
    example = fitting_arguments({"value": asked}).get("value")
    kinds = {str: "string", bool: "boolean", int: "number", float: "number", list: "array", dict: "object"}
    kind = kinds.get(type(example))
    return {} if kind is None else {"type": kind}


# Arguments: the smallest that the schema takes, and where an id is asked for, one that exists.


class Arguments(NamedTuple):
    given: dict[str, Any]
    is_aside: bool
    """Whether it names an entity that the row does not speak of."""
    is_own: bool
    """Whether it names one that the row speaks of."""


class Subjects:
    """The entities of a row's world, divided into those that the row speaks of and the others."""

    _MOST = 200
    """Of each type; a row speaks of few, and one other is enough."""

    def __init__(
        self, instruction: str, checks: Sequence[Any], world: Ledger, schema: LedgerSchema | None
    ) -> None:
        self._said = instruction + msgspec.json.encode(checks).decode()
        self._world = world
        self.types = tuple(dict.fromkeys([*declared_types(schema), *world.entity_types()]))
        self._divided: dict[str, tuple[list[str], list[str]]] = {}

    def of(self, entity_type: str) -> tuple[list[str], list[str]]:
        if entity_type not in self._divided:
            own: list[str] = []
            others: list[str] = []
            for entity_id in self._world.entities(entity_type):
                (own if self._speaks_of(entity_id) else others).append(entity_id)
                if len(own) + len(others) >= self._MOST:
                    break
            self._divided[entity_type] = own, others
        return self._divided[entity_type]

    def _speaks_of(self, entity_id: str) -> bool:
        return re.search(rf"(?<!\w){re.escape(entity_id)}(?!\w)", self._said) is not None

    def type_of(self, argument: str) -> str | None:
        return _type_of(argument, self.types)


def arguments_for(box: ToolBox, name: str, naming: Naming, subjects: Subjects, *, own: bool) -> Arguments:
    """Make up arguments; `own` prefers what the row speaks of, otherwise what it does not."""
    tool = box.tools[name]
    given = dict(box.smallest[name])
    properties = tool.tool.input_schema.get("properties")
    is_aside = is_own = False
    for member, shape in (properties if isinstance(properties, dict) else {}).items():
        entity_type = subjects.type_of(member)
        if entity_type is None or not (member in given or entity_type == naming.entity_type):
            continue
        spoken_of, others = subjects.of(entity_type)
        chosen = next(iter([*spoken_of, *others] if own else [*others, *spoken_of]), None)
        if chosen is None:
            continue
        value = _as_declared(chosen, shape)
        if tool.input_schema.is_valid({**given, member: value}):
            given[member] = value
            is_own, is_aside = is_own or chosen in spoken_of, is_aside or chosen in others
    return Arguments(given, is_aside, is_own)


def with_demanded(given: dict[str, Any], demand: Demand) -> dict[str, Any]:
    """Change what does not fit yet: an id that exists is better than one that is only spelled like it."""
    wanted = {
        name: asked
        for name, asked in demand.args.items()
        if name not in given or not read_value(asked, Faults())(given[name])
    }
    return {**given, **fitting_arguments(wanted)}


def _type_of(argument: str, types: tuple[str, ...]) -> str | None:
    """The type of entity whose id an argument is: `order_id`, `from_account_id`, or `order` itself."""
    noun = id_noun(argument)
    words = tokens(argument) if noun is None else noun
    if not words:
        return None
    found = find_noun(words, types)
    if found is None or (noun is None and found.end - found.start < len(words)):
        return None
    return found.entity_type


def _as_declared(entity_id: str, shape: Any) -> Any:
    kind = shape.get("type") if isinstance(shape, dict) else None
    if kind in ("integer", "number") and entity_id.isascii() and entity_id.isdecimal():
        return int(entity_id)
    if kind == "array":
        return [entity_id]
    return entity_id


def is_reading(naming: Naming) -> bool:
    return naming.verb in _READING
