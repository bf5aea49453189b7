"""The one ping before a campaign goes on: either its runs may go, or it ends and says why."""

import logging
from collections.abc import Sequence
from datetime import timedelta

from odyssey.agents.register import open_secret, origin_of
from odyssey.agents.repository import store_health
from odyssey.campaigns.repository import end_check, end_waiting_runs
from odyssey.campaigns.source import CampaignSource
from odyssey.core.database import StorageUnavailableError, after_commit
from odyssey.dispatch.transport import PING_TIMEOUT_S, PingResult, PingTarget
from odyssey.identity.vault import UnsealError
from odyssey.records.error_classes import INTERNAL_ERROR
from odyssey.runs.attempt import Parts
from odyssey.runs.models import Campaign
from odyssey.runs.repository import end_of_run
from odyssey.runs.topics import CAMPAIGNS_TOPIC, runs_ended

log = logging.getLogger(__name__)

CHECK_LEASE = timedelta(seconds=PING_TIMEOUT_S + 5)
"""How long a campaign waits for a process that fell silent while it pinged."""


async def check_agent(parts: Parts, source: CampaignSource, campaign: Campaign) -> None:
    """Ping the agent of a campaign and let the campaign go on, or end with every run that waits."""
    found = await _ping(parts, campaign)
    ping = {
        "ok": found.ok,
        "status": found.status,
        "error_class": found.error_class,
        "latency_ms": found.latency_ms,
        "detail": found.detail,
    }
    state = "running" if found.ok else source.state_without_agent
    async with parts.database.write() as session:
        now = parts.clock()
        await store_health(session, campaign.agent_id, found, now)
        if not await end_check(session, campaign.id, state, ping):
            return
        ended: Sequence[int] = ()
        if not found.ok:
            error = {"detail": found.detail, "http_status": found.status}
            values = {"error_class": found.error_class, "error_json": error, "finished_at": end_of_run(now)}
            ended = await end_waiting_runs(session, campaign.id, "failed", **values)
        await source.on_checked(session, campaign, found, now)
        after_commit(session, lambda: runs_ended(parts.signals, campaign.org_id, ended))
        after_commit(session, lambda: parts.signals.notify(CAMPAIGNS_TOPIC))
    log.info(
        "agent pinged",
        extra={"campaign_id": campaign.id, "ok": found.ok, "error_class": found.error_class},
    )


async def _ping(parts: Parts, campaign: Campaign) -> PingResult:
    """Ping an agent as its version says; whatever goes wrong is a ping that failed."""
    try:
        return await parts.transport.ping(await _target(parts, campaign))
    except UnsealError as error:
        return PingResult(False, None, 0, str(error), INTERNAL_ERROR)
    except StorageUnavailableError:
        raise  # the campaign waits
    except Exception:
        log.exception("ping failed", extra={"agent_id": campaign.agent_id})
        detail = "Odyssey failed while pinging the agent; the log has the place."
        return PingResult(False, None, 0, detail, INTERNAL_ERROR)


async def _target(parts: Parts, campaign: Campaign) -> PingTarget:
    async with parts.database.read() as session:
        config = (await parts.agents.get(session, campaign.agent_id, campaign.agent_version)).config
        assert config.endpoint_url is not None
        origin = origin_of(config.endpoint_url)
        secret = await open_secret(
            session, parts.vault, org_id=campaign.org_id, agent_id=campaign.agent_id, origin=origin
        )
    header = (config.auth_header_name, secret) if config.auth_header_name and secret else None
    return PingTarget(config.endpoint_url, header)
