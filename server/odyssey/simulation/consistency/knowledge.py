"""What a check must know: of the types of a world, and of what a call is about."""

from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple

from odyssey.kit.caches import Same
from odyssey.kit.words import id_noun, phrase, same_name, same_nouns, tokens, word_set
from odyssey.records.tools import EntityField, LedgerSchema
from odyssey.simulation.engine import Answer, Reading, ToolCall
from odyssey.simulation.world.engine import WorldEngine
from odyssey.simulation.world.kinds import Anatomy, FieldPath, dissect, known_types
from odyssey.simulation.world.meaning import Intent, understand
from odyssey.simulation.world.naming import attribute, wants_id
from odyssey.worlds.entity_map import Sample
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.schema import id_text

# What a check must know of the types of a world: found out once, then kept as long as the types look the same.

_KEPT_TARGETS = 1000
_WORLD_ENGINE = WorldEngine()
_EXAMPLES = 2
"""Different ids by which a field is known to hold those of a type it is not called after."""
_NO_FIELDS: dict[str, EntityField] = {}


class TypeKnowledge(NamedTuple):
    anatomy: Anatomy
    declared: dict[str, EntityField] | None
    """The declared fields by name; None for a type no ledger schema declares."""

    def declaration(self, field: str) -> EntityField | None:
        return (self.declared or _NO_FIELDS).get(field)


class WorldKnowledge:
    """Equal only to itself; holds nothing of the entities but what a few of each type are made of."""

    __slots__ = ("_samples", "_targets", "id_names", "types")

    def __init__(self, types: dict[str, TypeKnowledge], samples: dict[str, Sample]) -> None:
        self.types = types
        self._samples = samples
        self.id_names: dict[str, tuple[str, ...]] = {}
        """The types whose ids stand in a member of this name."""
        for name in types:
            for field in self.names_of_id(name):
                self.id_names[field] = (*self.id_names.get(field, ()), name)
        self._targets: dict[tuple[str, str], tuple[str, ...]] = {}

    def names_of_id(self, entity_type: str) -> tuple[str, ...]:
        """The field that repeats the id; where ids are keys alone, what an answer may call them."""
        knowledge = self.types.get(entity_type)
        if knowledge is None:
            return ()
        if knowledge.anatomy.id_field is not None:
            return (knowledge.anatomy.id_field,)
        named = "_".join((*tokens(phrase(entity_type)), "id"))
        is_a_reference = any(named in each.anatomy.fields for each in self.types.values())
        return ("id",) if is_a_reference else ("id", named)

    def likeness(self, entity_type: str, shown: Mapping[str, Any]) -> int:
        """How many members of an object are called as fields of a type are."""
        knowledge = self.types.get(entity_type)
        return 0 if knowledge is None else sum(name in knowledge.anatomy.fields for name in shown)

    def is_a_part(self, shown: Mapping[str, Any]) -> bool:
        """Whether an object has the members of a part, which may point at an entity without being it."""
        return any(
            shown.keys() <= set(parts.members)
            for knowledge in self.types.values()
            for parts in knowledge.anatomy.collections
        )

    def pointed_at(self, entity_type: str, field: str) -> tuple[str, ...]:
        """The types of which a field of this type holds an id: `thing_id` of things; none if it is no reference."""
        if not field or field[-1] not in "dDsS":
            return ()  # neither an id nor ids: most fields, told at once
        key = (entity_type, field)
        found = self._targets.get(key)
        if found is None:
            if len(self._targets) >= _KEPT_TARGETS:
                self._targets.clear()  # whoever proposes operations chooses the names of fields
            found = self._targets[key] = tuple(self._find_targets(entity_type, field))
        return found

    def _find_targets(self, entity_type: str, field: str) -> list[str]:
        own = self.types.get(entity_type)
        if own is not None and own.anatomy.id_field == field:
            return []
        noun = id_noun(field) or ()
        return [
            name
            for name, knowledge in self.types.items()
            if same_nouns(noun, tokens(name)) or _is_name_of_id(field, knowledge.anatomy.id_field)
        ]

    def shown_to_hold(self, entity_type: str, field: str) -> str | None:
        """The one type whose ids the oldest entities have in a field not called after it: `watcher_ids` of agents."""
        sample = self._samples.get(entity_type) if id_noun(field) else None
        if sample is None or self.pointed_at(entity_type, field):
            return None
        ids = {text for fields in sample.entities.values() for text in all_texts(fields.get(field))}
        found = [name for name, each in self._samples.items() if ids <= each.entities.keys()]
        return found[0] if len(ids) >= _EXAMPLES and len(found) == 1 else None


def know_world(world: Ledger, schema: LedgerSchema | None) -> WorldKnowledge:
    names = known_types(world, schema)
    return _know(names, tuple(world.sample(name) for name in names), Same(schema))


@lru_cache(maxsize=256)
def _know(names: tuple[str, ...], samples: tuple[Sample, ...], same: Same) -> WorldKnowledge:
    schema: LedgerSchema | None = same.it
    declared = {entity.type: entity for entity in schema.entities} if schema else {}
    types: dict[str, TypeKnowledge] = {}
    for name, sample in zip(names, samples, strict=True):
        entity = declared.get(name)
        fields = None if entity is None else {field.name: field for field in entity.fields}
        types[name] = TypeKnowledge(dissect(sample, entity), fields)
    return WorldKnowledge(types, dict(zip(names, samples, strict=True)))


def _is_name_of_id(field: str, id_field: str | None) -> bool:
    """Whether a field is called as the ids of a type are; `id` alone could be anything's."""
    return id_field is not None and bool(id_noun(id_field)) and same_name(field, id_field)


# What a call is about: as its engine read it, else as the tool's name and the arguments say.

Act = Literal["look", "create", "update", "remove", "other"]

_LOOKING = word_set(
    "get fetch retrieve lookup find list search query browse describe enumerate count view inspect read"
)
"""Only those that never mean anything else: `check_in` and `load_truck` may well change something."""
_CHANGING = word_set("and or then create add insert update modify edit delete remove set mark")
"""With one of these in its name, `get_or_create_thing` is more than a look."""
_ACTS: dict[str, Act] = {
    "read": "look",
    "list": "look",
    "create": "create",
    "update": "update",
    "remove": "remove",
}


class CallMeaning:
    """Found out only as far as somebody asks: most answers of most engines need nothing of it."""

    def __init__(self, call: ToolCall, answer: Answer, before: Ledger) -> None:
        self._call = call
        self._before = before
        self._reading: Reading | None = answer.reading

    @cached_property
    def _intent(self) -> Intent:
        return understand(self._call, self._before)

    @cached_property
    def act(self) -> Act:
        if self._reading is not None:
            return _ACTS.get(self._reading.operation, "other")
        intent = self._intent
        if intent.naming.verb in ("read", "list"):
            surely = intent.naming.word in _LOOKING and _CHANGING.isdisjoint(tokens(self._call.tool.name))
            return "look" if surely else "other"
        return _ACTS.get(intent.verb, "other")

    @cached_property
    def entity_type(self) -> str | None:
        return self._intent.entity_type if self._reading is None else self._reading.entity_type

    def in_words(self) -> str:
        if self._reading is not None:
            return self._reading.in_words()
        intent = self._intent
        verb = intent.naming.verb if self.act == "look" else intent.verb
        return Reading(verb, intent.entity_type).in_words()

    @cached_property
    def one(self) -> tuple[str, str] | None:
        """Type and id of the entity that an argument names, whether it exists or not."""
        intent = self._intent
        if intent.kind is None or intent.id_argument is None:
            return None
        entity_id = id_text(self._call.arguments.get(intent.id_argument))
        return None if entity_id is None else (intent.kind.name, entity_id)

    def is_a_list(self) -> bool:
        return self._reading is not None and self._reading.operation == "list"

    def is_all_of_it(self) -> bool:
        """Whether its engine says that it shows entities whole."""
        return self._reading is not None and not self._reading.fields

    def is_that_one_alone(self) -> bool:
        """Whether the name says no more than `get_thing`: `get_similar_thing` is about another one."""
        naming = self._intent.naming
        return naming.is_named and not (naming.before or naming.after or naming.aside)

    def is_an_id(self) -> str | None:
        """The type whose id is all that is asked for, as in `find_thing_id`."""
        naming = self._intent.naming
        return naming.entity_type if naming.is_named and wants_id(naming) else None

    def field(self) -> FieldPath | None:
        """The field that is all that is asked for, as in `get_thing_status`."""
        kind, naming = self._intent.kind, self._intent.naming
        name = attribute(naming) if kind is not None and naming.is_named and not naming.before else None
        return None if kind is None or name is None else kind.path_of(name)

    def texts(self, path: FieldPath) -> list[Any]:
        """The texts that entities of the type have there; none where each has its own."""
        return [] if self._intent.kind is None else self._intent.kind.values_at(path)

    @cached_property
    def given(self) -> frozenset[str]:
        """Every id or text among the arguments, at any depth."""
        return frozenset(all_texts(self._call.arguments))

    @property
    def sequence(self) -> int:
        return self._call.sequence

    @property
    def intent(self) -> Intent:
        return self._intent

    @property
    def word(self) -> str:
        """The word of the tool's name that says what is done."""
        return self._intent.naming.word

    def is_plural(self) -> bool:
        """Whether the name says that several are meant, as `cancel_orders` does."""
        return self._intent.naming.plural

    @cached_property
    def expected(self) -> Answer:
        """What the world engine would answer."""
        return _WORLD_ENGINE.answer(self._call, self._before)


def all_texts(arguments: Any) -> Iterator[str]:
    waiting = [arguments]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        elif (text := id_text(value)) is not None:
            yield text
