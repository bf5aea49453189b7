"""What each argument of a look-up is for: a filter, a bound, a text to find, the order, or the page."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

from odyssey.kit.words import same_name, same_noun, stem, tokens, word_set
from odyssey.simulation.world.kinds import Collection, FieldPath, Kind
from odyssey.simulation.world.ordering import Order, described_order
from odyssey.worlds.field_index import Path, PathStep

_LIMITS = word_set("limit max_results page_size per_page top max_items num_results size count")
_OFFSETS = word_set("offset skip cursor page_token next_token start_index")
_PAGES = word_set("page page_number page_no")
_SORTS = word_set("sort sort_by order_by sort_field sort_key sorted_by")
_DIRECTIONS = word_set("order sort_order direction sort_direction sort_dir descending desc ascending")
_TEXTS = word_set("query q search keyword keywords term search_term search_text text search_query")
_CONTAINS = frozenset({"contains", "like", "matches", "containing", "includes"})
_LOWER = word_set("min minimum from after since start starting lowest over above gte gt")
_UPPER = word_set("max maximum to before until till end ending highest under below lte lt")
_STRICT = word_set("after before over under above below gt lt")
_FULL_NAME = ("first_name", "last_name")
_TIMES = word_set("date time at on day datetime timestamp")


class Filter(NamedTuple):
    argument: str
    path: Path
    values: tuple[Any, ...]
    """Any of them will do."""


class RangeBound(NamedTuple):
    argument: str
    path: FieldPath
    side: Literal["low", "high"]
    strict: bool
    value: Any


class TextSearch(NamedTuple):
    argument: str
    path: FieldPath | None
    """None: anywhere in the entity."""
    text: str
    whole: bool = False
    """Whether all the words found there must be this text: a full name against its parts."""
    among: tuple[str, ...] = ()
    """The only fields that are searched, where that is known."""


class PartRole(NamedTuple):
    """One part of each entity is meant: that under this key."""

    argument: str
    collection: Collection
    key: str


class Selection(NamedTuple):
    filters: list[Filter]
    bounds: list[RangeBound]
    texts: list[TextSearch]
    parts: list[PartRole]
    ignored: list[str]
    """Arguments that name nothing this type has."""

    def by(self) -> list[str]:
        return [each.argument for group in self[:4] for each in group]

    def as_texts(self) -> "Selection":
        """The same, with texts that need only occur where a filter wants them to be all there is."""
        loose = [each for each in self.filters if _is_text(each)]
        texts = [TextSearch(each.argument, _names(each.path), each.values[0]) for each in loose]
        strict = [each for each in self.filters if not _is_text(each)]
        return self._replace(filters=strict, texts=[*self.texts, *texts])


def _is_text(wanted: Filter) -> bool:
    plain = all(isinstance(step, str) for step in wanted.path)
    return plain and len(wanted.values) == 1 and isinstance(wanted.values[0], str)


def _names(path: Path) -> FieldPath:
    return tuple(step for step in path if isinstance(step, str))


class ListingPage(NamedTuple):
    order: Order | None
    offset: int
    limit: int | None


def is_search_text(argument: str) -> bool:
    return "_".join(tokens(argument)) in _TEXTS


def select(kind: Kind, arguments: Mapping[str, Any]) -> Selection:
    """Sort the arguments by what they are for; those about order and page are left to `page`."""
    # Of doors with a name, a price and a created_at:
    #   name="Front"                 a filter: a field is called so
    #   min_price=5                  a bound: price from 5 on
    #   created_after="2024-05-01"   a bound: created_at later than that day
    #   query="fr"                   a text to be found anywhere
    #   limit=3                      left to `page`
    #   colour="red"                 ignored, which makes the answer less certain
    selection = Selection([], [], [], [], [])
    for argument, value in arguments.items():
        path = kind.path_of(argument)
        if path is not None:
            _by_field(selection, kind, argument, path, value)
        elif not (_is_control(argument) or _by_words(selection, kind, argument, value)):
            selection.ignored.append(argument)
    return selection


def page(
    kind: Kind, arguments: Mapping[str, Any], description: str = "", filters: Iterable[str] = ()
) -> ListingPage:
    """Which of them are shown, and in what order; `filters` are the arguments that "by" may speak of."""
    controls = {
        "_".join(tokens(name)): value
        for name, value in arguments.items()
        if _is_control(name) and kind.path_of(name) is None
    }
    limit = _count(controls, _LIMITS)
    offset = _count(controls, _OFFSETS) or 0
    number = _count(controls, _PAGES)
    if number is not None and limit is not None:
        offset = max(number - 1, 0) * limit
    return ListingPage(
        _order(kind, controls) or described_order(kind, description, tuple(filters)), offset, limit
    )


def _is_control(argument: str) -> bool:
    return "_".join(tokens(argument)) in _LIMITS | _OFFSETS | _PAGES | _SORTS | _DIRECTIONS


def _count(controls: Mapping[str, Any], names: frozenset[str]) -> int | None:
    for name, value in controls.items():
        if name in names and isinstance(value, str) and value.isascii() and value.isdecimal():
            value = int(value[:9])  # Python refuses to read thousands of digits; nine are enough for any list
        if name in names and isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
    return None


def _order(kind: Kind, controls: Mapping[str, Any]) -> Order | None:
    named = next(
        (value for name, value in controls.items() if name in _SORTS and isinstance(value, str)), None
    )
    if not named:
        return None
    words = tokens(named)
    descending = named.startswith("-") or words[-1:] in (("desc",), ("descending",))
    if words[-1:] and words[-1] in ("asc", "desc", "ascending", "descending"):
        words = words[:-1]
    for name, value in controls.items():
        if name in _DIRECTIONS:
            falls = str(value).lower().startswith("desc") or (value is True and name.startswith("desc"))
            descending = descending or falls
    path = kind.path_of("_".join(words))
    return None if path is None else Order(path, descending)


def _by_field(selection: Selection, kind: Kind, argument: str, path: FieldPath, value: Any) -> None:
    anatomy = kind.anatomy
    collection = anatomy.collection(path[0])
    if isinstance(value, str) and collection is not None and collection.by_key:
        selection.parts.append(PartRole(argument, collection, value))
    elif isinstance(value, str) and value in anatomy.members(path[0]):
        return  # `cabin="ECONOMY"` where every flight has a record of cabins, by these names
    elif isinstance(value, str) and anatomy.has(path, "object") and len(anatomy.members(path[0])) > 0:
        selection.texts.append(TextSearch(argument, path, value, whole=True))
    elif anatomy.has(path, "array"):
        values = tuple(value) if isinstance(value, list) else (value,)
        selection.filters.append(Filter(argument, (*path, PathStep.EACH), values))
    elif isinstance(value, list):
        selection.filters.append(Filter(argument, path, tuple(value)))
    else:
        selection.filters.append(Filter(argument, path, (value,)))


def _by_words(selection: Selection, kind: Kind, argument: str, value: Any) -> bool:
    """Arguments that are no field's name: `min_price`, `created_after`, `query`, `day` where days are parts."""
    words = tokens(argument)
    bound = _bound(kind, argument, words, value)
    if bound is not None:
        selection.bounds.append(bound)
        return True
    day = _day(kind, words, value)
    if day is not None:
        # Both bounds are that day, whatever the hour.
        selection.bounds.append(RangeBound(argument, day, "low", strict=False, value=value))
        selection.bounds.append(RangeBound(argument, day, "high", strict=False, value=value))
        return True
    if isinstance(value, str) and is_search_text(argument):
        selection.texts.append(TextSearch(argument, None, value))
        return True
    if isinstance(value, str) and words[-1:] == ("name",) and {*_FULL_NAME} <= {*kind.fields}:
        selection.texts.append(TextSearch(argument, None, value, among=_FULL_NAME))
        return True
    if isinstance(value, bool) and "only" in words:
        return not value or _only(selection, kind, argument, words)
    if isinstance(value, bool) and words[:1] in (("include",), ("with",), ("show",)):
        return value or _but(selection, kind, argument, words[1:])
    if isinstance(value, str) and len(words) > 1 and words[-1] in _CONTAINS:
        path = kind.path_of("_".join(words[:-1]))
        selection.texts.append(TextSearch(argument, path, value))
        return True
    return _by_part(selection, kind, argument, value)


def _only(selection: Selection, kind: Kind, argument: str, words: tuple[str, ...]) -> bool:
    """`open_only`: those that are open, where that is a switch or a status."""
    wanted = tuple(word for word in words if word not in ("only", "is"))
    for name in kind.fields:
        said = tuple(word for word in tokens(name) if word not in ("is", "has"))
        if said == wanted and kind.anatomy.has((name,), "boolean"):
            selection.filters.append(Filter(argument, (name,), (True,)))
            return True
    for name in (name for name in kind.fields if tokens(name)[-1:] in (("status",), ("state",))):
        values = tuple(value for value in kind.known_values(name) if tokens(value) == wanted)
        if values:
            selection.filters.append(Filter(argument, (name,), values))
            return True
    return False


def _but(selection: Selection, kind: Kind, argument: str, words: tuple[str, ...]) -> bool:
    """`include_archived=false`: all that are not archived."""
    for name in kind.fields:
        said = tuple(word for word in tokens(name) if word not in ("is", "has"))
        if said == words and kind.anatomy.has((name,), "boolean"):
            selection.filters.append(Filter(argument, (name,), (False,)))
            return True
    for name in (name for name in kind.fields if tokens(name)[-1:] in (("status",), ("state",))):
        values = kind.known_values(name)
        kept = tuple(value for value in values if tokens(value) != words)
        if len(kept) < len(values):
            selection.filters.append(Filter(argument, (name,), kept))
            return True
    return False


def _day(kind: Kind, words: tuple[str, ...], value: Any) -> FieldPath | None:
    """`date="2024-05-01"` is about the only moment an entity has, whatever that is called."""
    if (
        words[-1:] not in (("date",), ("day",), ("month",))
        or not isinstance(value, str)
        or not value[:1].isdigit()
    ):
        return None
    dates = [name for name in kind.anatomy.dates if not kind.anatomy.has((name,), "null")] or [
        *kind.anatomy.dates
    ]
    return (dates[0],) if len(dates) == 1 else None


def _by_part(selection: Selection, kind: Kind, argument: str, value: Any) -> bool:
    for collection in kind.anatomy.collections:
        if collection.by_key and isinstance(value, str) and collection.id_member(argument) is not None:
            selection.parts.append(PartRole(argument, collection, value))
            return True
        member = next((name for name in collection.members if same_name(name, argument)), None)
        member = member or collection.id_member(argument)
        if member is not None:
            values = tuple(value) if isinstance(value, list) else (value,)
            selection.filters.append(Filter(argument, (collection.field, PathStep.EACH, member), values))
            return True
    return False


def _bound(kind: Kind, argument: str, words: tuple[str, ...], value: Any) -> RangeBound | None:
    is_date = isinstance(value, str) and value[:1].isdigit()  # `from_town` is where, not since when
    if not is_date and (not isinstance(value, int | float) or isinstance(value, bool)):
        return None
    for place in (0, -1):
        word = words[place] if words else ""
        if word not in _LOWER | _UPPER:
            continue
        rest = words[1:] if place == 0 else words[:-1]
        path = kind.path_of("_".join(rest)) if rest else None
        path = path or _time_field(kind, rest)
        if path is not None:
            side: Literal["low", "high"] = "low" if word in _LOWER else "high"
            return RangeBound(argument, path, side, word in _STRICT, value)
    return None


def _time_field(kind: Kind, words: tuple[str, ...]) -> FieldPath | None:
    """`created_after` is about `created_at`; `since` and `start_date` about the only date there is."""
    dates = [name for name in kind.fields if tokens(name) and tokens(name)[-1] in _TIMES]
    about = [word for word in words if word not in _TIMES]
    if about:
        dates = [
            name
            for name in kind.fields
            if len(tokens(name)) <= len(about) + 1 and all(_is_in(word, tokens(name)) for word in about)
        ]
    return (dates[0],) if len(dates) == 1 else None


def _is_in(word: str, words: tuple[str, ...]) -> bool:
    return any(same_noun(word, each) or stem(word) == stem(each) for each in words)
