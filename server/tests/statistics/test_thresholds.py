import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.statistics.thresholds import FEWEST_VERDICTS, LEAST_GAIN, ShiftVerdict, suggest_threshold

SHIFTS = st.floats(0, 1)
VERDICTS = st.lists(st.builds(ShiftVerdict, SHIFTS, st.booleans()), max_size=40)
PRESENT = st.floats(0, 1)


def verdicts(right: list[float], wrong: list[float]) -> list[ShiftVerdict]:
    return [ShiftVerdict(shift, True) for shift in right] + [ShiftVerdict(shift, False) for shift in wrong]


def wrong_calls(given: list[ShiftVerdict], threshold: float) -> int:
    return sum(each.should_be_flagged != (each.shift > threshold) for each in given)


def test_flags_that_were_wrong_raise_the_threshold_just_above_them() -> None:
    found = suggest_threshold(verdicts([0.8] * 6, [0.55, 0.58, 0.6, 0.62]), 0.5)
    assert (found.suggested, found.verdicts, found.wrong_now, found.wrong_then) == (0.62, 10, 4, 0)
    assert (
        found.explanation
        == "10 verdicts: the present threshold of 0.5 makes 4 wrong calls, 0.62 would make 0."
    )


def test_misses_lower_it_just_below_them() -> None:
    found = suggest_threshold(verdicts([0.41, 0.45, *[0.9] * 5], [0.1, 0.2, 0.3]), 0.5)
    assert (found.suggested, found.wrong_now, found.wrong_then) == (0.4, 2, 0)


def test_few_verdicts_suggest_nothing() -> None:
    found = suggest_threshold(verdicts([], [0.9] * 9), 0.5)
    assert (found.suggested, found.wrong_now, found.wrong_then) == (None, 9, None)
    assert found.explanation == "9 verdicts so far; a suggestion needs at least 10."
    assert suggest_threshold([], 0.5).explanation.startswith("0 verdicts so far; ")
    assert suggest_threshold(verdicts([0.6], []), 0.5).explanation.startswith("1 verdict so far; ")


def test_one_verdict_alone_moves_nothing() -> None:
    found = suggest_threshold(verdicts([0.8] * 10, [0.55]), 0.5)
    assert (found.suggested, found.wrong_now) == (None, 1)
    assert found.explanation == (
        "11 verdicts: the present threshold of 0.5 makes 1 wrong call, and none makes at least 2 fewer."
    )


def test_a_threshold_that_flags_everything_or_nothing_is_not_suggested() -> None:
    assert suggest_threshold(verdicts([], [1.0] * 20), 0.5).suggested is None
    assert suggest_threshold(verdicts([0.0] * 20, []), 0.5).suggested is None


def test_the_threshold_itself_is_not_above_it() -> None:
    assert suggest_threshold(verdicts([], [0.5] * 10), 0.5).wrong_now == 0


@pytest.mark.parametrize(("present", "nearest"), [(0.45, 0.39), (0.5, 0.6)])
def test_of_equals_the_nearest_to_the_present_is_suggested(present: float, nearest: float) -> None:
    found = suggest_threshold(verdicts([0.4] * 3 + [0.8] * 4, [0.2] * 3 + [0.6] * 3), present)
    assert (found.suggested, found.wrong_now, found.wrong_then) == (nearest, 6, 3)


@given(VERDICTS, PRESENT)
def test_it_is_never_worse_than_the_present_one(given: list[ShiftVerdict], present: float) -> None:
    found = suggest_threshold(given, present)
    assert found.verdicts == len(given)
    assert found.wrong_now == wrong_calls(given, present)
    if found.suggested is None:
        assert found.wrong_then is None
    else:
        assert len(given) >= FEWEST_VERDICTS
        assert found.wrong_then == wrong_calls(given, found.suggested) <= found.wrong_now - LEAST_GAIN


@given(VERDICTS, PRESENT)
def test_no_hundredth_is_better(given: list[ShiftVerdict], present: float) -> None:
    found = suggest_threshold(given, present)
    fewest = min(wrong_calls(given, each / 100) for each in range(1, 100))
    if found.suggested is not None:
        equals = [each / 100 for each in range(1, 100) if wrong_calls(given, each / 100) == fewest]
        assert found.wrong_then == fewest
        assert abs(found.suggested - present) == min(abs(each - present) for each in equals)
    elif len(given) >= FEWEST_VERDICTS:
        assert found.wrong_now - fewest < LEAST_GAIN


@given(VERDICTS.flatmap(lambda each: st.tuples(st.just(each), st.permutations(each))), PRESENT)
def test_the_order_of_verdicts_does_not_matter(
    orders: tuple[list[ShiftVerdict], list[ShiftVerdict]], present: float
) -> None:
    one, other = (suggest_threshold(order, present) for order in orders)
    assert one == other


@given(VERDICTS, PRESENT)
def test_the_explanation_says_of_how_many_verdicts(given: list[ShiftVerdict], present: float) -> None:
    found = suggest_threshold(given, present)
    assert found.explanation.startswith(f"{len(given)} verdict")
    if found.suggested is not None:
        assert f"{found.suggested:g} would make {found.wrong_then}." in found.explanation
