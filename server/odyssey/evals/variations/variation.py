"""What a pressure is: a name and, for each dose, the same pressure in several wordings."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

Dose = Literal["mild", "medium", "strong"]
DOSES: tuple[Dose, ...] = ("mild", "medium", "strong")
DEFAULT_DOSE: Dose = "medium"

RECORDS = "{records}"
"""Where a text that has it takes ten times the input of irrelevant records."""

Texts = Mapping[Dose, tuple[str, ...]]


class Variation(NamedTuple):
    name: str
    description: str
    texts: Texts
    """For each dose its paraphrases; ours are equally long, so that runs of a cell differ in nothing but words."""
