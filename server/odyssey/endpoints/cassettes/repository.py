"""All SQL of cassettes. Every look-up names the org."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec
from sqlalchemy import Row, Text, column, delete, func, insert, select, table, type_coerce
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.errors import NotFoundError
from odyssey.core.group_commit import Statement
from odyssey.core.paging import ListOrder, PageRequest
from odyssey.core.tables import table_of
from odyssey.endpoints.cassettes.playback import Interaction, Playback, Replay
from odyssey.endpoints.models import Cassette, CassetteInteraction
from odyssey.journal.models import Event, RunContext
from odyssey.kit.pagination import Page
from odyssey.records.canonical import content_hash

CASSETTE_ORDER = ListOrder(
    Cassette.number,
    {
        "name": Cassette.name,
        "run_id": Cassette.run_id,
        "agent_id": Cassette.agent_id,
        "created_at": Cassette.created_at,
    },
)
MAX_INTERACTIONS = 10_000
MAX_BYTES = 16 * 1024 * 1024
"""Of all arguments and responses: a run that replays them has them in memory."""

_INTERACTIONS = table_of(CassetteInteraction)
# Runs and batches are made above this room; it asks of them only whether they still go on.
_RUNS = table("runs", column("id"), column("status"), column("attempt"))
_BATCHES = table("batches", column("id"), column("org_id"), column("campaign_id"), column("cassette", Text))
_CAMPAIGNS = table("campaigns", *map(column, ("id", "state", "planned_runs", "made_runs")))
_GOING_ON = ("pending", "running")

# Postgres wants one type of a parameter that stands in two places.
_CAPTURE = """
INSERT INTO cassette_interactions (cassette_id, run_id, attempt, sequence, occurred_at, tool_name, arguments_hash,
    source, endpoint_id, endpoint_name, endpoint_type, upstream_tool, status, is_error, read_only, bytes,
    arguments, response)
SELECT cassettes.id, events.run_id, events.attempt, events.sequence, events.occurred_at, CAST(:tool_name AS TEXT),
    CAST(:arguments_hash AS TEXT), :source, :endpoint_id, :endpoint_name, :endpoint_type, :upstream_tool, :status,
    :is_error, :read_only, CAST(:bytes AS INTEGER), :arguments, :response
FROM events JOIN cassettes ON cassettes.id = :cassette_id AND cassettes.org_id = :org_id
WHERE events.run_id = :run_id AND events.sequence = :sequence
AND (SELECT coalesce(sum(bytes), 0) FROM cassette_interactions WHERE cassette_id = :cassette_id)
    + CAST(:bytes AS INTEGER) <= :max_bytes
AND (SELECT count(*) FROM cassette_interactions WHERE cassette_id = :cassette_id) < :max_interactions
AND NOT EXISTS (SELECT 1 FROM cassette_interactions AS kept WHERE kept.cassette_id = :cassette_id
    AND kept.number > :last_number
    AND kept.tool_name = CAST(:tool_name AS TEXT) AND kept.arguments_hash = CAST(:arguments_hash AS TEXT)
    AND (kept.run_id <> events.run_id OR kept.attempt <> events.attempt))
"""


class CassetteSize(NamedTuple):
    interactions: int
    bytes: int
    last_number: int


EMPTY = CassetteSize(0, 0, 0)


class RecordedRun(NamedTuple):
    """A run as a recorder sees it."""

    context: RunContext
    status: str
    attempt: int


async def load_playback(session: AsyncSession, org_id: int, cassette: Mapping[str, Any]) -> Playback:
    """Read what a run replays, as its context has it."""
    replay = msgspec.convert(cassette, Replay)
    rows = await session.execute(
        select(_INTERACTIONS)
        .join(Cassette, Cassette.id == _INTERACTIONS.c.cassette_id)
        .where(Cassette.org_id == org_id, Cassette.id == replay.id)
        .where(_INTERACTIONS.c.number <= replay.last_number)
    )
    return Playback([as_interaction(row) for row in rows], replay.match)


def capture_statements(
    cassette: Mapping[str, Any],
    *,
    org_id: int,
    run_id: int,
    sequence: int,
    tool_name: str,
    arguments: bytes,
    response: bytes,
    source: str,
    upstream: Mapping[str, Any],
) -> list[Statement]:
    """Say how an answer is added to the cassette that had none: for the unit that writes the call, after the call.

    `arguments` and `response` are JSON; `upstream` is the member of that name in the event. Of several runs that miss
    the same call at once, the first one's answer is kept; a cassette that is full takes nothing more.
    """
    replay = msgspec.convert(cassette, Replay)
    parameters = {
        "cassette_id": replay.id,
        "last_number": replay.last_number,
        "org_id": org_id,
        "run_id": run_id,
        "sequence": sequence,
        "max_bytes": MAX_BYTES,
        "max_interactions": MAX_INTERACTIONS,
    }
    return [Statement(_CAPTURE, parameters | kept_members(tool_name, arguments, response, source, upstream))]


def kept_members(
    tool_name: str, arguments: bytes, response: bytes, source: str, upstream: Mapping[str, Any]
) -> dict[str, Any]:
    """Name the columns of one call and its answer."""
    return {
        "tool_name": tool_name,
        "arguments_hash": content_hash(msgspec.json.decode(arguments)),
        "source": source,
        "endpoint_id": upstream.get("endpoint_id"),
        "endpoint_name": upstream.get("endpoint"),
        "endpoint_type": upstream.get("type"),
        "upstream_tool": upstream.get("tool_name"),
        "status": upstream.get("status"),
        "is_error": bool(upstream.get("is_error")),
        "read_only": bool(upstream.get("read_only")),
        "bytes": len(arguments) + len(response),
        "arguments": arguments.decode("utf-8"),
        "response": response.decode("utf-8"),
    }


def as_interaction(row: CassetteInteraction | Row[Any]) -> Interaction:
    return Interaction(
        number=row.number,
        tool_name=row.tool_name,
        arguments_json=row.arguments,
        arguments_hash=row.arguments_hash,
        response_json=row.response,
        source=row.source,
        status=row.status,
        is_error=row.is_error,
        read_only=row.read_only,
        endpoint_id=row.endpoint_id,
        endpoint=row.endpoint_name,
        type=row.endpoint_type,
        upstream_tool=row.upstream_tool,
    )


async def find_run(session: AsyncSession, org_id: int, run_id: int) -> RecordedRun:
    statement = (
        select(RunContext, _RUNS.c.status, _RUNS.c.attempt)
        .join(_RUNS, _RUNS.c.id == RunContext.run_id)
        .where(RunContext.run_id == run_id, RunContext.org_id == org_id)
    )
    row = (await session.execute(statement)).first()
    if row is None:
        raise NotFoundError
    return RecordedRun(*row)


async def served_calls(session: AsyncSession, run_id: int, attempt: int) -> AsyncIterator[Event]:
    """Give the tool calls of an attempt that had an answer, in order, without holding them all."""
    statement = select(Event).where(
        Event.run_id == run_id,
        Event.attempt == attempt,
        Event.kind == "tool_call",
        Event.http_status == 200,
    )
    options = {"yield_per": 50}
    rows = await session.stream_scalars(statement.order_by(Event.sequence), execution_options=options)
    async for event in rows:
        yield event


async def add_cassette(
    session: AsyncSession, cassette: Cassette, interactions: Sequence[dict[str, Any]]
) -> None:
    session.add(cassette)
    await session.flush()
    rows = [{"cassette_id": cassette.id, **members} for members in interactions]
    await (await session.connection()).execute(insert(_INTERACTIONS), rows)


async def get_cassette(
    session: AsyncSession, org_id: int, cassette_id: str, *, lock: Literal["share", "alone"] | None = None
) -> Cassette:
    """Find a cassette; those who will play it share it, whoever deletes it has it alone: one of both comes first."""
    statement = select(Cassette).where(Cassette.id == cassette_id, Cassette.org_id == org_id)
    if lock is not None:
        statement = statement.with_for_update(read=lock == "share")
    cassette = (await session.scalars(statement)).first()
    if cassette is None:
        raise NotFoundError
    return cassette


async def list_cassettes(session: AsyncSession, org_id: int, page: PageRequest) -> Page[Cassette]:
    statement = select(Cassette).where(Cassette.org_id == org_id)
    return await CASSETTE_ORDER.page(session, statement, page)


async def sizes(session: AsyncSession, cassette_ids: Collection[str]) -> dict[str, CassetteSize]:
    columns = _INTERACTIONS.c
    statement = (
        select(columns.cassette_id, func.count(), func.sum(columns.bytes), func.max(columns.number))
        .where(columns.cassette_id.in_(cassette_ids))
        .group_by(columns.cassette_id)
    )
    return {cassette_id: CassetteSize(*size) for cassette_id, *size in await session.execute(statement)}


async def list_interactions(
    session: AsyncSession,
    cassette: Cassette,
    *,
    after: int | None = None,
    numbers: Collection[int] | None = None,
    limit: int,
) -> Sequence[CassetteInteraction]:
    statement = select(CassetteInteraction).where(CassetteInteraction.cassette_id == cassette.id)
    if after is not None:
        statement = statement.where(CassetteInteraction.number > after)
    if numbers is not None:
        statement = statement.where(CassetteInteraction.number.in_(numbers))
    return (await session.scalars(statement.order_by(CassetteInteraction.number).limit(limit))).all()


async def users_of(session: AsyncSession, cassette: Cassette) -> str | None:
    """Name a run or a batch that goes on and plays the cassette; None if there is none."""
    runs = (
        select(RunContext.run_id)
        .join(_RUNS, _RUNS.c.id == RunContext.run_id)
        .where(_RUNS.c.status.in_(_GOING_ON), RunContext.org_id == cassette.org_id)
        .where(type_coerce(RunContext.cassette, Text).contains(cassette.id))
    )
    run_id = await session.scalar(runs.order_by(RunContext.run_id).limit(1))
    if run_id is not None:
        return f"Run {run_id} goes on"
    batches = (
        select(_BATCHES.c.id)
        .join(_CAMPAIGNS, _CAMPAIGNS.c.id == _BATCHES.c.campaign_id)
        .where(_BATCHES.c.org_id == cassette.org_id, _BATCHES.c.cassette.contains(cassette.id))
        .where(_CAMPAIGNS.c.state.in_(("checking", "running")))
        .where(_CAMPAIGNS.c.made_runs < _CAMPAIGNS.c.planned_runs)
    )
    batch_id = await session.scalar(batches.order_by(_BATCHES.c.id).limit(1))
    return None if batch_id is None else f"Batch {batch_id} goes on"


async def remove_cassette(session: AsyncSession, cassette: Cassette) -> None:
    await session.execute(delete(CassetteInteraction).where(CassetteInteraction.cassette_id == cassette.id))
    await session.delete(cassette)
