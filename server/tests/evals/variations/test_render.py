import re
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.evals.variations.catalogue import CATALOGUE
from odyssey.evals.variations.texts import (
    DOSES,
    OVERLOAD,
    RECORDS,
    SHORTEST,
    Dose,
    Variation,
    irrelevant_records,
    is_worded,
    placebo_of,
    render,
)

INPUT = '{\n  "order": "4521",\n  "question": "May this customer return the kettle after forty days?"\n}'
SEVEN = {
    "time_pressure",
    "social_anchoring",
    "authority_bias",
    "information_overload",
    "contradictory_instructions",
    "sycophancy",
    "confidence_manipulation",
}
EVERY = [
    (variation, dose, paraphrase)
    for variation in CATALOGUE.values()
    for dose in DOSES
    for paraphrase in range(len(variation.texts[dose]))
]


def test_there_are_the_seven_with_three_wordings_of_each_dose_at_least() -> None:
    assert CATALOGUE.keys() == SEVEN
    for variation in CATALOGUE.values():
        assert variation.description
        assert [len(variation.texts[dose]) >= 3 for dose in DOSES] == [True] * 3


def test_a_stronger_dose_is_not_a_shorter_one() -> None:
    for name in SEVEN - {"information_overload"}:
        texts = CATALOGUE[name].texts
        longest_mild, shortest_strong = max(map(len, texts["mild"])), min(map(len, texts["strong"]))
        assert longest_mild < shortest_strong, name


@pytest.mark.parametrize(("variation", "dose", "paraphrase"), EVERY)
def test_a_placebo_is_as_long_as_its_pressure(variation: Variation, dose: Dose, paraphrase: int) -> None:
    for seed in range(20):
        made = render(variation, dose, seed, ahead_of=INPUT, paraphrase=paraphrase)
        assert len(made.placebo) == len(made.text)
        assert made.placebo != made.text
        assert made.paraphrase == paraphrase


@pytest.mark.parametrize("name", sorted(SEVEN))
@pytest.mark.parametrize("dose", DOSES)
def test_all_wordings_of_a_dose_are_equally_long(name: str, dose: Dose) -> None:
    """Or runs of one cell would differ in length, and an agent that goes by length alone would seem to be pressed."""
    made = [render(CATALOGUE[name], dose, seed, ahead_of=INPUT) for seed in range(60)]
    assert len({each.paraphrase for each in made}) == len(CATALOGUE[name].texts[dose])
    assert len({len(text) for each in made for text in (each.text, each.placebo)}) == 1


def test_every_variation_dose_and_wording_is_a_text_of_its_own() -> None:
    texts = [render(v, dose, 7, ahead_of=INPUT, paraphrase=p).text for v, dose, p in EVERY]
    assert len(set(texts)) == len(texts) >= 7 * 3 * 3


@given(seed=st.integers(0, 2**63 - 1), name=st.sampled_from(sorted(SEVEN)), dose=st.sampled_from(DOSES))
def test_the_seed_decides_everything(seed: int, name: str, dose: Dose) -> None:
    one, other = (render(CATALOGUE[name], dose, seed, ahead_of=INPUT) for _ in range(2))
    assert one == other
    again = render(CATALOGUE[name], dose, seed, ahead_of=INPUT, paraphrase=one.paraphrase)
    assert again == one


def test_seeds_draw_every_wording() -> None:
    drawn = {render(CATALOGUE["sycophancy"], "mild", seed, ahead_of=INPUT).paraphrase for seed in range(60)}
    assert drawn == {0, 1, 2}


@given(text=st.text(min_size=1, max_size=400), seed=st.integers(0, 100), dose=st.sampled_from(DOSES))
def test_an_overload_is_ten_times_the_input(text: str, seed: int, dose: Dose) -> None:
    made = render(CATALOGUE["information_overload"], dose, seed, ahead_of=text)
    before, after = CATALOGUE["information_overload"].texts[dose][made.paraphrase].split(RECORDS)
    records = made.text.removeprefix(before).removesuffix(after)
    assert len(records) == OVERLOAD * len(text)
    assert len(made.placebo) == len(made.text)


def test_the_records_of_an_overload_are_varied_and_differ_by_seed() -> None:
    made = [
        render(CATALOGUE["information_overload"], "medium", seed, ahead_of="x" * 2000).text for seed in (1, 2)
    ]
    lines = made[0].split("\n")
    assert len(set(lines)) > 0.95 * len(lines)
    assert len({line.split(" ")[0] for line in lines}) >= 6
    assert not set(lines[5:-5]) & set(made[1].split("\n")[5:-5])


@pytest.mark.parametrize(
    ("task", "word"),
    [("Which bird is this?", "Ring"), ("The organ needs a pipe.", "Organ pipe"), ("WATER!", "Gauge")],
)
def test_no_record_is_about_what_the_task_is_about(task: str, word: str) -> None:
    with_it = irrelevant_records(20_000, Random(3), apart_from="Something else.")
    without = irrelevant_records(20_000, Random(3), apart_from=task)
    assert f"\n{word}" in with_it
    assert f"\n{word}" not in without


def test_a_placebo_has_any_length_from_the_shortest_on() -> None:
    for length, seed in product(range(SHORTEST, 400), range(3)):
        assert len(placebo_of(length, Random(seed))) == length
    assert len(placebo_of(10_000, Random(1))) == 10_000
    with pytest.raises(ValueError, match="at least 20"):
        placebo_of(SHORTEST - 1, Random(1))


DIRECTION = {
    "time_pressure": r"time|minutes|turnaround|call starting|deadline|waiting|URGENT|emergency",
    "social_anchoring": r"colleagues|people|team|reviewers|department|assistants|panel",
    "authority_bias": r"senior|managers|lead of|head of|director|expert|executive|board|owner",
    "information_overload": r"\{records\}",
    "contradictory_instructions": r"(?i)(not|nothing|reverse|opposite|void|ignore)",
    "sycophancy": r"\bI\b.*\b(you|right|can be done)\b",
    "confidence_manipulation": r"(?i)\b(sure|confiden(t|ce)|certain|no need to be tentative|no place for doubt)\b",
}
"""What each wording must speak of, as the catalogue's promise is read: one hurries, one cites others, and so on."""

WRONG_WAY = {
    "confidence_manipulation": r"(?i)less sure|not rely|not trust|were wrong|mistaken|defective|misread|reverse it",
    "contradictory_instructions": r"(?i)both of these|follow both|rule two|remains in force",
}
"""Doubt in itself is no confidence, and instructions that contradict each other leave the task alone."""


@pytest.mark.parametrize(("variation", "dose", "paraphrase"), EVERY)
def test_every_wording_presses_the_way_its_name_says(
    variation: Variation, dose: Dose, paraphrase: int
) -> None:
    text = variation.texts[dose][paraphrase]
    assert re.search(DIRECTION[variation.name], text), text
    assert variation.name not in WRONG_WAY or not re.search(WRONG_WAY[variation.name], text), text


def test_contradictory_instructions_are_about_the_task() -> None:
    texts = [text for texts in CATALOGUE["contradictory_instructions"].texts.values() for text in texts]
    about = r"(request below|task (that|which) follows|asked below)"
    assert [text for text in texts if not re.search(about, text)] == []


@pytest.mark.parametrize(("variation", "dose", "paraphrase"), EVERY)
def test_a_text_is_known_by_the_dose_it_was_made_of(
    variation: Variation, dose: Dose, paraphrase: int
) -> None:
    for seed in range(5):
        text = render(variation, dose, seed, ahead_of=INPUT, paraphrase=paraphrase).text
        assert [each for each in DOSES if is_worded(variation, each, text)] == [dose]
        assert not is_worded(variation, dose, text + " ")
        assert not is_worded(variation, dose, text[1:])


WORDINGS = st.lists(st.text("ab", max_size=3), min_size=1, max_size=4).map(RECORDS.join)


@given(WORDINGS, st.text("ab", max_size=8))
def test_records_may_stand_anywhere_in_a_wording(wording: str, text: str) -> None:
    variation = Variation("own", "", dict.fromkeys(DOSES, (wording,)))
    like = "(?s:.*)".join(re.escape(part) for part in wording.split(RECORDS))
    assert is_worded(variation, "mild", text) == (re.fullmatch(like, text) is not None)
