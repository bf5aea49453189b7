import pytest

from odyssey.evals.parts import as_tree, first_ledger_difference, ledger_distance
from odyssey.records.ledger import Difference, EntityChange


def added(entity_id: str, **fields: object) -> EntityChange:
    after = {"ticket_id": entity_id, **fields}
    return EntityChange("added", "ticket", entity_id, None, after, sorted(after))


def changed(entity_id: str, **fields: object) -> EntityChange:
    return EntityChange("changed", "order", entity_id, {}, {**fields, "kept": 1}, sorted(fields))


def difference(*changes: EntityChange, flags_set: tuple[str, ...] = ()) -> Difference:
    return Difference(list(changes), list(flags_set), [])


def distance(left: Difference | None, right: Difference | None) -> float:
    return ledger_distance(as_tree(left), as_tree(right))


def test_a_world_that_was_not_changed_is_an_empty_tree() -> None:
    assert as_tree(None) == as_tree(difference()) == {}
    assert distance(None, difference()) == 0
    assert distance(None, difference(flags_set=("vip",))) == 1


def test_only_what_changed_counts() -> None:
    assert distance(
        difference(changed("1", status="paid")), difference(changed("1", status="paid", by="ann"))
    ) == (pytest.approx(1 / 3))
    assert distance(difference(changed("1", status="paid")), difference(changed("2", status="paid"))) == 1


def test_ids_made_up_during_the_run_do_not_count() -> None:
    left = difference(added("t-aa", seat="4A"), added("t-zz", seat="5B"))
    right = difference(added("t-01", seat="5B"), added("t-02", seat="4A"))
    assert distance(left, right) == 0
    assert distance(left, difference(added("t-01", seat="5B"))) == pytest.approx(1 / 3)


def test_an_entity_that_went_is_not_one_that_changed() -> None:
    gone = EntityChange("removed", "order", "1", {}, None, [])
    assert distance(difference(gone), difference(changed("1", status="gone"))) == 1
    assert distance(difference(gone), difference(gone)) == 0


def test_the_first_difference_names_entity_and_field() -> None:
    left, right = (as_tree(difference(changed("1", status=status))) for status in ("paid", "open"))
    found = first_ledger_difference(left, right)
    assert found is not None
    assert found.where == "ledger.changed.order.1.status"
