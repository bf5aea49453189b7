"""What a call is about: as its engine read it, else as the tool's name and the arguments say."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Literal

from odyssey.kit.words import tokens, word_set
from odyssey.simulation.engine import Answer, Reading, ToolCall
from odyssey.simulation.world.anatomy import FieldPath
from odyssey.simulation.world.meaning import Intent, understand
from odyssey.simulation.world.projection import attribute, wants_id
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.schema import id_text

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


class Meant:
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
        return frozenset(_texts(self._call.arguments))


def _texts(arguments: Any) -> Iterator[str]:
    waiting = [arguments]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        elif (text := id_text(value)) is not None:
            yield text
