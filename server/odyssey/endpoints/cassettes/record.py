"""Making a cassette of what live services answered in a run."""

from typing import Any

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.errors import ValidationFailedError
from odyssey.endpoints.cassettes.playback import Replay
from odyssey.endpoints.cassettes.repository import (
    EMPTY,
    MAX_BYTES,
    MAX_INTERACTIONS,
    RecordedRun,
    add_cassette,
    find_run,
    get_cassette,
    kept_members,
    served_calls,
    sizes,
)
from odyssey.endpoints.cassettes.schemas import CassetteIn, ReplayIn
from odyssey.endpoints.errors import RunGoesOnError
from odyssey.endpoints.models import Cassette
from odyssey.identity.caller import Caller, record_change
from odyssey.journal.models import Event
from odyssey.kit.clock import Clock
from odyssey.kit.ids import new_uuid
from odyssey.records.problems import FieldError

_LIVE = ("passthrough", "transport_error")


class _CallEvent(msgspec.Struct):
    """What a recorder reads of a tool call."""

    tool_name: str
    arguments: msgspec.Raw
    response: msgspec.Raw
    source: str = ""
    upstream: dict[str, Any] | None = None


async def read_recording(
    session: AsyncSession, org_id: int, run_id: int
) -> tuple[RecordedRun, list[dict[str, Any]]]:
    """Gather the passthrough calls of a run's last attempt, failures of the way among them."""
    run = await find_run(session, org_id, run_id)
    if run.status in ("pending", "running"):
        raise RunGoesOnError(run_id, run.status)
    interactions: list[dict[str, Any]] = []
    size = 0
    async for event in served_calls(session, run_id, run.attempt):
        members = _interaction(event)
        if members is not None:
            interactions.append(members)
            size += members["bytes"]
            _check_size(run_id, len(interactions), size)
    if not interactions:
        raise _refused(f"run {run_id} made no passthrough call in its last attempt; there is nothing to keep")
    return run, interactions


async def keep_recording(
    session: AsyncSession,
    clock: Clock,
    caller: Caller,
    body: CassetteIn,
    run: RecordedRun,
    interactions: list[dict[str, Any]],
) -> Cassette:
    context = run.context
    cassette = Cassette(
        id=new_uuid(),
        org_id=caller.org_id,
        name=body.name,
        run_id=context.run_id,
        attempt=run.attempt,
        agent_id=context.agent_id,
        agent_version=context.agent_version,
        created_by=caller.person_id,
        created_at=clock(),
    )
    await add_cassette(session, cassette, interactions)
    record_change(
        session,
        caller,
        clock,
        "cassette.create",
        object_type="cassette",
        object_id=cassette.id,
        after={"name": cassette.name, "run_id": cassette.run_id, "attempt": cassette.attempt},
    )
    return cassette


def _interaction(event: Event) -> dict[str, Any] | None:
    call = msgspec.json.decode(event.data, type=_CallEvent)
    if call.source not in _LIVE or (call.source == "transport_error" and _is_miss(call)):
        return None
    members = kept_members(
        call.tool_name, bytes(call.arguments), bytes(call.response), call.source, call.upstream or {}
    )
    placed = {"run_id": event.run_id, "attempt": event.attempt, "sequence": event.sequence}
    return members | placed | {"occurred_at": event.occurred_at}


def _is_miss(call: _CallEvent) -> bool:
    """Say whether another cassette had no answer: nobody was asked, so there is nothing to play again."""
    response = msgspec.json.decode(call.response)
    error = response.get("error") if isinstance(response, dict) else None
    return isinstance(error, dict) and error.get("code") == "cassette_miss"


def _check_size(run_id: int, interactions: int, size: int) -> None:
    if interactions > MAX_INTERACTIONS:
        raise _refused(
            f"run {run_id} made more than {MAX_INTERACTIONS} passthrough calls; a cassette has no room"
        )
    if size > MAX_BYTES:
        message = (
            f"the passthrough calls of run {run_id} have more than {MAX_BYTES} bytes; a cassette has no room"
        )
        raise _refused(message)


def _refused(message: str) -> ValidationFailedError:
    return ValidationFailedError([FieldError(loc=("run_id",), msg=message)])


# Asking for runs that replay a cassette.


async def plan_replay(session: AsyncSession, org_id: int, asked: ReplayIn | None) -> Replay | None:
    """Find the cassette and how far it goes now; raises NotFoundError for one the org does not have."""
    if asked is None:
        return None
    cassette = await get_cassette(session, org_id, asked.id)
    held = (await sizes(session, [cassette.id])).get(cassette.id, EMPTY)
    return Replay(id=cassette.id, match=asked.match, on_miss=asked.on_miss, last_number=held.last_number)


async def hold_cassette(session: AsyncSession, org_id: int, replay: Replay | None) -> None:
    """Keep the cassette from being deleted before the runs that need it are made."""
    if replay is not None:
        await get_cassette(session, org_id, replay.id, lock="share")
