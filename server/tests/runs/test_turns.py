"""Many runs share a transaction, but not their fate: what cannot be stored stands alone, and nothing is dropped."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import pytest
from sqlalchemy import Connection
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.platform import Org, Platform

from odyssey.core.database import StorageUnavailableError
from odyssey.core.group_commit import GroupWriter
from odyssey.dispatch.classify import Failure
from odyssey.dispatch.envelope import Dispatch
from odyssey.dispatch.reply import AgentReply
from odyssey.dispatch.transport import PingResult, PingTarget, Transport
from odyssey.runs.executor import Executor

pytestmark = pytest.mark.both_databases

StartAgent = Callable[[Behaviour], ScriptedAgent]
Result = TypeVar("Result")


@pytest.fixture
def own_platform(new_database: Callable[[], str]) -> Iterator[Platform]:
    platform = Platform(new_database())
    yield platform
    platform.stop()


def exchange(platform: Platform, **parts: Any) -> None:
    executor = platform.part(Executor)
    executor._parts = executor._parts._replace(**parts)


class Garbling:
    """A transport of whose replies one holds what no database takes."""

    def __init__(self, transport: Transport, garbled: str) -> None:
        self._transport = transport
        self._garbled = garbled

    async def dispatch(self, dispatch: Dispatch) -> AgentReply | Failure:
        reply = await self._transport.dispatch(dispatch)
        if dispatch.user_instruction != self._garbled:
            return reply
        return AgentReply(final_response="\ud800", messages=None, metadata=None, soft_warnings=[], raw="{}")

    async def ping(self, target: PingTarget) -> PingResult:
        return await self._transport.ping(target)


class Failing:
    """A writer that is out of order for a while."""

    def __init__(self, writer: GroupWriter) -> None:
        self._writer = writer
        self.refusals = 0

    async def do(self, work: Callable[[Connection], Result]) -> Result:
        if self.refusals > 0:
            self.refusals -= 1
            raise StorageUnavailableError
        return await self._writer.do(work)


def ended(org: Org, run_ids: list[int]) -> list[tuple[str, str | None, int]]:
    runs = [org.wait(run_id) for run_id in run_ids]
    return [(run["status"], run["error_class"], len(run["attempts"])) for run in runs]


@pytest.mark.both_databases
def test_a_result_that_cannot_be_stored_stands_alone(
    own_platform: Platform, agent_server: StartAgent
) -> None:
    exchange(own_platform, transport=Garbling(own_platform.part(Transport), "row 1"))
    org = own_platform.new_org()
    agent = org.agent(agent_server(lambda d: final()).url)
    run_ids = org.start(agent, *[{"user_instruction": f"row {n}"} for n in range(5)])
    completed, failed = ("completed", None, 1), ("failed", "internal_error", 1)
    assert ended(org, run_ids) == [completed, failed, completed, completed, completed]
    assert [event["kind"] for event in org.trace(run_ids[1])] == ["dispatch", "reply"]


def test_results_wait_for_a_database_that_is_out_of_order(
    own_platform: Platform, agent_server: StartAgent
) -> None:
    writer = Failing(own_platform.part(GroupWriter))
    exchange(own_platform, writer=writer)

    def behave(dispatched: Dispatched) -> Any:
        writer.refusals = 4
        return final("kept")

    org = own_platform.new_org()
    run = org.run(org.agent(agent_server(behave).url))
    assert (run["status"], run["final_response"], len(run["attempts"])) == ("completed", "kept", 1)
    assert writer.refusals == 0


def test_a_changed_secret_is_sent_with_the_next_run(own_platform: Platform, agent_server: StartAgent) -> None:
    org = own_platform.new_org()
    server = agent_server(lambda d: final())
    header = {"auth_header_name": "X-Key", "auth_header_value": "the first"}
    agent = org.agent(server.url, config=header)
    for change in ({}, {"auth_header_value": "the second"}, {"auth_header_value": None}):
        if change:
            org.ok(org.put(f"/api/agents/{agent['id']}", {"config": change}))
        assert ended(org, org.start(agent)) == [("completed", None, 1)]
        assert ended(org, org.start(agent)) == [("completed", None, 1)]
    sent = [received.headers.get("x-key") for received in server.received]
    assert sent == ["the first", "the first", "the second", "the second", None, None]
