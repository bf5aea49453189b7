"""Types that every wire schema shares."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, PlainSerializer

from odyssey.kit.clock import rfc3339
from odyssey.records.problems import MOST_FAULTS, FaultList, FieldError


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


def pydantic_faults(errors: Sequence[Any], whole: str) -> FaultList:
    """Put pydantic's errors into our words; `whole` names the place of a fault that concerns all of the input."""
    faults = FaultList(_fault(item, whole) for item in errors[:MOST_FAULTS])
    faults.left_out = len(errors) - len(faults)
    return faults


def _fault(item: Any, whole: str) -> FieldError:
    path = tuple(part if isinstance(part, int) else str(part)[:100] for part in item["loc"]) or (whole,)
    return FieldError(path, f"{'.'.join(map(str, path))}: {item['msg']}")
