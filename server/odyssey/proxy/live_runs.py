"""The runs being served: each token's world, rules and counters in memory, right up to a known sequence.

Memory is only a shortcut. A call is accepted when its event is appended at `head + 1` with a good token; if another
process was quicker, or the token died, the append fails and the run is brought up to date from the journal.
"""

import asyncio
import logging
import math
from collections import OrderedDict, deque
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.compiled import CompiledAgent, CompiledAgents
from odyssey.core.database import Database
from odyssey.endpoints.cassettes.playback import Playback, Replay, read_replay
from odyssey.endpoints.cassettes.repository import load_playback
from odyssey.expressions.facts import EarlierCall
from odyssey.identity.keys import token_hash
from odyssey.identity.models import RunToken
from odyssey.journal.contents import behaviour_of, rules_of
from odyssey.journal.injections import read_injection
from odyssey.journal.models import Event, RunContext
from odyssey.kit.clock import Clock
from odyssey.proxy.answering import Notice, notice_of
from odyssey.proxy.errors import RunTokenExpiredError, RunTokenInvalidError, RunTokenRevokedError
from odyssey.records.tools import CacheUse
from odyssey.simulation.choosing import Manner
from odyssey.simulation.rules import AnsweredCall, RuleCounters, Rules, advance, read_rules
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import fold
from odyssey.worlds.repository import SharedWorlds, load_entries

log = logging.getLogger(__name__)

_KEPT_RUNS = 1024
NOT_COUNTED = (413, 429)
_SERVED = 200


class LiveToken(NamedTuple):
    """A run token as the hot path reads it."""

    token_hash: str
    run_id: int
    attempt: int
    expires_at: datetime

    @property
    def session(self) -> str:
        """The name under which live services keep something for this attempt."""
        return f"{self.run_id}.{self.attempt}"


class LiveRun:
    """One attempt of one run. Whoever changes it holds `lock`."""

    __slots__ = (
        "agent",
        "answered",
        "cache",
        "calls",
        "counters",
        "counting",
        "head",
        "is_live",
        "keeps_calls",
        "ledger",
        "lock",
        "manner",
        "notice",
        "org_id",
        "other_messages",
        "playback",
        "random_seed",
        "replay",
        "rules",
        "token",
        "tool_calls",
    )

    def __init__(
        self,
        token: LiveToken,
        context: RunContext,
        agent: CompiledAgent,
        rules: Rules,
        manner: Manner,
        ledger: Ledger,
    ) -> None:
        self.token = token
        self.org_id = context.org_id
        self.random_seed = context.random_seed
        self.agent = agent
        self.is_live = any(tool.is_live for tool in agent.tools.values())
        self.rules = rules
        self.manner = manner
        self.cache: CacheUse = context.simulator_cache
        """Whether answers that a model gave before may, must or must not be given again."""
        self.lock = asyncio.Lock()
        self.head = 0
        self.ledger = ledger
        self.counters = RuleCounters.start(rules)
        self.calls: list[EarlierCall] = []
        self.keeps_calls = rules.ask_for_calls or manner.uses_calls
        self.tool_calls = SlidingMinute()
        self.other_messages = SlidingMinute()
        self.notice: Notice | None = notice_of(read_injection(context.injection))
        """A text that an answer of the world is to carry."""
        self.replay: Replay | None = read_replay(context.cassette)
        self.playback: Playback | None = None
        """What was recorded of live services, if the run replays it."""
        self.answered: set[int] = set()
        """Sequences of forwarded calls whose answers were found in the journal."""
        self.counting: dict[tuple[int, datetime], int] = {}
        """Sequence of the counting event per status and minute."""


class LiveRuns:
    def __init__(
        self,
        database: Database,
        agents: CompiledAgents,
        worlds: SharedWorlds,
        clock: Clock,
        on_over: Callable[[LiveToken], None],
    ) -> None:
        self._database = database
        self._agents = agents
        self._worlds = worlds
        self._clock = clock
        self._on_over = on_over
        """Told of every attempt with live tools that is over."""
        self._kept: OrderedDict[str, LiveRun] = OrderedDict()

    async def admit(self, token: str, run_segment: str | None) -> LiveRun:
        """Find the run a token opens, in memory if it is there."""
        digest = token_hash(token)
        run = self._kept.get(digest)
        if run is None:
            run = await self._load(digest)
            run = self._kept.setdefault(digest, run)
            while len(self._kept) > _KEPT_RUNS:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(digest)
        if run_segment is not None and run_segment != str(run.token.run_id):
            raise RunTokenInvalidError
        if run.token.expires_at <= self._clock():
            raise RunTokenExpiredError
        return run

    def knows(self, digest: str) -> bool:
        """Say whether a token's hash is that of a run being served."""
        return digest in self._kept

    def forget(self, run_id: int) -> None:
        """Let go of a run whose tokens were revoked."""
        for digest in [digest for digest, run in self._kept.items() if run.token.run_id == run_id]:
            self._let_go(self._kept.pop(digest))

    def _let_go(self, run: LiveRun) -> None:
        if run.is_live:
            self._on_over(run.token)

    async def bring_up_to_date(self, run: LiveRun) -> None:
        """Catch up after a failed append; raises if the reason was the token."""
        async with self._database.read() as session:
            fresh = await session.get(RunToken, run.token.token_hash)
            try:
                _check_not_revoked(fresh)
            except RunTokenRevokedError:
                if self._kept.pop(run.token.token_hash, None) is not None:
                    self._let_go(run)
                raise
            await self._catch_up(session, run)

    async def _load(self, digest: str) -> LiveRun:
        async with self._database.read() as session:
            token = await session.get(RunToken, digest)
            _check_not_revoked(token)
            assert token is not None
            context = await session.get_one(RunContext, token.run_id)
            agent = await self._agents.get(session, context.agent_id, context.agent_version)
            rules, faults = read_rules(await rules_of(session, context))
            if faults:  # written for another version: none of them can be trusted to come first
                log.error("failure rules not read", extra={"run_id": token.run_id, "fault": faults[0].msg})
            live = LiveToken(token.token_hash, token.run_id, token.attempt, token.expires_at)
            ledger = await self._worlds.boot(session, context.org_id, context.initial_state_hash)
            behaviour = await behaviour_of(session, context)
            manner = await agent.manner(behaviour, ledger.entity_types())
            run = LiveRun(live, context, agent, rules, manner, ledger)
            if context.cassette is not None:
                run.playback = await load_playback(session, context.org_id, context.cassette)
            await self._catch_up(session, run)
            return run

    async def _catch_up(self, session: AsyncSession, run: LiveRun) -> None:
        run_id, attempt = run.token.run_id, run.token.attempt
        head = await session.scalar(select(func.max(Event.sequence)).where(Event.run_id == run_id)) or 0
        missed = select(Event).where(
            Event.run_id == run_id,
            Event.attempt == attempt,
            Event.sequence > run.head,
            Event.sequence <= head,
        )
        events = (await session.scalars(missed.order_by(Event.sequence))).all()
        entries = await load_entries(session, run_id, attempt, after=run.head, up_to=head)
        for event in events:
            _note(run, event)
        run.ledger = fold(run.ledger, entries)
        run.head = head


def _check_not_revoked(token: RunToken | None) -> None:
    if token is None:
        raise RunTokenInvalidError
    if token.revoked_at is not None:
        raise RunTokenRevokedError


def _note(run: LiveRun, event: Event) -> None:
    """Count an event of another process as if it had been served here."""
    if event.repeats is not None and event.http_status is not None:
        minute = event.occurred_at.replace(second=0, microsecond=0)
        run.counting[event.http_status, minute] = event.sequence
    elif event.kind == "forward":
        run.tool_calls.add(event.occurred_at)
        _count(run, msgspec.json.decode(event.data), None)
    elif event.kind == "tool_call":
        _note_call(run, event)
    elif event.kind == "trace_event":
        run.other_messages.add(event.occurred_at)


def _note_call(run: LiveRun, event: Event) -> None:
    """Count a call, but one that was forwarded only where it was: there the rules and the rate have it already."""
    data: dict[str, Any] = {}
    reads = run.rules or run.is_live or run.keeps_calls or run.notice is not None
    if event.http_status == _SERVED and reads:
        data = msgspec.json.decode(event.data)
    if "forward" in data:
        run.answered.add(data["forward"])
    else:
        run.tool_calls.add(event.occurred_at)
    if not data:
        return
    if "forward" not in data:
        _count(run, data, data["matched_rule_index"])
    if run.keeps_calls:
        run.calls.append(EarlierCall(data["tool_name"], data["arguments"], data["source"]))
    if run.notice is not None:
        run.notice.note(data)
    if run.playback is not None and "cassette" in data:
        run.playback.note(data["cassette"]["number"])


def _count(run: LiveRun, data: dict[str, Any], fired_index: int | None) -> None:
    if run.rules:
        call = AnsweredCall(data["tool_name"], data["arguments"], fired_index)
        run.counters = advance(run.rules, run.counters, call)


# At most so many in a sliding minute, exactly.
WINDOW = timedelta(seconds=60)


class SlidingMinute:
    """The moments of the last sixty seconds; what was refused is not among them."""

    __slots__ = ("_moments",)

    def __init__(self) -> None:
        self._moments: deque[datetime] = deque()

    def add(self, moment: datetime) -> None:
        self._moments.append(moment)

    def seconds_to_wait(self, limit: int, now: datetime) -> int | None:
        """Say how long the next one has to wait; None means it may go ahead."""
        moments = self._moments
        while moments and moments[0] <= now - WINDOW:
            moments.popleft()
        if len(moments) < limit:
            return None
        return max(1, math.ceil((moments[len(moments) - limit] + WINDOW - now).total_seconds()))
