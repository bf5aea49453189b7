"""Models on a budget, on both databases: nothing is spent that was not reserved, and everything is written down."""

import asyncio
from collections.abc import Coroutine, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import pytest
from sqlalchemy import select
from support.evidence import evidence
from support.model_server import INPUT_TOKENS, OUTPUT_TOKENS, SILENCE, ModelServer, Raw, Refusal, answers
from support.platform import Org, Platform

from odyssey.grading.judges.judge import judge
from odyssey.grading.judges.rubric import JudgeReport
from odyssey.identity.keys import MasterKey
from odyssey.identity.vault import Vault
from odyssey.kit.clock import Clock
from odyssey.models.chat import BudgetExhaustedError, ChatModel, Completion, ModelError, ModelUnavailableError
from odyssey.models.metered import ATTEMPTS, LONGEST_WAIT_S, spent_today
from odyssey.models.models import ModelCall
from odyssey.models.roles import (
    KEPT_FOR,
    ModelParts,
    RecentModels,
    has_judge_model,
    has_simulator_model,
    judge_model,
    simulator_model,
)

KEY = "sk-canary-of-the-budget-wxyz"
NOON = datetime(2031, 5, 17, 12, tzinfo=UTC)
PRICES: dict[str, Any] = {"input_usd_per_mtok": 10.0, "output_usd_per_mtok": 40.0}
COST = (INPUT_TOKENS * 10 + OUTPUT_TOKENS * 40) / 1e6
SCHEMA = {"type": "object"}


class Desk(NamedTuple):
    """An org with a judge, and the time it thinks it is."""

    org: Org
    org_id: int
    waits: list[float]
    now: list[datetime]

    @property
    def parts(self) -> ModelParts:
        async def sleep(seconds: float) -> None:
            self.waits.append(seconds)

        clock: Clock = lambda: self.now[0]  # noqa: E731
        given = self.org.platform.part(ModelParts)
        return replace(given, clock=clock, sleep=sleep, recent=RecentModels())

    def set(self, server: ModelServer, *, budgets: Any = None, **members: Any) -> None:
        body = server.settings(api_key=KEY, **PRICES, **members)
        self.org.ok(self.org.put("/api/settings", body | ({"budgets": budgets} if budgets else {})))

    async def model(self) -> ChatModel:
        model = await judge_model(self.parts, self.org_id, run_id=7)
        assert model is not None
        return model

    async def ask(self, max_output_tokens: int = 100) -> Completion:
        model = await self.model()
        return await model.complete(system="s", user="u", schema=SCHEMA, max_output_tokens=max_output_tokens)

    def do(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.org.platform.do(work)

    def calls(self) -> list[ModelCall]:
        async def read() -> list[ModelCall]:
            async with self.org.platform.database.read() as session:
                mine = select(ModelCall).where(ModelCall.org_id == self.org_id).order_by(ModelCall.id)
                return list(await session.scalars(mine))

        found: list[ModelCall] = self.do(read())
        return found


@pytest.fixture
def desk(org: Org) -> Desk:
    return Desk(org, org.ok(org.get("/api/org"))["id"], [], [NOON])


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer({"ok": True}) as server:
        yield server


def test_an_org_without_a_judge_has_none(desk: Desk, platform: Platform) -> None:
    async def look() -> tuple[bool, ChatModel | None]:
        async with platform.database.read() as session:
            return await has_judge_model(session, desk.org_id), await judge_model(
                desk.parts, desk.org_id, run_id=None
            )

    assert desk.do(look()) == (False, None)


def test_the_simulator_spends_on_the_same_budget_with_a_key_and_a_purpose_of_its_own(
    desk: Desk, server: ModelServer
) -> None:
    desk.set(server, budgets={"calls_per_day": 3})
    simulator = server.settings(role="simulator", api_key="sk-of-the-simulator", model="other")
    desk.org.ok(desk.org.put("/api/settings", simulator))

    async def ask(purpose: str | None) -> None:
        named = {} if purpose is None else {"purpose": purpose}
        model = await simulator_model(desk.parts, desk.org_id, run_id=None, **named)
        assert model is not None
        await model.complete(system="s", user="u", schema=SCHEMA, max_output_tokens=100)

    desk.do(ask(None))
    desk.do(ask("compile"))
    desk.do(desk.ask())
    assert [call.purpose for call in desk.calls()] == ["simulator", "compile", "judge"]
    assert [call.model for call in desk.calls()] == ["other", "other", "scripted"]
    keys = [asked.headers["authorization"] for asked in server.asked]
    assert keys == ["Bearer sk-of-the-simulator"] * 2 + [f"Bearer {KEY}"]
    with pytest.raises(BudgetExhaustedError):
        desk.do(ask(None))


def test_whether_a_simulator_is_set_is_remembered_for_some_seconds(desk: Desk, server: ModelServer) -> None:
    """Another process may change the settings; this one hears of it when it looks again."""
    elsewhere = desk.parts

    async def is_set() -> bool:
        return await has_simulator_model(elsewhere, desk.org_id)

    assert desk.do(is_set()) is False
    desk.org.ok(desk.org.put("/api/settings", server.settings(role="simulator")))
    assert desk.do(is_set()) is False
    desk.now[0] += KEPT_FOR
    assert desk.do(is_set()) is True


def test_what_was_read_before_a_change_is_not_remembered_after_it() -> None:
    recent = RecentModels()
    before = recent.moment
    recent.forget(1)
    recent.keep(1, "simulator", False, NOON, read_at=before)
    assert recent.find(1, "simulator", NOON) is None
    recent.keep(1, "simulator", True, NOON, read_at=recent.moment)
    recent.keep(2, "simulator", False, NOON, read_at=recent.moment)
    assert (recent.find(1, "simulator", NOON), recent.find(2, "simulator", NOON)) == (True, False)
    recent.forget(1)
    assert (recent.find(1, "simulator", NOON), recent.find(2, "simulator", NOON)) == (None, False)
    assert recent.find(2, "simulator", NOON + KEPT_FOR) is None


@pytest.mark.both_databases
def test_a_call_is_reserved_at_its_worst_and_settled_at_its_cost(desk: Desk) -> None:
    seen: list[ModelCall] = []

    def behave(asked: Any) -> Any:
        seen.extend(asyncio.run_coroutine_threadsafe(read(), loop[0]).result())
        return {"ok": True}

    async def read() -> list[ModelCall]:
        async with desk.org.platform.database.read() as session:
            return list(await session.scalars(select(ModelCall).where(ModelCall.org_id == desk.org_id)))

    async def ask() -> Completion:
        loop.append(asyncio.get_running_loop())
        return await desk.ask()

    loop: list[asyncio.AbstractEventLoop] = []
    with ModelServer(behave) as server:
        desk.set(server)
        completion = desk.do(ask())
    assert completion.value == {"ok": True}
    assert completion.cost_usd == pytest.approx(COST)
    (before,), (after,) = seen, desk.calls()
    assert (before.outcome, before.output_tokens) == (None, 100)
    assert before.cost_usd >= (1000 * 10 + 100 * 40) / 1e6
    assert after.cost_usd == pytest.approx(COST)
    assert (after.input_tokens, after.output_tokens, after.outcome) == (
        INPUT_TOKENS,
        OUTPUT_TOKENS,
        "answered",
    )
    assert (after.purpose, after.run_id, after.provider, after.model) == ("judge", 7, "openai", "scripted")
    assert after.occurred_at == NOON


def test_the_key_is_sent_to_its_server_and_stands_nowhere_in_the_database(
    desk: Desk, server: ModelServer
) -> None:
    desk.set(server)
    desk.do(desk.ask())
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert all(KEY not in str(vars(call)) for call in desk.calls())


@pytest.mark.both_databases
def test_calls_of_a_day_are_counted_and_the_next_day_begins_anew(desk: Desk, server: ModelServer) -> None:
    desk.set(server, budgets={"calls_per_day": 2})
    desk.do(desk.ask())
    desk.do(desk.ask())
    with pytest.raises(BudgetExhaustedError, match="budget of 2 model calls a day"):
        desk.do(desk.ask())
    assert len(server.asked) == 2
    desk.now[0] = NOON.replace(hour=23, minute=59, second=59, microsecond=999_999)
    with pytest.raises(BudgetExhaustedError):
        desk.do(desk.ask())
    desk.now[0] += timedelta(microseconds=1)
    desk.do(desk.ask())
    assert len(server.asked) == 3


def test_money_is_reserved_before_it_is_spent(desk: Desk, server: ModelServer) -> None:
    worst = (1000 + len("su") + len('{"type":"object"}')) * 10e-6 + 100 * 40e-6
    desk.set(server, budgets={"usd_per_day": worst - 1e-9})
    with pytest.raises(BudgetExhaustedError, match="USD a day"):
        desk.do(desk.ask())
    assert server.asked == []
    desk.org.ok(desk.org.put("/api/settings", {"budgets": {"usd_per_day": worst + 1e-9}}))
    desk.do(desk.ask())
    with pytest.raises(BudgetExhaustedError):
        desk.do(desk.ask())
    assert len(server.asked) == 1


@pytest.mark.both_databases
def test_many_at_once_do_not_spend_more_than_there_is(desk: Desk, server: ModelServer) -> None:
    desk.set(server, budgets={"calls_per_day": 5})

    async def rush() -> list[Completion | BaseException]:
        return await asyncio.gather(*(desk.ask() for _ in range(20)), return_exceptions=True)

    results = desk.do(rush())
    assert sum(isinstance(result, Completion) for result in results) == 5
    assert sum(isinstance(result, BudgetExhaustedError) for result in results) == 15
    assert len(server.asked) == len(desk.calls()) == 5


def test_one_org_does_not_spend_anothers_budget(desk: Desk, other_org: Org, server: ModelServer) -> None:
    desk.set(server, budgets={"calls_per_day": 1})
    desk.do(desk.ask())
    other = Desk(other_org, other_org.ok(other_org.get("/api/org"))["id"], [], [NOON])
    other.set(server, budgets={"calls_per_day": 1})
    other.do(other.ask())
    assert len(server.asked) == 2


def test_what_is_spent_today_is_shown(org: Org, server: ModelServer) -> None:
    desk = Desk(org, org.ok(org.get("/api/org"))["id"], [], [datetime.now(UTC)])
    desk.set(server)
    desk.do(desk.ask())
    spent = org.ok(org.get("/api/settings"))["spent_today"]
    assert (spent["calls"], spent["usd"]) == (1, pytest.approx(COST))


def test_a_busy_model_is_asked_again_after_the_time_it_names(desk: Desk) -> None:
    with ModelServer(Raw(429, b"{}", {"Retry-After": "3"}), Raw(503), {"ok": True}) as server:
        desk.set(server)
        assert desk.do(desk.ask()).value == {"ok": True}
    assert desk.waits == [3.0, 2.0]
    outcomes = [(call.outcome, call.cost_usd) for call in desk.calls()]
    assert outcomes == [("unavailable", 0.0), ("unavailable", 0.0), ("answered", pytest.approx(COST))]


def test_a_model_that_stays_busy_is_given_up(desk: Desk) -> None:
    with ModelServer(Raw(500)) as server:
        desk.set(server)
        with pytest.raises(ModelUnavailableError):
            desk.do(desk.ask())
        assert len(server.asked) == ATTEMPTS
    with ModelServer(Raw(429, b"", {"Retry-After": str(int(LONGEST_WAIT_S) + 1)})) as server:
        desk.set(server)
        with pytest.raises(ModelUnavailableError):
            desk.do(desk.ask())
        assert len(server.asked) == 1


def test_what_may_have_cost_is_not_asked_twice_and_keeps_its_worst_case(desk: Desk) -> None:
    with ModelServer(SILENCE) as server:
        desk.set(server, timeout_s=1)
        with pytest.raises(ModelUnavailableError) as raised:
            desk.do(desk.ask())
        assert len(server.asked) == 1
    (call,) = desk.calls()
    assert call.outcome == "unavailable"
    assert call.cost_usd == raised.value.cost_usd > 0


@pytest.mark.parametrize(
    ("line", "outcome", "cost"),
    [(Raw(401), "refused", 0.0), (Refusal("No."), "refused", COST)],
)
def test_a_refusal_costs_what_it_says(desk: Desk, line: Any, outcome: str, cost: float) -> None:
    with ModelServer(line) as server:
        desk.set(server)
        with pytest.raises(ModelError) as raised:
            desk.do(desk.ask())
    (call,) = desk.calls()
    assert call.outcome == outcome
    assert call.cost_usd == raised.value.cost_usd == pytest.approx(cost)


def test_garbage_keeps_its_worst_case(desk: Desk) -> None:
    with ModelServer(Raw(200, b"garbage")) as server:
        desk.set(server)
        with pytest.raises(ModelError):
            desk.do(desk.ask())
    (call,) = desk.calls()
    assert call.outcome == "unreadable"
    assert call.cost_usd > COST


def test_an_answer_never_gets_more_tokens_than_the_org_allows(desk: Desk, server: ModelServer) -> None:
    desk.set(server, max_output_tokens=80)
    desk.do(desk.ask(100_000))
    assert server.asked[0].body["max_tokens"] == 80


def test_a_judge_without_budget_is_skipped_and_says_why(desk: Desk) -> None:
    async def ask() -> JudgeReport:
        return await judge(await desk.model(), evidence(), ())

    with ModelServer(answers) as server:
        desk.set(server, budgets={"calls_per_day": 1})
        assert desk.do(ask()).state == "answered"
        report = desk.do(ask())
        assert len(server.asked) == 1
    assert (report.state, report.passed, report.score, report.cost_usd) == ("skipped", None, None, 0.0)
    assert "budgets.calls_per_day" in report.reason


def test_a_key_that_cannot_be_opened_is_a_failure_that_says_so(desk: Desk, server: ModelServer) -> None:
    desk.set(server)
    parts = desk.parts
    locked = replace(parts, vault=Vault(MasterKey("x" * 40), parts.clock))

    async def ask() -> JudgeReport:
        model = await judge_model(locked, desk.org_id, run_id=None)
        assert model is not None
        return await judge(model, evidence(), ())

    report = desk.do(ask())
    assert report.state == "failed"
    assert "ODYSSEY_SECRET_KEY" in report.reason
    assert server.asked == []


@pytest.mark.both_databases
def test_the_day_is_of_utc(desk: Desk, server: ModelServer) -> None:
    desk.set(server)
    desk.do(desk.ask())

    async def spent(now: datetime) -> int:
        async with desk.org.platform.database.read() as session:
            _, calls = await spent_today(session, desk.org_id, now)
            return calls

    assert desk.do(spent(NOON.replace(hour=0))) == 1
    assert desk.do(spent(NOON.replace(hour=23))) == 1
    assert desk.do(spent(NOON - timedelta(days=1))) == 0
    assert desk.do(spent(NOON + timedelta(days=1))) == 0


def test_only_so_many_orgs_are_remembered() -> None:
    recent = RecentModels()
    for org_id in range(10_001):
        recent.keep(org_id, "simulator", True, NOON, read_at=recent.moment)
    assert [recent.find(org_id, "simulator", NOON) for org_id in (0, 9_999, 10_000)] == [None, None, True]
