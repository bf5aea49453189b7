import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.behaviours import BEHAVIOURS

from odyssey.evals.behaviour import Behaviour, BehaviourCall
from odyssey.evals.distance import PARTS, Weights, distance, distance_matrix, explain
from odyssey.evals.parts import FirstDifference
from odyssey.records.ledger import Difference, EntityChange

NUMBERS = st.floats(0, 5)
WEIGHTS = (
    st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS)
    .filter(lambda given: any(weight > 1e-3 for weight in given))
    .map(lambda given: Weights(*(weight if weight > 1e-3 else 0 for weight in given)))
)
REFUND = Behaviour(
    {"status": "refunded"},
    (BehaviourCall("look", {"order": "1"}), BehaviourCall("refund", {"order": "1", "amount": 20})),
    Difference(
        [EntityChange("changed", "order", "1", {"status": "paid"}, {"status": "refunded"}, ["status"])],
        [],
        [],
    ),
    "Your refund is on its way.",
)
REFUND_CALL = {"tool": "refund", "arguments": {"order": "1", "amount": 20}}


@given(BEHAVIOURS, WEIGHTS)
def test_a_behaviour_is_at_no_distance_from_itself(behaviour: Behaviour, weights: Weights) -> None:
    assert distance(behaviour, behaviour, weights) == 0
    assert explain(behaviour, behaviour, weights).moved is None


@settings(max_examples=60)
@given(BEHAVIOURS, BEHAVIOURS, WEIGHTS)
def test_a_distance_is_symmetric_and_between_zero_and_one(
    left: Behaviour, right: Behaviour, weights: Weights
) -> None:
    found = distance(left, right, weights)
    assert 0 <= found <= 1
    assert found == pytest.approx(distance(right, left, weights))


@settings(max_examples=60)
@given(BEHAVIOURS, BEHAVIOURS, WEIGHTS)
def test_the_explanation_adds_up_to_the_distance(left: Behaviour, right: Behaviour, weights: Weights) -> None:
    explained = explain(left, right, weights)
    assert explained.distance == pytest.approx(distance(left, right, weights))
    assert sum(part.contribution for part in explained.parts) == pytest.approx(explained.distance)
    assert sum(part.weight for part in explained.parts) == pytest.approx(1 if explained.parts else 0)
    for part in explained.parts:
        assert part.distance == 0 or part.first_difference is not None


@settings(max_examples=30)
@given(st.lists(BEHAVIOURS, max_size=4))
def test_a_matrix_holds_the_distances_of_all_pairs(behaviours: list[Behaviour]) -> None:
    matrix = distance_matrix(behaviours)
    expected = [[distance(left, right) for right in behaviours] for left in behaviours]
    assert matrix == pytest.approx(np.array(expected).reshape(matrix.shape))
    assert (matrix == matrix.T).all()


def test_nothing_in_common_is_one() -> None:
    other = Behaviour({"decision": 0}, (BehaviourCall("wait", {}),), Difference([], ["late"], []), "No.")
    assert distance(REFUND, other) == 1
    assert distance(REFUND, Behaviour()) == 1


def test_parts_that_neither_run_has_do_not_count() -> None:
    left, right = (
        Behaviour(text="yes", calls=(BehaviourCall("look", {}),)),
        Behaviour(text="no", calls=(BehaviourCall("look", {}),)),
    )
    assert distance(left, right) == pytest.approx(0.1 / 0.4)
    assert [part.part for part in explain(left, right).parts] == ["calls", "text"]


def test_weights_say_what_counts() -> None:
    left, right = (
        Behaviour(text="yes", calls=(BehaviourCall("look", {}),)),
        Behaviour(text="no", calls=(BehaviourCall("look", {}),)),
    )
    assert distance(left, right, Weights(text=0)) == 0
    assert distance(left, right, Weights(calls=0)) == 1


@pytest.mark.parametrize(
    "given", [(-1, 1, 1, 1), (0, 0, 0, 0), (float("nan"), 1, 1, 1), (float("inf"), 1, 1, 1)]
)
def test_weights_that_weigh_nothing_are_refused(given: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="weights"):
        Weights(*given)


def test_the_parts_are_the_fields_of_the_weights() -> None:
    assert Weights.__struct_fields__ == PARTS


@pytest.mark.parametrize(
    ("change", "part", "first"),
    [
        (
            {"structured": {"status": "refused"}},
            "structured",
            FirstDifference("$.status", "refunded", "refused"),
        ),
        ({"calls": REFUND.calls[:1]}, "calls", FirstDifference("call 2", REFUND_CALL, None)),
        (
            {"ledger": None},
            "ledger",
            FirstDifference("ledger.changed", {"order": {"1": {"status": "refunded"}}}, None),
        ),
        (
            {"text": "Your refund was refused."},
            "text",
            FirstDifference("word 3", "is on its way", "was refused"),
        ),
    ],
)
def test_the_explanation_says_which_part_moved(
    change: dict[str, object], part: str, first: FirstDifference
) -> None:
    fields = {name: getattr(REFUND, name) for name in Behaviour.__struct_fields__}
    moved = explain(REFUND, Behaviour(**{**fields, **change})).moved
    assert moved is not None
    assert (moved.part, moved.first_difference) == (part, first)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [("agent_5xx", "agent_5xx", 0), ("agent_5xx", "agent_timeout", 1), ("agent_5xx", None, 1)],
)
def test_a_failure_is_like_the_same_failure_only(left: str, right: str | None, expected: float) -> None:
    other = Behaviour(failure=right) if right else REFUND
    assert distance(Behaviour(failure=left), other) == expected
    explained = explain(Behaviour(failure=left), other)
    assert explained.distance == expected
    assert explained.parts[0].part == "failure"
