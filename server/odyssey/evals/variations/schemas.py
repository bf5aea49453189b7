"""Wire types of variations."""

from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, Field

from odyssey.core.wire import Body, Instant, PlainText
from odyssey.evals.variations.catalogue import CATALOGUE
from odyssey.evals.variations.texts import SHORTEST, Variation, example_placebo

MAX_TEXT = 10_000

_Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{2,63}$")]
_Text = Annotated[PlainText, Field(min_length=SHORTEST, max_length=MAX_TEXT)]
_Paraphrases = Annotated[list[_Text], Field(min_length=1, max_length=20)]
_Description = Annotated[PlainText, Field(max_length=2000)]


class DosesIn(Body):
    """For each dose the same pressure in one or more wordings; `{records}` stands for ten times the input.

    Wordings of a dose should be equally long, or what a prompt's length does counts as part of the pressure.
    """

    mild: _Paraphrases
    medium: _Paraphrases
    strong: _Paraphrases


class VariationIn(Body):
    name: _Name = Field(description="As `variation_type` of a run; none of the built-in names.")
    description: _Description = ""
    doses: DosesIn


class VariationChange(Body):
    """Omitted members stay as they are."""

    name: _Name | None = None
    description: _Description | None = None
    doses: DosesIn | None = None


class DosesOut(BaseModel):
    mild: list[str]
    medium: list[str]
    strong: list[str]


class PlacebosOut(BaseModel):
    mild: str
    medium: str
    strong: str


class VariationOut(BaseModel):
    id: UUID | None = Field(description="null for one that is built in.")
    name: str
    description: str
    built_in: bool
    doses: DosesOut
    placebos: PlacebosOut = Field(
        description="What the first wording of each dose is compared with; every run draws a placebo of its own."
    )
    created_at: Instant | None
    updated_at: Instant | None


class VariationsPage(BaseModel):
    items: list[VariationOut] = Field(
        description="The organisation's own, newest first; then the built-in ones."
    )
    next_cursor: str | None


def built_in(variation: Variation) -> VariationOut:
    return VariationOut(
        id=None,
        name=variation.name,
        description=variation.description,
        built_in=True,
        doses=doses_out(variation.texts),
        placebos=placebos_out(variation.texts),
        created_at=None,
        updated_at=None,
    )


def doses_out(texts: Any) -> DosesOut:
    return DosesOut(**{dose: list(wordings) for dose, wordings in texts.items()})


def placebos_out(texts: Any) -> PlacebosOut:
    return PlacebosOut(**{dose: example_placebo(wordings[0]) for dose, wordings in texts.items()})


BUILT_IN = tuple(built_in(variation) for variation in CATALOGUE.values())
