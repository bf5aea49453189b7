from hypothesis import given
from hypothesis import strategies as st

from odyssey.evals.scenarios.content import RiskLevel
from odyssey.reviews.new_item import Queue, rank

RISKS: list[RiskLevel] = ["critical", "high", "medium", "low"]
PLACES = st.tuples(st.sampled_from(Queue), st.sampled_from(RISKS), st.none() | st.floats(-0.5, 1))


@given(PLACES, PLACES)
def test_the_queue_counts_before_the_risk_and_the_risk_before_the_shift(
    one: tuple[Queue, RiskLevel, float | None], other: tuple[Queue, RiskLevel, float | None]
) -> None:
    def key(place: tuple[Queue, RiskLevel, float | None]) -> tuple[int, int, float]:
        queue, risk, shift = place
        return queue, RISKS.index(risk), -max(0.0, shift or 0.0)

    if key(one) < key(other):
        assert rank(*one) <= rank(*other)
    if key(one)[:2] < key(other)[:2]:
        assert rank(*one) < rank(*other)


def test_shifts_are_told_apart_and_the_place_fits_a_column() -> None:
    shifts = [1.0, 0.75, 0.749999, 0.5, 0.0]
    places = [rank(Queue.flagged, "high", shift) for shift in shifts]
    assert places == sorted(set(places))
    assert 0 <= rank(Queue.confirmed, "critical", 1.0) < rank(Queue.sample, "low", None) < 2**31
