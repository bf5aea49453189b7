"""Taking an upload from a request: which form it has, whether it is small enough, whether it is without fault."""

from typing import Any, NamedTuple

from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.errors import UnsupportedMediaTypeError
from odyssey.core.worker import Worker
from odyssey.library.datasets.columns import MAX_BYTES
from odyssey.library.datasets.errors import CsvTooLargeError
from odyssey.library.datasets.reading import Checked, check_rows
from odyssey.library.datasets.references import Named, Referred, look_up
from odyssey.library.datasets.sources import CsvSource, JsonSource, RowSource
from odyssey.library.datasets.spool import Spool, SpoolWriter
from odyssey.records.faults import Faults

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


class Sent(NamedTuple):
    """Rows as they arrived."""

    body: bytes
    is_csv: bool

    def source(self, faults: Faults) -> RowSource:
        """Begin to read; what is wrong with the form of a table goes to `faults`."""
        return CsvSource(self.body, faults) if self.is_csv else JsonSource(self.body)


async def read_sent(request: Request) -> Sent:
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
    return Sent(body, media_type == "text/csv")


async def receive(request: Request, session: AsyncSession, org_id: int, spool: Spool) -> Checked:
    """Take rows that are without fault, ready in the spool, or raise with every fault they have."""
    worker: Worker = request.app.state.worker
    sent = await read_sent(request)
    referred = await look_up(session, org_id, await worker.read(len(sent.body), named_in, sent))
    return await worker.read(len(sent.body), _check, sent, referred, spool.path)


def named_in(sent: Sent) -> Named:
    """Find the worlds that the rows speak of."""
    return Named(*sent.source(Faults(limit=0)).worlds())


def _check(sent: Sent, referred: Referred, path: str) -> Checked:
    faults = Faults()
    source = sent.source(faults)
    with SpoolWriter(path) as spool:
        checked = check_rows(source, referred, faults, spool)
    refusal = checked.refusal(is_csv=sent.is_csv)
    if refusal is not None:
        raise refusal
    return checked
