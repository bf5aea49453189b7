import pytest

from odyssey.evals.parts import FirstDifference, first_text_difference, text_distance


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("", "", 0),
        ("Done.", "done!", 0),
        ("all is well", "", 1),
        ("all is well", "all is lost", 1 / 3),
        ("返金しました", "返金しません", 1 / 3),
        ("👍", "👎", 1),
        ("👍", "👍 ", 0),
    ],
)
def test_texts_differ_by_words(left: str, right: str, expected: float) -> None:
    assert text_distance(left, right) == pytest.approx(expected)
    assert text_distance(right, left) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("left", "right", "first"),
    [
        ("all is well", "All is lost", FirstDifference("word 3", "well", "lost")),
        ("all is well", "all is", FirstDifference("word 3", "well", None)),
        ("all is well", "all is well!", None),
        ("👍", "👎", FirstDifference("text", "👍", "👎")),
    ],
)
def test_the_first_word_that_differs(left: str, right: str, first: FirstDifference | None) -> None:
    assert first_text_difference(left, right) == first
