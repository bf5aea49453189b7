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
from odyssey.core.clock import PlatformClock
from odyssey.core.database import Database
from odyssey.core.feeds import Feeds
from odyssey.core.group_commit import group_writer
from odyssey.core.migrate import migrate
from odyssey.core.outbound import OutboundClient
from odyssey.core.relay import Relay
from odyssey.core.settings import Settings
from odyssey.core.signals import Signals
from odyssey.core.worker import Worker
from odyssey.dispatch.http import HttpTransport
from odyssey.dispatch.pings import RecentPings
from odyssey.endpoints.credential_users import EndpointCredentialUsers
from odyssey.endpoints.registry import Upstreams
from odyssey.evals.eval_runs.observe import ObservingParts
from odyssey.evals.eval_runs.observer import Observer
from odyssey.grading.judges.org_judge import OrgJudge
from odyssey.identity.keys import MasterKey
from odyssey.identity.loopback import LoopbackRules
from odyssey.identity.open_streams import OpenStreams
from odyssey.identity.site import Site
from odyssey.identity.vault import Vault
from odyssey.journal.platform_faults import PlatformFaults
from odyssey.matrices import repository as matrices
from odyssey.matrices.feeder import MatrixFeeder
from odyssey.matrices.read import Provisional
from odyssey.matrices.repository import may_repeat
from odyssey.models.roles import ModelParts
from odyssey.proxy.address import PREFIX
from odyssey.proxy.asgi import Proxy
from odyssey.proxy.hops import Hops
from odyssey.proxy.live_runs import LiveRuns
from odyssey.proxy.mcp.gateway import Gateway
from odyssey.proxy.parts import TRACE_LIMIT, ProxyParts
from odyssey.reviews.enqueue import enqueue_flagged_runs, enqueue_matrix
from odyssey.runs.attempt import Parts
from odyssey.runs.batches import repository as batches
from odyssey.runs.batches.feeder import Feeder
from odyssey.runs.executor import Executor
from odyssey.runs.known_secrets import KnownSecrets
from odyssey.runs.platform_faults import FaultRecorder
from odyssey.runs.repository import charge_run, shorten_run_leases
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
    database: Database, begin: Close, signals: Signals, loops: Sequence[Loop], closing: Sequence[Close]
) -> Lifespan:
    """Begin the loops once the database is migrated and `begin` is done; stop them in the other order, then close."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await migrate(database)
        await begin()
        for loop in loops:
            loop.start()
        yield
        for loop in reversed(loops):
            await loop.stop()
        signals.close()
        for close in closing:
            await close()

    return lifespan


async def _begin_leases(database: Database, clock: PlatformClock, lease: timedelta) -> None:
    """Begin to count time. On SQLite nobody else does: a lease that would outlast one taken now is a wrong clock's."""
    await clock.begin(database)
    if not database.is_sqlite:
        return
    longest = clock.steady() + lease
    async with database.write() as session:
        await shorten_run_leases(session, longest)
        await batches.shorten_checks(session, longest)
        await matrices.shorten_checks(session, longest)


def create_app(
    settings: Settings,
    *,
    database_url: str,
    secret_key: str,
    public_url: str,
    clock: PlatformClock | None = None,
) -> Front:
    """Compose the server; the database is migrated when the application starts."""
    clock = clock or PlatformClock()
    database = Database(database_url)
    signals = Signals()
    relay, feeds = Relay(database, signals), Feeds(database, signals)
    open_streams = OpenStreams(database, signals, clock)
    agents = CompiledAgents()
    vault = Vault(MasterKey(secret_key), clock)
    addresses = LoopbackRules(settings, public_url, database)
    client = OutboundClient(addresses)
    transport = HttpTransport(client, time.monotonic)
    upstreams = Upstreams(database, vault, client, clock, timeout_s=settings.passthrough_seconds)
    lease = timedelta(seconds=settings.lease_seconds)
    worlds = SharedWorlds(settings.world_cache_mb * 1_000_000)
    hops = Hops(upstreams)
    faults = PlatformFaults(clock, late_after_s=settings.fault_after_seconds)
    live_runs = LiveRuns(database, agents, worlds, clock.steady, on_over=hops.end_session)
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
        secrets=KnownSecrets(database, vault, clock),
        pings=RecentPings(transport, time.monotonic),
        states=states,
        faults=faults,
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
    observer = Observer(
        ObservingParts(database, writer, agents, worlds, signals, clock, may_repeat, enqueue_flagged_runs)
    )
    proxy_parts = ProxyParts(
        live_runs=live_runs,
        writer=writer,
        llm=llm,
        faults=faults,
        signals=signals,
        clock=clock,
        upstreams=upstreams,
        hops=hops,
        rate_limit=settings.rate_limit,
        trace_limit=TRACE_LIMIT,
    )

    gateway = Gateway(proxy_parts)
    recorder = FaultRecorder(faults, writer, signals)
    work = (recorder, graders, executor, feeder, observer, MatrixFeeder(parts, enqueue_matrix))
    loops: tuple[Loop, ...] = (relay, open_streams, *work, gateway)
    worker = Worker()
    closing = (
        worker.close,
        feeds.close,
        hops.close,
        writer.close,
        upstreams.close,
        client.close,
        database.close,
    )
    hosts = AllowedHosts(settings.allowed_host_names | {urlsplit(public_url).hostname or ""})

    async def begin() -> None:
        await _begin_leases(database, clock, lease)
        await addresses.now()  # says in the log what is closed before anybody finds out by a refusal

    front = Front(
        build_app(_lifespan(database, begin, signals, loops, closing)), Proxy(proxy_parts, gateway), hosts
    )
    state = front.state
    state.database, state.signals, state.clock, state.settings = database, signals, clock, settings
    state.feeds, state.open_streams = feeds, open_streams
    state.agents, state.vault, state.transport, state.site = agents, vault, transport, Site(public_url)
    state.upstreams, state.credential_users = upstreams, EndpointCredentialUsers(upstreams.forget)
    state.addresses = addresses
    state.run_states, state.executor, state.writer = states, executor, writer
    state.worlds, state.llm, state.worker, state.platform_faults = worlds, llm, worker, faults
    state.models, state.judge = models, judge
    state.keys_in_progress = set()
    state.provisional_matrices = Provisional()
    return front
