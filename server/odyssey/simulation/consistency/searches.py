"""What a look-up must find, and what may be kept from it: held against lists, counts and "not found"."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from odyssey.kit.words import stem, tokens, word_set
from odyssey.simulation.consistency.knowledge import CallMeaning
from odyssey.simulation.consistency.notation import may_say_the_same
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.world.answer import WorldQuestion
from odyssey.simulation.world.finding import is_within
from odyssey.simulation.world.kinds import Kind
from odyssey.simulation.world.reads import SearchResult, search
from odyssey.simulation.world.roles import ListingPage, page
from odyssey.simulation.world.status import status_filters
from odyssey.worlds.field_index import values_at
from odyssey.worlds.ledger import Ledger

_PARTIAL = re.compile(
    r"recent|latest|newest|lately|upcoming|to come|future|past\b|next\b|first\b|last\b|top\b|best|page|up to|relevant"
    r"|nearby|featured|suggest|recommend|available|eligible|popular|similar|random|sample|visible|allowed|who take",
    re.IGNORECASE,
)
"""What a description says of a tool that does not show all that it could."""
_GONE = frozenset(
    stem(each)
    for each in word_set(
        "cancelled deleted archived removed closed inactive expired voided draft hidden disabled withdrawn retired "
        "terminated suspended blocked revoked deactivated discontinued"
    )
)
_THERE = frozenset(stem(each) for each in word_set("active enabled visible published available listed"))
_ASIDE = frozenset({"is", "was", "has", "at", "on", "date"})


class Search(NamedTuple):
    """The entities that a look-up asks for."""

    kind: Kind
    found: SearchResult
    ids: frozenset[str]
    page: ListingPage

    def shows_all(self, call: ToolCall) -> bool:
        """Whether nothing says that a part of them would do."""
        return not (
            self.page.limit is not None
            or self.page.offset
            or any(name.startswith(("page", "cursor")) for name in call.arguments)
            or _PARTIAL.search(call.tool.description)
            or _PARTIAL.search(" ".join(tokens(call.tool.name)))
        )

    def passes(self, entity_id: str) -> bool:
        """Whether an entity is one of them, or would be in another notation."""
        if entity_id in self.ids:
            return True
        selection = self.found.selection
        if set(self.found.by) - set(selection.by()):
            return False  # told by a list that an owner keeps, or by the ids themselves
        fields = self.kind.entities[entity_id]
        return self.fits(entity_id) and all(is_within(fields, bound) for bound in selection.bounds)

    def fits(self, entity_id: str) -> bool:
        """Whether an entity has what the filters want; what a search finds by a part of a word does not."""
        fields = self.kind.entities[entity_id]
        return all(
            any(
                may_say_the_same(wanted, each)
                for wanted in one.values
                for each in values_at(fields, one.path)
            )
            for one in self.found.selection.filters
        )


def find_search(call: ToolCall, meant: CallMeaning, before: Ledger) -> Search | None:
    """What is looked for, if every argument says so by the value of a field; None if the tool may mean more."""
    intent = meant.intent
    kind, naming = intent.kind, intent.naming
    if meant.act != "look" or kind is None or not naming.is_named:
        return None
    if naming.before and not status_filters(kind, naming):
        return None  # `list_similar_things` is about some that no field tells
    found = search(WorldQuestion(call, intent, kind))
    if found.selection.ignored or found.selection.texts or found.selection.parts:
        return None
    return Search(kind, found, frozenset(found.ids), page(kind, call.arguments))


def is_gone(fields: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
    """Whether an entity may be kept from look-ups: deleted, archived or cancelled, unless just that is asked for."""
    for name, value in fields.items():
        words = [stem(word) for word in tokens(name) if word not in _ASIDE]
        if not words or name in arguments:
            continue
        if words[-1] in _GONE and value:
            return True
        if words[-1] in _THERE and value is False:
            return True
        is_status = words[-1] in (stem("status"), stem("state"))
        if is_status and isinstance(value, str) and any(stem(each) in _GONE for each in tokens(value)):
            return True
    return False
