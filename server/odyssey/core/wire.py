"""Types that every wire schema shares."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Self, TypeVar

import msgspec
from pydantic import AfterValidator, BaseModel, ConfigDict, PlainSerializer, ValidationError

from odyssey.core.errors import JsonRefusedError, ValidationFailedError
from odyssey.kit.clock import rfc3339
from odyssey.kit.json_reader import JsonInvalidError, read_json
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

    def digest(self) -> Self:
        """Do what a large document takes and the database is not needed for, where it is read (`core.worker`).

        Only text should remain of what may be large: it has to come back to the server's process.
        """
        return self


def pack(items: list[Any]) -> Any:
    """Keep a list that may be large as JSON text, until it is read where there is room for it (`core.worker`)."""
    return msgspec.json.encode(items)


def packed(items: Any) -> bytes:
    """Return a list that was packed when it was validated; a default never was."""
    return items if isinstance(items, bytes) else msgspec.json.encode(items)


AnyBody = TypeVar("AnyBody", bound=Body)


def read_body(raw: bytes, model: type[AnyBody]) -> AnyBody | None:
    """Read a body as strict JSON into its model; null is none. Raises what the caller is to be told."""
    try:
        document = read_json(raw)
    except JsonInvalidError as error:
        raise JsonRefusedError(f"The body is not valid JSON: {error}.") from error
    if document is None:
        return None
    try:
        body = model.model_validate(document)
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)
        raise ValidationFailedError(pydantic_faults(found, "body")) from None
    return body.digest()


def pydantic_faults(errors: Sequence[Any], whole: str) -> FaultList:
    """Put pydantic's errors into our words; `whole` names the place of a fault that concerns all of the input."""
    faults = FaultList(_fault(item, whole) for item in errors[:MOST_FAULTS])
    faults.left_out = len(errors) - len(faults)
    return faults


def _fault(item: Any, whole: str) -> FieldError:
    path = tuple(part if isinstance(part, int) else str(part)[:100] for part in item["loc"]) or (whole,)
    return FieldError(path, f"{'.'.join(map(str, path))}: {item['msg']}")
