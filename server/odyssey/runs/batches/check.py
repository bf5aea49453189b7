"""The one ping before a batch: either its runs may go, or all of them fail at once with its error class."""

import logging
from collections.abc import Sequence
from datetime import timedelta
from typing import Protocol

from odyssey.agents.register import open_secret, origin_of
from odyssey.agents.repository import store_health
from odyssey.core.database import StorageUnavailableError, after_commit
from odyssey.dispatch.transport import PING_TIMEOUT_S, PingResult, PingTarget
from odyssey.identity.vault import UnsealError
from odyssey.records.error_classes import INTERNAL_ERROR
from odyssey.runs.attempt import Parts
from odyssey.runs.batches.models import Batch
from odyssey.runs.batches.repository import end_check, end_waiting_runs
from odyssey.runs.repository import end_of_run
from odyssey.runs.topics import BATCHES_TOPIC, runs_ended

log = logging.getLogger(__name__)

CHECK_LEASE = timedelta(seconds=PING_TIMEOUT_S + 5)
"""How long a batch waits for a process that fell silent while it pinged."""


class OfAgent(Protocol):
    """What is about to send runs to an agent."""

    @property
    def org_id(self) -> int: ...
    @property
    def agent_id(self) -> int: ...
    @property
    def agent_version(self) -> int: ...


async def check_agent(parts: Parts, batch: Batch) -> None:
    """Ping the agent of a batch and let the batch go on, or end."""
    await _record(parts, batch, await ping_agent(parts, batch))


async def ping_agent(parts: Parts, asking: OfAgent) -> PingResult:
    """Ping an agent as its version says; whatever goes wrong is a ping that failed."""
    try:
        return await parts.transport.ping(await _target(parts, asking))
    except UnsealError as error:
        return PingResult(False, None, 0, str(error), INTERNAL_ERROR)
    except StorageUnavailableError:
        raise  # the batch waits
    except Exception:
        log.exception("ping failed", extra={"agent_id": asking.agent_id})
        detail = "Odyssey failed while pinging the agent; the log has the place."
        return PingResult(False, None, 0, detail, INTERNAL_ERROR)


async def _target(parts: Parts, asking: OfAgent) -> PingTarget:
    async with parts.database.read() as session:
        config = (await parts.agents.get(session, asking.agent_id, asking.agent_version)).config
        assert config.endpoint_url is not None
        origin = origin_of(config.endpoint_url)
        secret = await open_secret(
            session, parts.vault, org_id=asking.org_id, agent_id=asking.agent_id, origin=origin
        )
    header = (config.auth_header_name, secret) if config.auth_header_name and secret else None
    return PingTarget(config.endpoint_url, header)


async def _record(parts: Parts, batch: Batch, found: PingResult) -> None:
    ping = {
        "ok": found.ok,
        "status": found.status,
        "error_class": found.error_class,
        "latency_ms": found.latency_ms,
        "detail": found.detail,
    }
    state = "running" if found.ok else "failed"
    async with parts.database.write() as session:
        now = parts.clock()
        await store_health(session, batch.agent_id, found, now)
        if not await end_check(session, batch.id, state, ping=ping, error_class=found.error_class):
            return
        ended: Sequence[int] = ()
        if not found.ok:
            error = {"detail": found.detail, "http_status": found.status}
            values = {"error_class": found.error_class, "error_json": error, "finished_at": end_of_run(now)}
            ended = await end_waiting_runs(session, batch.id, "failed", **values)
        after_commit(session, lambda: runs_ended(parts.signals, batch.org_id, ended))
        after_commit(session, lambda: parts.signals.notify(BATCHES_TOPIC))
    log.info("agent pinged", extra={"batch_id": batch.id, "ok": found.ok, "error_class": found.error_class})
