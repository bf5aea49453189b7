"""Entities that are written beside the one the call is about, and have nothing to do with it."""

from collections.abc import Iterator

from odyssey.kit.words import id_noun, tokens, word_set
from odyssey.records.ledger import Add, Remove, Update, Violation
from odyssey.simulation.consistency.knowledge import CallMeaning, all_texts
from odyssey.simulation.consistency.notation import is_number, words_of
from odyssey.simulation.engine import Answer, ToolCall
from odyssey.worlds.ledger import Ledger, json_equal
from odyssey.worlds.schema import id_text

Write = Add | Update | Remove

_SEVERAL = word_set(
    "all every each other others both remaining rest related linked cascade cascades bulk batch swap swaps exchange "
    "merge merges reorder sort shift sync several multiple siblings queue everyone everything"
)
"""Words of a name or a description by which a tool changes more than one."""


def check_beside(call: ToolCall, answer: Answer, meant: CallMeaning, before: Ledger) -> Iterator[Violation]:
    """Name what is changed without being named by the call, linked to what it names, or told of by the tool."""
    writes = [each for each in answer.operations if isinstance(each, Write)]
    right = [each for each in writes if each.id in meant.given or isinstance(each, Add)]
    if not right or _changes_several(call, meant):
        return
    links = _Links(right, meant, before)
    for each in writes:
        if each in right or not _changes(each, before) or links.explain(each):
            continue
        if meant.act == "other" and not _is_the_same_again(each, right):
            continue
        message = (
            f"{call.tool.name} is about {_name(right[0])}, "
            f"but {_name(each)} is written as well, which the call neither names nor leads to"
        )
        yield Violation("wrong_entity", each.entity_type, each.id, None, message, call.sequence)
    yield from _check_second(call, answer, meant, [each for each in right if isinstance(each, Add)])


def _changes_several(call: ToolCall, meant: CallMeaning) -> bool:
    words = {*tokens(call.tool.name), *words_of(call.tool.description)}
    return not words.isdisjoint(_SEVERAL) or meant.is_plural()


class _Links:
    """What the written entities that a call names point at, and who they are."""

    def __init__(self, right: list[Write], meant: CallMeaning, before: Ledger) -> None:
        self._right = right
        self._before = before
        self._types = {each.entity_type for each in right}
        self._ids = {each.id for each in right}
        self._given = meant.given
        self._mentioned = frozenset(text for each in right for text in _texts(each, before))

    def explain(self, write: Write) -> bool:
        """Whether a write beside the right ones may follow from them."""
        texts = _texts(write, self._before)
        if isinstance(write, Remove):
            # What points at them goes with them; what they point at, the owner of an order, stays.
            return not texts.isdisjoint(
                self._ids - {write.id} if write.entity_type in self._types else self._given
            )
        points = not texts.isdisjoint(self._ids) or write.id in self._mentioned
        if points or write.entity_type in self._types:
            return points or self._gives_way(write) or _is_a_step(write, self._before)
        fields = {**(self._before.entity(write.entity_type, write.id) or {}), **write.fields}
        return any(
            id_noun(name) is not None and id_text(value) in self._mentioned for name, value in fields.items()
        )

    def _gives_way(self, write: Add | Update) -> bool:
        """Whether it loses what another gets, as one default gives way to the next."""
        lost = {name: not value for name, value in write.fields.items() if isinstance(value, bool)}
        return len(lost) == len(write.fields) and any(
            isinstance(each, Update) and all(each.fields.get(name) is value for name, value in lost.items())
            for each in self._right
        )


def _texts(write: Write, before: Ledger) -> set[str]:
    """What an entity says before and after, since either may point somewhere."""
    stood = dict(before.entity(write.entity_type, write.id) or {})
    return {*all_texts(stood), *all_texts({} if isinstance(write, Remove) else write.fields)}


def _changes(write: Write, before: Ledger) -> bool:
    stood = before.entity(write.entity_type, write.id)
    if stood is None or not isinstance(write, Update):
        return stood is not None
    return any(
        name not in stood or not json_equal(stood[name], value) for name, value in write.fields.items()
    )


def _is_a_step(write: Add | Update, before: Ledger) -> bool:
    """Whether only numbers change, each by one: those behind move up."""
    stood = before.entity(write.entity_type, write.id) or {}
    changed = [(value, stood.get(name)) for name, value in write.fields.items() if stood.get(name) != value]
    return bool(changed) and all(
        is_number(new) and is_number(old) and abs(new - old) == 1 for new, old in changed
    )


def _is_the_same_again(write: Write, right: list[Write]) -> bool:
    """Whether an entity of the same type gets the same fields: what was to be done once is done twice."""
    return any(
        write.entity_type == each.entity_type
        and (
            isinstance(each, Remove)
            if isinstance(write, Remove)
            else not isinstance(each, Remove) and write.fields.keys() <= each.fields.keys()
        )
        for each in right
    )


def _check_second(call: ToolCall, answer: Answer, meant: CallMeaning, adds: list[Add]) -> Iterator[Violation]:
    """One is asked for and shown, and another of its type is made that nothing tells of."""
    same = [each for each in adds if each.entity_type == meant.entity_type]
    if (
        meant.act != "create"
        or len(same) < 2
        or any(isinstance(each, list) for each in call.arguments.values())
    ):
        return
    if any(is_number(each) and each >= len(same) for each in call.arguments.values()):
        return
    told = set(all_texts(answer.response))
    untold = [each for each in same if each.id not in told and not _is_linked(each, same)]
    if untold and len(untold) < len(same):
        message = f"{call.tool.name} makes one {untold[0].entity_type}, but {untold[0].id!r} is made as well"
        yield Violation("wrong_entity", untold[0].entity_type, untold[0].id, None, message, call.sequence)


def _is_linked(write: Add, others: list[Add]) -> bool:
    return any(
        each.id in all_texts(write.fields) or write.id in all_texts(each.fields)
        for each in others
        if each is not write
    )


def _name(write: Write) -> str:
    return f"{write.entity_type} {write.id!r}"
