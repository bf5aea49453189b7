"""Making the text of a pressure and its placebo: the same seed gives the same texts."""

from random import Random
from typing import NamedTuple

from odyssey.evals.variations.irrelevant import irrelevant_records
from odyssey.evals.variations.placebo import blank_lines, placebo_of
from odyssey.evals.variations.variation import RECORDS, Dose, Variation

OVERLOAD = 10
"""How many times the input `information_overload` adds."""


class Injection(NamedTuple):
    text: str
    placebo: str
    """Presses for nothing and is as long."""
    paraphrase: int
    """Which of the dose's wordings it is, from 0."""


def render(
    variation: Variation, dose: Dose, seed: int, *, ahead_of: str, paraphrase: int | None = None
) -> Injection:
    """Make an injection for one run. `ahead_of` is the input it is put before; the seed draws what is not given."""
    texts = variation.texts[dose]
    drawn = Random(f"paraphrase {variation.name} {seed}").randrange(len(texts))  # noqa: S311 - not a secret
    number = drawn if paraphrase is None else paraphrase
    random = Random(f"{variation.name} {dose} {number} {seed}")  # noqa: S311 - not a secret
    text = texts[number]
    if RECORDS not in text:
        return Injection(text, placebo_of(len(text), random), number)
    records = irrelevant_records(OVERLOAD * len(ahead_of), random, apart_from=ahead_of)
    text = text.replace(RECORDS, records)
    return Injection(text, blank_lines(len(text)), number)


def is_worded(variation: Variation, dose: Dose, text: str) -> bool:
    """Say whether a run that got this text got one of the dose's wordings, whichever records were drawn for it."""
    return any(_is_rendered_from(wording, text) for wording in variation.texts[dose])


def _is_rendered_from(wording: str, text: str) -> bool:
    first, *others = wording.split(RECORDS)
    if not others:
        return text == wording
    *inner, last = others
    if not (text.startswith(first) and text.endswith(last)):
        return False
    end = len(first)
    for part in inner:
        start = text.find(part, end)
        if start < 0:
            return False
        end = start + len(part)
    return end + len(last) <= len(text)


def example_placebo(text: str) -> str:
    """Make a placebo of one wording, to be shown; every run draws its own."""
    if RECORDS in text:
        return blank_lines(len(text))
    return placebo_of(len(text), Random(0))  # noqa: S311 - not a secret
