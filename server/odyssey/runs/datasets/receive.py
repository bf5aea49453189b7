"""Taking an upload from a request: which form it has, whether it is small enough, whether it is without fault."""

import asyncio
from typing import Any, NamedTuple

from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.errors import UnsupportedMediaTypeError
from odyssey.records.faults import Faults
from odyssey.runs.datasets.columns import MAX_BYTES
from odyssey.runs.datasets.errors import CsvTooLargeError
from odyssey.runs.datasets.reading import Checked, check_rows
from odyssey.runs.datasets.references import Referred, look_up
from odyssey.runs.datasets.sources import CsvSource, JsonSource, RowSource
from odyssey.runs.datasets.spool import Spool

BODY: dict[str, Any] = {
    "required": True,
    "content": {
        "text/csv": {
            "schema": {"type": "string", "description": "UTF-8, separated by commas, with a header."}
        },
        "application/json": {
            "schema": {
                "type": "array",
                "items": {"type": "object"},
                "description": "A list of seeds, as a request for runs takes them.",
            }
        },
    },
}


async def read_source(request: Request, faults: Faults) -> RowSource:
    """Take the body; what is wrong with the form of a table goes to `faults`."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in ("text/csv", "application/json"):
        raise UnsupportedMediaTypeError("Send the rows as Content-Type: text/csv or application/json.")
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise UnsupportedMediaTypeError("Send the body as it is, without Content-Encoding.")
    declared = request.headers.get("content-length", "0")
    if declared.isdecimal() and int(declared[:20]) > MAX_BYTES:
        raise CsvTooLargeError
    body = await request.body()
    if len(body) > MAX_BYTES:
        raise CsvTooLargeError
    if media_type == "text/csv":
        return CsvSource(body, faults)
    return await asyncio.to_thread(JsonSource, body)


class Received(NamedTuple):
    """Rows that were found to be without fault."""

    source: RowSource
    referred: Referred
    checked: Checked


async def receive(
    request: Request, session: AsyncSession, org_id: int, spool: Spool | None = None
) -> Received:
    """Take rows that are without fault, or raise with every fault they have."""
    faults = Faults()
    source = await read_source(request, faults)
    referred = await look_up(session, org_id, source)
    checked = await asyncio.to_thread(check_rows, source, referred, faults, spool)
    refusal = checked.refusal(is_csv=source.is_csv)
    if refusal is not None:
        raise refusal
    return Received(source, referred, checked)
