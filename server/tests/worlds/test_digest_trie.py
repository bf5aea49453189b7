"""The hash tree: its root says what it holds and nothing about how it came to hold it."""

import random

from hypothesis import given
from hypothesis import strategies as st

from odyssey.worlds.entity_map import DigestTrie

CONTENTS = st.dictionaries(st.text(max_size=3), st.binary(max_size=3), max_size=40)


def built(contents: dict[str, bytes]) -> DigestTrie:
    return DigestTrie.of(contents.items())


@given(CONTENTS, CONTENTS)
def test_roots_are_equal_exactly_when_contents_are(left: dict[str, bytes], right: dict[str, bytes]) -> None:
    assert (built(left).digest == built(right).digest) == (left == right)


@given(CONTENTS, CONTENTS, st.randoms())
def test_the_way_to_a_content_leaves_no_trace(
    start: dict[str, bytes], end: dict[str, bytes], order: random.Random
) -> None:
    trie = built(start)
    before = trie.digest
    steps = [*start.keys() - end.keys(), *end]
    order.shuffle(steps)
    moved = trie
    for entity_id in steps:
        moved = moved.set(entity_id, end[entity_id]) if entity_id in end else moved.remove(entity_id)
    assert moved.digest == built(end).digest
    assert trie.digest == before


@given(CONTENTS)
def test_removing_what_is_not_there_changes_nothing(contents: dict[str, bytes]) -> None:
    assert built(contents).remove("not there").digest == built(contents).digest


def test_an_id_and_its_content_cannot_be_confused() -> None:
    pairs = [{"a": b"bc"}, {"ab": b"c"}, {"": b"abc"}, {"abc": b""}, {}]
    assert len({built(pair).digest for pair in pairs}) == len(pairs)
