"""Importing entities from a file over HTTP."""

from typing import Annotated, Any, NamedTuple

from fastapi import Query, Request

from odyssey.core.depends import ClockDep, ObjectId, ReadAhead, WorkerDep, WriteSession
from odyssey.core.errors import JsonRefusedError, UnsupportedMediaTypeError
from odyssey.core.wire import PlainText
from odyssey.identity.guard import GuardedRouter, Member
from odyssey.journal.contents import load_text
from odyssey.kit.json_reader import JsonInvalidError, read_json
from odyssey.library.named_worlds.keep import WorldKeeper
from odyssey.library.named_worlds.render import summary, would_be
from odyssey.library.named_worlds.repository import get_world
from odyssey.library.named_worlds.rows import Rows, read_csv_rows, read_json_rows
from odyssey.library.named_worlds.schemas import ImportedOut
from odyssey.library.named_worlds.state import LONGEST_TYPE, Prepared, prepare
from odyssey.library.named_worlds.take_in import ImportCounts, Mode, take_in
from odyssey.worlds.stored_state import StoredState

router = GuardedRouter(prefix="/api/worlds", tags=["worlds"])

_BODY: dict[str, Any] = {
    "required": True,
    "content": {
        "text/csv": {
            "schema": {"type": "string", "description": "UTF-8, separated by commas, with a header."}
        },
        "application/json": {
            "schema": {
                "anyOf": [
                    {"type": "array", "items": {"type": "object"}},
                    {"type": "object", "additionalProperties": {"type": "object"}},
                ],
                "description": "A list of objects, or objects by id.",
            }
        },
    },
}


class _Wanted(NamedTuple):
    entity_type: str
    id_field: str | None
    mode: Mode


class _Imported(NamedTuple):
    imported: int
    warnings: list[str]
    taken: ImportCounts
    state: Prepared


@router.post("/{world_id}/import", openapi_extra={"requestBody": _BODY})
async def import_entities(
    world_id: ObjectId,
    caller: Member,
    session: WriteSession,
    read_ahead: ReadAhead,
    clock: ClockDep,
    worker: WorkerDep,
    request: Request,
    entity_type: Annotated[PlainText, Query(min_length=1, max_length=LONGEST_TYPE)],
    id_field: Annotated[
        PlainText | None,
        Query(min_length=1, max_length=256, description="Default: `id`, else the type followed by `_id`."),
    ] = None,
    mode: Annotated[
        Mode,
        Query(description="`merge` adds and updates; `replace` also removes what the file does not have."),
    ] = "merge",
    dry_run: Annotated[bool, Query(description="Say what would happen and save nothing.")] = False,
) -> ImportedOut:
    """Take entities of one type from a table or from JSON. A fault names its row, counted from 0, and its column.

    In a table an empty cell is a field the entity does not have, and a column is JSON where each of its cells is a
    number, true, false, null, an object or an array.
    """
    async with read_ahead() as ahead:
        world = await get_world(ahead, caller.org_id, world_id)
        text = await load_text(ahead, world.org_id, world.state_hash)
    wanted = _Wanted(entity_type, id_field, mode)
    into = _from_csv if _media_type(request) == "text/csv" else _from_json
    body = await request.body()
    done = await worker.read(len(text) + len(body), into, text, body, wanted)
    if dry_run:
        after = await would_be(session, world, done.state)
    else:
        keeper = WorldKeeper(session, clock, caller)
        after = await summary(
            session, await keeper.put_state(world_id, world.state_hash, done.state, "world.import")
        )
    counts = done.taken._asdict()
    return ImportedOut(imported=done.imported, warnings=done.warnings, world=after, **counts)


def _media_type(request: Request) -> str:
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in ("text/csv", "application/json"):
        raise UnsupportedMediaTypeError("Send the rows as Content-Type: text/csv or application/json.")
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise UnsupportedMediaTypeError("Send the body as it is, without Content-Encoding.")
    return media_type


def _from_csv(text: str, body: bytes, wanted: _Wanted) -> _Imported:
    return _into(text, read_csv_rows(body, wanted.entity_type, wanted.id_field), wanted)


def _from_json(text: str, body: bytes, wanted: _Wanted) -> _Imported:
    try:
        document = read_json(body)
    except JsonInvalidError as error:
        raise JsonRefusedError(f"The body is not valid JSON: {error}.") from error
    return _into(text, read_json_rows(document, wanted.entity_type, wanted.id_field), wanted)


def _into(text: str, rows: Rows, wanted: _Wanted) -> _Imported:
    state = StoredState.read(text)
    taken = take_in(state, wanted.entity_type, rows.rows, wanted.mode)
    return _Imported(len(rows.rows), rows.warnings, taken, prepare(state))
