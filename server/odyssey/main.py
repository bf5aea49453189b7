"""The composition root: builds every part, joins them, and gives back an application to serve."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from typing import Protocol
from urllib.parse import urlsplit

from fastapi import FastAPI

from odyssey.agents.compiled import CompiledAgents
from odyssey.api.app import Lifespan, build_app
from odyssey.api.front import AllowedHosts, Front
from odyssey.batches.source import BatchSource
from odyssey.campaigns.loop import CampaignLoop
from odyssey.campaigns.repository import shorten_checks
from odyssey.campaigns.source import CampaignSource
from odyssey.core.addresses import AddressRules
from odyssey.core.clock import PlatformClock
from odyssey.core.database import Database
from odyssey.core.depends import hand_over
from odyssey.core.feeds import Feeds
from odyssey.core.group_commit import GroupWriter, group_writer
from odyssey.core.migrate import migrate
from odyssey.core.outbound import OutboundClient
from odyssey.core.settings import Settings
from odyssey.core.signals import Relay, Signals
from odyssey.core.worker import Worker
from odyssey.dispatch.transport import HttpTransport, RecentPings, Transport
from odyssey.endpoints.registry import Upstreams
from odyssey.endpoints.repository import EndpointCredentialUsers
from odyssey.evals.eval_runs.observe import Observer, ObservingParts
from odyssey.grading.judges.judge import OrgJudge
from odyssey.identity.bootstrap import LoopbackRules
from odyssey.identity.credentials import CredentialUsers
from odyssey.identity.idempotency import KeysInProgress
from odyssey.identity.keys import MasterKey
from odyssey.identity.open_streams import OpenStreams
from odyssey.identity.site import Site
from odyssey.identity.vault import Vault
from odyssey.journal.platform_faults import PlatformFaults
from odyssey.matrices.render import Provisional
from odyssey.matrices.repository import may_repeat
from odyssey.matrices.source import MatrixSource
from odyssey.models.roles import ModelParts
from odyssey.proxy.asgi import Proxy
from odyssey.proxy.live_runs import LiveRuns
from odyssey.proxy.mcp.gateway import Gateway
from odyssey.proxy.parts import PREFIX, TRACE_LIMIT, Hops, ProxyParts
from odyssey.reviews.enqueue import enqueue_flagged_runs, enqueue_matrix
from odyssey.runs.attempt import KnownSecrets, Parts
from odyssey.runs.executor import Executor
from odyssey.runs.platform_faults import FaultRecorder
from odyssey.runs.repository import charge_run, shorten_run_leases
from odyssey.runs.states import RunStates
from odyssey.runs.verdicts.grade_run import GradingParts, Judge
from odyssey.runs.verdicts.graders import Graders
from odyssey.simulation.llm import LlmEngine
from odyssey.worlds.repository import SharedWorlds


class Loop(Protocol):
    """Work that goes on as long as the server does."""

    def start(self) -> None: ...

    async def stop(self) -> None: ...


Close = Callable[[], Awaitable[None]]


def _lifespan(
    database: Database, begin: Close, signals: Signals, loops: Sequence[Loop], closing: Sequence[Close]
) -> Lifespan:
    """Begin the loops once the database is migrated and `begin` is done; stop them in the other order, then close.

    Whatever fails while it stops, the others are stopped and everything is closed.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await migrate(database)
        await begin()
        async with AsyncExitStack() as stack:
            for close in reversed(closing):
                stack.push_async_callback(close)
            stack.callback(signals.close)
            for loop in loops:
                loop.start()
                stack.push_async_callback(loop.stop)
            yield

    return lifespan


async def _begin_leases(database: Database, clock: PlatformClock, lease: timedelta) -> None:
    """Begin to count time. On SQLite nobody else does: a lease that would outlast one taken now is a wrong clock's."""
    await clock.begin(database)
    if not database.is_sqlite:
        return
    longest = clock.steady() + lease
    async with database.write() as session:
        await shorten_run_leases(session, longest)
        await shorten_checks(session, longest)


class Composition:
    """Every part of one server, built once and in the order in which they need each other."""

    def __init__(
        self, settings: Settings, database_url: str, secret_key: str, public_url: str, clock: PlatformClock
    ) -> None:
        self.settings, self.public_url, self.clock = settings, public_url, clock
        self.lease = timedelta(seconds=settings.lease_seconds)
        self.database = Database(database_url)
        self.writer = group_writer(self.database)
        self.signals = Signals()
        self.feeds = Feeds(self.database, self.signals)
        self.open_streams = OpenStreams(self.database, self.signals, clock)
        self.worker = Worker()
        self.vault = Vault(MasterKey(secret_key), clock)
        self.addresses = LoopbackRules(settings, public_url, self.database)
        self.client = OutboundClient(self.addresses)
        self.transport = HttpTransport(self.client, time.monotonic)
        self.upstreams = Upstreams(
            self.database, self.vault, self.client, clock, timeout_s=settings.passthrough_seconds
        )
        self.models = ModelParts(self.database, self.vault, self.client, clock, charge_run)
        self.llm, self.judge = LlmEngine(self.models), OrgJudge(self.models)
        self.agents = CompiledAgents()
        self.worlds = SharedWorlds(settings.world_cache_mb * 1_000_000)
        self.faults = PlatformFaults(clock, late_after_s=settings.fault_after_seconds)
        self.hops = Hops(self.upstreams)
        self.live_runs = LiveRuns(
            self.database, self.agents, self.worlds, clock.steady, on_over=self.hops.end_session
        )
        self.states = RunStates(clock, self.signals, self.lease, on_revoked=self.live_runs.forget)
        self.run_parts = self._run_parts()
        self.executor = Executor(
            self.run_parts, max_runs=settings.max_runs, lease=self.lease, drain_s=settings.drain_seconds
        )
        self.proxy_parts = self._proxy_parts()
        self.gateway = Gateway(self.proxy_parts)

    def _run_parts(self) -> Parts:
        """What runs are executed with."""
        return Parts(
            database=self.database,
            writer=self.writer,
            agents=self.agents,
            vault=self.vault,
            transport=self.transport,
            secrets=KnownSecrets(self.database, self.vault, self.clock),
            pings=RecentPings(self.transport, time.monotonic),
            states=self.states,
            faults=self.faults,
            judge=self.judge,
            signals=self.signals,
            clock=self.clock,
            proxy_base=self.public_url.rstrip("/") + PREFIX,
        )

    def _proxy_parts(self) -> ProxyParts:
        """What tool calls are served with."""
        return ProxyParts(
            live_runs=self.live_runs,
            writer=self.writer,
            llm=self.llm,
            faults=self.faults,
            signals=self.signals,
            clock=self.clock,
            upstreams=self.upstreams,
            hops=self.hops,
            rate_limit=self.settings.rate_limit,
            trace_limit=TRACE_LIMIT,
        )

    def _sources(self) -> tuple[CampaignSource, ...]:
        """What campaigns are made from."""
        return (
            BatchSource(self.database, self.clock, self.judge),
            MatrixSource(self.database, self.signals, self.clock, enqueue_matrix),
        )

    def loops(self) -> tuple[Loop, ...]:
        """Make what goes on as long as the server does, in the order in which it is started."""
        grading = GradingParts(
            database=self.database,
            agents=self.agents,
            worlds=self.worlds,
            judge=self.judge,
            signals=self.signals,
            clock=self.clock,
        )
        observing = ObservingParts(
            database=self.database,
            writer=self.writer,
            agents=self.agents,
            worlds=self.worlds,
            signals=self.signals,
            clock=self.clock,
            may_repeat=may_repeat,
            enqueue_flagged=enqueue_flagged_runs,
        )
        return (
            Relay(self.database, self.signals),
            self.open_streams,
            FaultRecorder(self.faults, self.writer, self.signals),
            Graders(grading, lease=self.lease),
            self.executor,
            Observer(observing),
            CampaignLoop(self.run_parts, self._sources()),
            self.gateway,
        )

    def closing(self) -> tuple[Close, ...]:
        """What is closed once the loops have stopped."""
        return (
            self.worker.close,
            self.feeds.close,
            self.hops.close,
            self.writer.close,
            self.upstreams.close,
            self.client.close,
            self.database.close,
        )

    async def begin(self) -> None:
        await _begin_leases(self.database, self.clock, self.lease)
        await self.addresses.now()  # says in the log what is closed before anybody finds out by a refusal

    def parts(self) -> dict[type, object]:
        """List what requests are served with, by the type with which each is asked for; see `core/depends.py`."""
        return {
            Settings: self.settings,
            Site: Site(self.public_url),
            PlatformClock: self.clock,
            Database: self.database,
            GroupWriter: self.writer,
            Signals: self.signals,
            Feeds: self.feeds,
            OpenStreams: self.open_streams,
            Worker: self.worker,
            Vault: self.vault,
            KeysInProgress: KeysInProgress(),
            AddressRules: self.addresses,
            CredentialUsers: EndpointCredentialUsers(self.upstreams.forget),
            Transport: self.transport,
            Upstreams: self.upstreams,
            ModelParts: self.models,
            LlmEngine: self.llm,
            Judge: self.judge,
            CompiledAgents: self.agents,
            SharedWorlds: self.worlds,
            PlatformFaults: self.faults,
            RunStates: self.states,
            Executor: self.executor,
            Provisional: Provisional(),
        }


def create_app(
    settings: Settings,
    *,
    database_url: str,
    secret_key: str,
    public_url: str,
    clock: PlatformClock | None = None,
) -> Front:
    """Compose the server; the database is migrated when the application starts."""
    made = Composition(settings, database_url, secret_key, public_url, clock or PlatformClock())
    lifespan = _lifespan(made.database, made.begin, made.signals, made.loops(), made.closing())
    hosts = AllowedHosts(settings.allowed_host_names | {urlsplit(public_url).hostname or ""})
    front = Front(build_app(lifespan), Proxy(made.proxy_parts, made.gateway), hosts)
    hand_over(front.app, made.parts())
    return front
