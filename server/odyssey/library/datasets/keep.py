"""Creating, changing and deleting datasets: a name, and rows by revision."""

import asyncio
import hashlib
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.errors import UnsupportedMediaTypeError
from odyssey.core.worker import Worker
from odyssey.identity.caller import Caller, record_change
from odyssey.kit.clock import Clock
from odyssey.library.datasets.columns import MAX_BYTES, CsvTooLargeError
from odyssey.library.datasets.reading import (
    ReadyRow,
    Spool,
    SpoolWriter,
    TableCheck,
    WorldLookup,
    check_rows,
    look_up,
)
from odyssey.library.datasets.repository import get_dataset, store_documents, store_rows, write_alone
from odyssey.library.datasets.sources import CsvSource, JsonSource, RowSource
from odyssey.library.models import Dataset
from odyssey.records.faults import Faults


class Upload(NamedTuple):
    """Rows that were found to be without fault, ready to be stored."""

    checked: TableCheck
    spool: Spool


class DatasetKeeper:
    """The acts on datasets, with what they all need."""

    def __init__(self, session: AsyncSession, clock: Clock, caller: Caller) -> None:
        self._session = session
        self._clock = clock
        self.caller = caller

    async def create(self, name: str, upload: Upload) -> Dataset:
        now = self._clock()
        dataset = Dataset(org_id=self.caller.org_id, name=name, revision=1, created_at=now, updated_at=now)
        _describe(dataset, upload.checked)
        self._session.add(dataset)
        await self._session.flush()
        rows = await self._write(dataset, upload)
        self._audit(dataset, "dataset.create", after=_shown(dataset) | {"rows": rows})
        return dataset

    async def change(self, dataset_id: int, name: str | None, upload: Upload | None) -> Dataset:
        """Give another name or other rows; the rows it had stay, because runs go by them."""
        dataset = await get_dataset(self._session, self.caller.org_id, dataset_id, lock=True)
        before, after = _shown(dataset), {}
        if name is not None:
            dataset.name = name
        if upload is not None:
            dataset.revision += 1
            _describe(dataset, upload.checked)
            after["rows"] = await self._write(dataset, upload)
        if _shown(dataset) != before:
            dataset.updated_at = self._clock()
            self._audit(dataset, "dataset.change", before=before, after=_shown(dataset) | after)
            await self._session.flush()
        return dataset

    async def delete(self, dataset_id: int) -> None:
        """Take the name away; rows stay, because runs go by them."""
        dataset = await get_dataset(self._session, self.caller.org_id, dataset_id, lock=True)
        dataset.deleted_at = self._clock()
        self._audit(dataset, "dataset.delete", before=_shown(dataset))

    async def _write(self, dataset: Dataset, upload: Upload) -> str:
        """Store all rows, some at a time; returns a hash of them."""
        await write_alone(self._session, dataset.org_id)
        digest = hashlib.sha256()
        now = self._clock()
        while (part := await asyncio.to_thread(upload.spool.next_part)) is not None:
            await store_documents(self._session, dataset.org_id, part.documents)
            await store_rows(self._session, [_task(row, dataset, now) for row in part.rows])
            for row in part.rows:
                digest.update(row.row_hash.encode("ascii"))
        return digest.hexdigest()

    def _audit(self, dataset: Dataset, action: str, *, before: Any = None, after: Any = None) -> None:
        record_change(
            self._session,
            self.caller,
            self._clock,
            action,
            object_type="dataset",
            object_id=dataset.id,
            before=before,
            after=after,
        )


def _task(row: ReadyRow, dataset: Dataset, now: datetime) -> dict[str, Any]:
    return {
        "org_id": dataset.org_id,
        "seed": msgspec.Raw(row.seed),
        "initial_state_hash": row.initial_state_hash,
        "conduct_hash": row.conduct_hash,
        "dataset_id": dataset.id,
        "revision": dataset.revision,
        "position": row.position,
        "row_hash": row.row_hash,
        "created_at": now,
    }


def _describe(dataset: Dataset, checked: TableCheck) -> None:
    dataset.row_count = checked.row_count
    dataset.columns = checked.columns
    dataset.warnings = [warning.msg for warning in checked.warnings]


def _shown(dataset: Dataset) -> dict[str, Any]:
    return {"name": dataset.name, "revision": dataset.revision}


# Taking an upload from a request: which form it has, whether it is small enough, whether it is without fault.

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


class RawRows(NamedTuple):
    """Rows as they arrived."""

    body: bytes
    is_csv: bool

    def source(self, faults: Faults) -> RowSource:
        """Begin to read; what is wrong with the form of a table goes to `faults`."""
        return CsvSource(self.body, faults) if self.is_csv else JsonSource(self.body)


async def read_sent(request: Request) -> RawRows:
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
    return RawRows(body, media_type == "text/csv")


async def receive(
    request: Request, session: AsyncSession, worker: Worker, org_id: int, spool: Spool
) -> TableCheck:
    """Take rows that are without fault, ready in the spool, or raise with every fault they have."""
    sent = await read_sent(request)
    referred = await look_up(session, org_id, await worker.read(len(sent.body), named_in, sent))
    return await worker.read(len(sent.body), _check, sent, referred, spool.path)


def named_in(sent: RawRows) -> tuple[set[str], set[int]]:
    """Find the worlds that the rows speak of, by text and by id."""
    return sent.source(Faults(limit=0)).worlds()


def _check(sent: RawRows, referred: WorldLookup, path: str) -> TableCheck:
    faults = Faults()
    source = sent.source(faults)
    with SpoolWriter(path) as spool:
        checked = check_rows(source, referred, faults, spool)
    refusal = checked.refusal(is_csv=sent.is_csv)
    if refusal is not None:
        raise refusal
    return checked
