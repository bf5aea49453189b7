"""The record of effects: every change in order, what was undone, and what was no change."""

from hypothesis import given
from hypothesis import strategies as st

from odyssey.records.effects import WorldStep, effects_of
from odyssey.records.ledger import Add, ClearFlag, Entry, Operation, Remove, SetFlag, Update
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import apply, difference

STATE = {"order": {"a": {"n": 1}, "b": {"n": 2}}}
ids = st.sampled_from("abc")
fields = st.fixed_dictionaries({"n": st.integers(0, 2)})
flags = st.sampled_from(("vip", "seen"))
operations: st.SearchStrategy[Operation] = st.one_of(
    st.builds(Add, st.just("order"), ids, fields),
    st.builds(Update, st.just("order"), ids, fields),
    st.builds(Remove, st.just("order"), ids),
    st.builds(SetFlag, flags),
    st.builds(ClearFlag, flags),
)


@given(st.lists(operations, max_size=8))
def test_what_was_not_undone_is_the_difference_of_the_two_worlds(made: list[Operation]) -> None:
    before = Ledger.boot(STATE, ["vip"])
    applied = apply(before, made, "off")
    steps = [WorldStep(n, "act", "odyssey", True, entry) for n, entry in enumerate(applied.entries)]
    effects = effects_of(steps, before.flags)
    net = difference(before, applied.ledger)
    changed = {(each.entity_type, each.id) for each in net.changes}
    changed |= {("flags", flag) for flag in (*net.flags_set, *net.flags_cleared)}
    assert {each.subject for each in effects.changes if not each.undone} == changed
    assert [each.step for each in effects.changes] == sorted({each.step for each in effects.changes})


def test_a_record_of_a_live_call_is_no_change() -> None:
    step = WorldStep(2, "get_order", "passthrough", True, Entry("record"))
    assert effects_of([step], frozenset()).changes == ()


def test_locations_are_the_outermost_places_that_differ() -> None:
    before, after = {"a": {"x": 1, "y": [1, 2]}, "b": 1}, {"a": {"x": 1, "y": [1, 3]}, "c": 1}
    entry = Entry("update", "order", "o1", before=before, after=after)
    (effect,) = effects_of([WorldStep(2, "act", "odyssey", True, entry)], frozenset()).changes
    assert effect.locations() == [("order", "o1", "a", "y", 1), ("order", "o1", "b"), ("order", "o1", "c")]
    assert effect.in_words() == "changes order 'o1' (a, b, c)"
