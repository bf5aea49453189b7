"""The composition root: builds every part, joins them, and gives back an application to serve."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Protocol
from urllib.parse import urlsplit

from fastapi import FastAPI

from odyssey.agents.compiled import CompiledAgents
from odyssey.api.app import Lifespan, build_app
from odyssey.api.front import Front
from odyssey.api.hosts import AllowedHosts
from odyssey.core.database import Database
from odyssey.core.group_commit import group_writer
from odyssey.core.migrate import migrate
from odyssey.core.outbound import OutboundClient
from odyssey.core.settings import Settings
from odyssey.core.signals import Signals
from odyssey.core.worker import Worker
from odyssey.dispatch.http import HttpTransport
from odyssey.dispatch.pings import RecentPings
from odyssey.endpoints.credential_users import EndpointCredentialUsers
from odyssey.endpoints.registry import Upstreams
from odyssey.evals.eval_runs.observe import ObservingParts
from odyssey.evals.eval_runs.observer import Observer
from odyssey.evals.matrices.feeder import MatrixFeeder
from odyssey.evals.matrices.read import Provisional
from odyssey.grading.judges.org_judge import OrgJudge
from odyssey.identity.keys import MasterKey
from odyssey.identity.site import Site
from odyssey.identity.vault import Vault
from odyssey.kit.clock import Clock, utc_now
from odyssey.models.roles import ModelParts
from odyssey.proxy.address import PREFIX
from odyssey.proxy.asgi import Proxy
from odyssey.proxy.hops import Hops
from odyssey.proxy.live_runs import LiveRuns
from odyssey.proxy.mcp.gateway import Gateway
from odyssey.proxy.parts import TRACE_LIMIT, ProxyParts
from odyssey.runs.attempt import Parts
from odyssey.runs.batches.feeder import Feeder
from odyssey.runs.executor import Executor
from odyssey.runs.repository import charge_run
from odyssey.runs.states import RunStates
from odyssey.runs.verdicts.grade_run import GradingParts
from odyssey.runs.verdicts.graders import Graders
from odyssey.simulation.llm import LlmEngine
from odyssey.worlds.shared import SharedWorlds


class Loop(Protocol):
    """Work that goes on as long as the server does."""

    def start(self) -> None: ...

    async def stop(self) -> None: ...


Close = Callable[[], Awaitable[None]]


def _lifespan(
    database: Database, signals: Signals, loops: Sequence[Loop], closing: Sequence[Close]
) -> Lifespan:
    """Begin the loops once the database is migrated; end them in the other order, then close what is open."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await migrate(database)
        for loop in loops:
            loop.start()
        yield
        for loop in reversed(loops):
            await loop.stop()
        signals.close()
        for close in closing:
            await close()

    return lifespan


def create_app(
    settings: Settings, *, database_url: str, secret_key: str, public_url: str, clock: Clock = utc_now
) -> Front:
    """Compose the server; the database is migrated when the application starts."""
    database = Database(database_url)
    signals = Signals()
    agents = CompiledAgents()
    vault = Vault(MasterKey(secret_key), clock)
    client = OutboundClient(settings.address_policy)
    transport = HttpTransport(client, time.monotonic)
    upstreams = Upstreams(database, vault, client, clock, timeout_s=settings.passthrough_seconds)
    lease = timedelta(seconds=settings.lease_seconds)
    worlds = SharedWorlds(settings.world_cache_mb * 1_000_000)
    hops = Hops(upstreams)
    live_runs = LiveRuns(database, agents, worlds, clock, on_over=hops.end_session)
    writer = group_writer(database)
    states = RunStates(clock, signals, lease, on_revoked=live_runs.forget)
    models = ModelParts(database, vault, client, clock, charge_run)
    llm = LlmEngine(models)
    judge = OrgJudge(models)
    parts = Parts(
        database=database,
        writer=writer,
        agents=agents,
        vault=vault,
        transport=transport,
        pings=RecentPings(transport, time.monotonic),
        states=states,
        judge=judge,
        signals=signals,
        clock=clock,
        proxy_base=public_url.rstrip("/") + PREFIX,
    )
    executor = Executor(parts, max_runs=settings.max_runs, lease=lease, drain_s=settings.drain_seconds)
    feeder = Feeder(parts)
    grading = GradingParts(
        database=database, agents=agents, worlds=worlds, judge=judge, signals=signals, clock=clock
    )
    graders = Graders(grading, lease=lease)
    observer = Observer(ObservingParts(database, writer, agents, worlds, signals, clock))
    proxy_parts = ProxyParts(
        live_runs=live_runs,
        writer=writer,
        llm=llm,
        signals=signals,
        clock=clock,
        upstreams=upstreams,
        hops=hops,
        rate_limit=settings.rate_limit,
        trace_limit=TRACE_LIMIT,
    )

    gateway = Gateway(proxy_parts)
    loops: tuple[Loop, ...] = (graders, executor, feeder, observer, MatrixFeeder(parts), gateway)
    worker = Worker()
    closing = (worker.close, hops.close, writer.close, upstreams.close, client.close, database.close)
    hosts = AllowedHosts(settings.allowed_host_names | {urlsplit(public_url).hostname or ""})
    front = Front(build_app(_lifespan(database, signals, loops, closing)), Proxy(proxy_parts, gateway), hosts)
    state = front.state
    state.database, state.signals, state.clock, state.settings = database, signals, clock, settings
    state.agents, state.vault, state.transport, state.site = agents, vault, transport, Site(public_url)
    state.upstreams, state.credential_users = upstreams, EndpointCredentialUsers(upstreams.forget)
    state.run_states, state.executor, state.writer = states, executor, writer
    state.worlds, state.llm, state.worker = worlds, llm, worker
    state.models, state.judge = models, judge
    state.provisional_matrices = Provisional()
    return front
