"""What a tool means: its name says what is done to which type of entity, its arguments say to which one."""

from collections.abc import Sequence
from typing import NamedTuple

from odyssey.kit.words import are_tail, id_noun, same_name, singular, stem, tokens
from odyssey.records.tools import LedgerSchema
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.world.kinds import Kind, know, known_types
from odyssey.simulation.world.naming import Naming, Verb, find_noun, read_description, read_name
from odyssey.simulation.world.ownership import Owner
from odyssey.simulation.world.roles import is_search_text
from odyssey.simulation.world.status import effects_of, recorded_in
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.schema import id_text

_MAKING = frozenset({"create", "add", "new", "make", "insert", "register"})
"""What makes something new even under an id that is taken, and is refused; `book_thing(thing_id)` is another matter."""
_ID_TYPES = frozenset({"string", "integer"})


class Intent(NamedTuple):
    verb: Verb
    naming: Naming
    kind: Kind | None = None
    id_argument: str | None = None
    """The argument that says which entity is meant."""
    only_one: str | None = None
    """The id of the entity that is meant without being named, since there is no other of its type."""
    owner: Owner | None = None
    """Whoever is logged in, where they may have only what is theirs."""

    @property
    def entity_type(self) -> str | None:
        return None if self.kind is None else self.kind.name

    @property
    def is_named(self) -> bool:
        """Whether the tool's name says the type, rather than an argument, a word after a preposition or a sentence."""
        if self.naming.is_described:
            return False
        return self.naming.is_named or (self.naming.entity_type is not None and not self.naming.after)


def understand(call: ToolCall, world: Ledger) -> Intent:
    """Read one call; `unknown` unless it is an act on a type of entity."""
    # `close_order(order_id="o-1")` in a world whose orders are "open" or "closed":
    #   1. the name gives the type order and a verb that is in no list, `close`;
    #   2. `order_id` is the argument that says which order;
    #   3. one of the known statuses is called after `close`, so the call is an update.
    # `pack_order(order_id="o-1")` names no status and no field that orders have, so it stays unknown.
    types = known_types(world, call.ledger_schema)
    naming = read_name(call.tool.name, types)
    name = naming.entity_type if naming.is_named else _unnamed_type(naming, call, world, types)
    if name is None:
        name = _only_one_with_field(naming, call, world, types)
    if name is None or (naming.verb == "unknown" and naming.entity_type is None):
        naming = read_description(naming, call.tool.description, types)
        name = naming.entity_type or name
    elif not naming.is_named and naming.verb == "read":
        described = read_description(naming, call.tool.description, types)
        naming = described if described.plural else naming  # "find(path): Find files below a directory"
        name = naming.entity_type or name
    if name is None:
        return Intent("unknown", naming)
    kind = know(name, world, call.ledger_schema)
    id_argument = find_id_argument(call, kind, naming)
    if naming.verb in ("update", "remove", "unknown") and id_argument is None and naming.is_named:
        intent = _of_the_one_named_by_id(Intent(naming.verb, naming, kind), call, types)
    else:
        intent = Intent(naming.verb, naming, kind, id_argument)
    if naming.is_described and naming.plural and naming.verb == "read":
        intent = intent._replace(id_argument=None)  # "find files below a directory" is about many
    intent = intent._replace(only_one=_only_one(intent))
    verb = _in_the_light_of_the_world(intent, call)
    return Intent(verb, naming) if verb == "unknown" else intent._replace(verb=verb)


def _in_the_light_of_the_world(intent: Intent, call: ToolCall) -> Verb:
    """The verb, knowing what entities can be: `close_thing` is an update where things have a status "closed"."""
    naming, kind = intent.naming, intent.kind
    has_id = intent.id_argument is not None or intent.only_one is not None
    assert kind is not None
    if naming.verb == "remove":
        return "remove" if intent.is_named else "unknown"
    if naming.verb in ("read", "list", "update") or (naming.verb == "unknown" and not has_id):
        return naming.verb
    makes_one = naming.verb == "create" or (naming.verb == "tell" and naming.is_named)
    # Where the id must be given, the thing may be there already: `book_room(room_id="r-1")` makes no second r-1.
    if makes_one and intent.id_argument not in required_of(call):
        return "create"
    if has_id and (effects_of(kind, naming, call.tool.description) or _names_fields(intent, call)):
        return "update"
    if naming.verb == "unknown":
        return "remove" if stem(naming.word) == "cancel" and intent.is_named else "unknown"
    is_there = id_text(call.arguments.get(intent.id_argument or "")) in kind.entities
    return "create" if naming.word in _MAKING or (naming.verb == "create" and not is_there) else "unknown"


def _only_one_with_field(naming: Naming, call: ToolCall, world: Ledger, types: tuple[str, ...]) -> str | None:
    """`get_balance()`, `set_count_mode(enabled)`: the type with one entity that has such a field."""
    words = naming.after or naming.before
    for name in types if naming.verb in ("read", "update") and words else ():
        kind = know(name, world, call.ledger_schema)
        if len(kind.entities) == 1 and kind.path_of("_".join(words)) is not None:
            return name
    return None


def _only_one(intent: Intent) -> str | None:
    """`get_account()`, `lock_car()`: the one there is, where nothing says which, and nothing new is made."""
    kind = intent.kind
    if kind is None or intent.id_argument is not None or intent.naming.plural:
        return None
    if intent.naming.verb in ("list", "create") or len(kind.entities) != 1:
        return None
    return next(iter(kind.entities))


def _names_fields(intent: Intent, call: ToolCall) -> bool:
    """Whether an unlisted verb comes with something to write: `new_date`, or the `reason` in `return_reason`."""
    kind, naming = intent.kind, intent.naming
    assert kind is not None
    return naming.verb == "unknown" and any(
        recorded_in(kind, naming.word, argument) is not None
        or (tokens(argument)[:1] == ("new",) and kind.path_of(argument) is not None)
        for argument in call.arguments
        if argument != intent.id_argument
    )


def _unnamed_type(naming: Naming, call: ToolCall, world: Ledger, types: tuple[str, ...]) -> str | None:
    """The type, where the verb's object is none: a new one, one mentioned, one whose id is given, the id's own."""
    if naming.verb == "create":
        return _new_type(naming.after, call.ledger_schema)
    given = [name for _, name in _types_by_id(call, types, world)]
    if given or naming.verb == "tell":
        return given[-1] if given else None
    return naming.entity_type or _type_of_id(naming, call, world, types)


def _new_type(words: Sequence[str], schema: LedgerSchema | None) -> str | None:
    """In an open ledger, creating something is how a type nobody has heard of comes into the world."""
    if schema is not None or not words:
        return None
    return "_".join((*words[:-1], singular(words[-1])))


def _types_by_id(call: ToolCall, types: tuple[str, ...], world: Ledger) -> list[tuple[str, str]]:
    """The arguments that are called after a type, such as `thing_id`, or after its id field, each with the type."""
    found = []
    for argument in arguments_of(call):
        noun = find_noun(id_noun(argument) or (), types)
        name = noun.entity_type if noun is not None else _type_by_id_field(argument, call, types, world)
        if name is not None:
            found.append((argument, name))
    return found


def _type_by_id_field(argument: str, call: ToolCall, types: tuple[str, ...], world: Ledger) -> str | None:
    """`get_quote(symbol)` where stocks are kept by their symbol; of several such types the one that is mentioned."""
    if id_noun(argument) == ():
        return None
    kinds = (know(name, world, call.ledger_schema) for name in types)
    found = [kind.name for kind in kinds if kind.id_field is not None and same_name(kind.id_field, argument)]
    mentioned = find_noun(tokens(call.tool.description), tuple(found)) if len(found) > 1 else None
    return mentioned.entity_type if mentioned is not None else found[0] if found else None


def _type_of_id(naming: Naming, call: ToolCall, world: Ledger, types: tuple[str, ...]) -> str | None:
    """`get_details_by_id`: the type that has such an id."""
    if naming.verb != "read":
        return None
    given = [id_text(value) for name, value in call.arguments.items() if id_noun(name) == ()]
    return next((name for name in types for each in given if each and world.entity(name, each)), None)


def _of_the_one_named_by_id(intent: Intent, call: ToolCall, types: tuple[str, ...]) -> Intent:
    """`change_owner_address(owner_id, …)` in a world that has addresses too: the id tells whose."""
    assert intent.kind is not None
    mentioned = (*intent.naming.before, *intent.naming.after, *intent.naming.aside)
    described = tokens(call.tool.description.partition(".")[0])
    for argument, name in _types_by_id(call, types, intent.kind.world):
        is_other = name != intent.kind.name and tokens(argument)[:1] != ("new",)
        is_described = is_other and intent.verb != "remove" and find_noun(described, (name,)) is not None
        if find_noun(mentioned, (name,)) is not None or is_described:
            naming = intent.naming._replace(
                entity_type=name, after=(*intent.naming.noun, *intent.naming.after)
            )
            return Intent(intent.verb, naming, intent.kind.other(name), argument)
    return intent


def arguments_of(call: ToolCall) -> list[str]:
    declared = call.tool.input_schema.get("properties")
    return list(dict.fromkeys([*(declared if isinstance(declared, dict) else ()), *call.arguments]))


def required_of(call: ToolCall) -> list[str]:
    required = call.tool.input_schema.get("required")
    return [name for name in required if isinstance(name, str)] if isinstance(required, list) else []


def find_id_argument(call: ToolCall, kind: Kind, naming: Naming) -> str | None:
    """The argument that says which entity is meant."""
    # The surest sign is looked for among all arguments before a weaker one is. For orders: the name of their
    # id field; `order_id`; `order`, if it is a text or an integer; at last the only thing that must be given.
    arguments = arguments_of(call)
    type_words = tokens(kind.name)
    for argument in arguments:
        if kind.id_field is not None and same_name(argument, kind.id_field):
            return argument
    for argument in arguments:
        noun = id_noun(argument)
        if noun is not None and tokens(argument)[-1] in ("id", "uuid") and are_tail(noun, type_words):
            return argument
    # What is left are guesses, and these verbs do without an id: a guess would turn a filter into one.
    if naming.verb in ("create", "list") or (naming.verb == "read" and naming.plural):
        return None
    for argument in arguments:
        named = tokens(argument) and are_tail(tokens(argument), type_words)
        if named and not kind.field_named(argument) and _is_scalar(call, argument):
            return argument
    return _only_required(call, kind)


def _is_scalar(call: ToolCall, argument: str) -> bool:
    properties = call.tool.input_schema.get("properties")
    declared = properties.get(argument) if isinstance(properties, dict) else None
    types = declared.get("type") if isinstance(declared, dict) else None
    return not _ID_TYPES.isdisjoint(types if isinstance(types, list) else [types])


def _only_required(call: ToolCall, kind: Kind) -> str | None:
    scalars = [name for name in required_of(call) if _is_scalar(call, name)]
    if len(scalars) != 1:
        return None
    (name,) = scalars
    about_another = id_noun(name) is not None or kind.path_of(name) is not None
    return None if about_another or is_search_text(name) else name
