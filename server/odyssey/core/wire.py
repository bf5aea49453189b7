"""Types that every wire schema shares."""

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, PlainSerializer

from odyssey.kit.clock import rfc3339


def _without_nul(text: str) -> str:
    if "\x00" in text:
        raise ValueError("must not contain the character NUL")
    return text


PlainText = Annotated[str, AfterValidator(_without_nul)]
"""Text a person wrote as a name or a note; Postgres cannot keep NUL in it."""

Instant = Annotated[datetime, PlainSerializer(rfc3339, return_type=str)]
"""A moment on the wire: RFC 3339 with `Z`."""


class Body(BaseModel):
    """A request body: unknown members and wrong types are errors, never guesses."""

    model_config = ConfigDict(extra="forbid", strict=True)
