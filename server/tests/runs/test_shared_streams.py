"""Streams cost by what changes, not by how many are open; and hear of what another process does."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import asyncpg
import httpx
import pytest
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.platform import SECRET_KEY, Org, Platform
from support.postgres import new_postgres_database
from support.process import ServerProcess
from support.streams import Stream, statements, streaming

from odyssey.core.signals import Listener, Signals
from odyssey.runs.topics import org_runs_topic

StartAgent = Callable[[Behaviour], ScriptedAgent]

OF_LISTS = ("runs.org_id = ", "FROM events", "max(events.sequence)")
OF_CALLERS = ("FROM api_keys", "FROM sessions", "FROM people")


class Waker(Listener):
    """Counts how often it is told of something."""

    def __init__(self) -> None:
        super().__init__()
        self.told = 0

    def wake(self) -> None:
        self.told += 1


def new_token(org: Org, email: str) -> str:
    org.ok(org.post("/api/people", {"email": email, "role": "viewer", "password": "a long password"}))
    signed_in = org.ok(org.post("/api/auth/token", {"email": email, "password": "a long password"}))
    token: str = signed_in["access_token"]
    return token


class Held:
    """An agent that answers a run when the test says so."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.dispatched: list[Dispatched] = []

    def __call__(self, dispatched: Dispatched) -> Any:
        self.dispatched.append(dispatched)
        self.go.wait()
        return final()


LEFT_OVER = 8
"""Statements of the looks that were due before the test put them off: one for all streams, not one for each."""


@pytest.mark.both_databases
def test_fifty_idle_streams_ask_nothing_and_one_change_is_read_once_for_all(
    org: Org, agent_server: StartAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("odyssey.core.feeds.COMMENT_EVERY_S", 0.4)
    monkeypatch.setattr("odyssey.identity.open_streams.LOOK_EVERY_S", 86_400)
    monkeypatch.setattr("odyssey.core.feeds._UNASKED_S", 86_400)
    agent = Held()
    registered = org.agent(agent_server(agent).url)
    (held,) = org.start(registered)
    org.wait(held, "running")
    keys = [org.api_key, *(new_token(org, f"{held}-{number}@example.com") for number in (1, 2))]
    platform, told = org.platform, Waker()
    signals = platform.part(Signals)
    org_id = org.ok(org.get("/api/org"))["id"]
    with ExitStack() as opened:
        lists = [opened.enter_context(streaming(platform.url, keys[n % 3])) for n in range(50)]
        traces = [
            opened.enter_context(streaming(platform.url, keys[n % 3], f"/api/runs/{held}/events"))
            for n in range(6)
        ]
        for stream in (*lists, *traces):
            stream.comment()  # what there was to say at first is said
        with statements(platform) as sent:
            for _ in range(4):  # longer than a second, which is how often lists used to be read
                for stream in (*lists, *traces):
                    stream.comment()
        asked = [one for one in sent if any(part in one for part in OF_LISTS + OF_CALLERS)]
        assert len(asked) <= LEFT_OVER, asked
        opened.enter_context(signals.listen(org_runs_topic(org_id), told))
        with statements(platform) as sent:
            agent.go.set()
            graded = [stream.event(lambda run: run["verdict"] != "PENDING") for stream in lists]
            ended = [stream.event(lambda event: "verdict" in event) for stream in traces]
    assert graded + ended == [graded[0]] * 56
    assert graded[0] == org.ok(org.get("/api/runs"))["items"][0]
    reads = [one for one in sent if "runs.verdict" in one and "LIMIT" in one and "runs.org_id = " in one]
    assert 1 <= len(reads) <= told.told
    assert len([one for one in sent if "FROM events" in one]) < 20


def test_lists_and_streams_leave_what_agents_send_where_it_is(org: Org, agent_server: StartAgent) -> None:
    said = final() | {"messages": [{"role": "assistant", "content": "Done."}], "metadata": {"a": 1}}
    run = org.graded(org.run(org.agent(agent_server(lambda _: said).url))["id"])
    assert run["messages"]
    with statements(org.platform) as sent:
        org.ok(org.get("/api/runs"))
        org.ok(org.get("/api/v1/eval/runs"))
        org.get(f"/api/runs/{run['id']}/events")
    reads = [one for one in sent if "runs.final_response" in one]
    assert len(reads) >= 3
    assert not [one for one in reads if "runs.messages" in one or "runs.metadata" in one]


def test_a_stream_is_told_of_runs_that_end_together(org: Org, agent_server: StartAgent) -> None:
    """No event of theirs is written: those that wait in a batch are cancelled by one statement."""
    agent = Held()
    registered = org.agent(agent_server(agent).url)
    first, *_ = runs = org.start(registered, *[{"user_instruction": str(n)} for n in range(30)])
    batch_id = org.read_run(first)["batch_id"]
    with ExitStack() as opened:
        lists = opened.enter_context(streaming(org.platform.url, org.api_key))
        traces = [
            opened.enter_context(streaming(org.platform.url, org.api_key, f"/api/runs/{run}/events"))
            for run in runs[-3:]
        ]
        org.post(f"/api/batches/{batch_id}/cancel")
        for run, stream in zip(runs[-3:], traces, strict=True):
            end = stream.event(lambda event: "verdict" in event)
            assert (end["id"], end["verdict"] == "PENDING") == (run, False)
        assert lists.event(lambda run: run["id"] == runs[-1])["batch_id"] == batch_id
    agent.go.set()


def test_nobody_joins_what_another_organisation_follows(
    org: Org, other_org: Org, agent_server: StartAgent
) -> None:
    agent = Held()
    (held,) = org.start(org.agent(agent_server(agent).url))
    path = f"/api/runs/{held}/events"
    with streaming(org.platform.url, org.api_key, path) as stream:
        assert other_org.get(path).status_code == 404
        agent.go.set()
        stream.event(lambda event: "verdict" in event)


def test_a_slow_reader_of_a_long_trace_misses_nothing(
    org: Org, agent_server: StartAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("odyssey.runs.stream._MOST_KEPT", 2_000)
    started = threading.Event()

    def chatty(dispatched: Dispatched) -> Any:
        started.wait()
        for number in range(30):
            dispatched.call("list_orders", {"status": f"{number} {'x' * 200}"})
        return final()

    (run,) = org.start(org.agent(agent_server(chatty).url))
    org.wait(run, "running")
    path = f"/api/runs/{run}/events"
    with streaming(org.platform.url, org.api_key, path) as stream:
        started.set()
        org.graded(run)
        lines = stream.to_its_end()
    told = [int(line[4:]) for line in lines if line.startswith("id: ")]
    assert told == [event["sequence"] for event in org.trace(run)] == list(range(1, 33))


class Pair(Platform):
    """A platform whose executor has room for one run, and a process beside it on the same database."""

    def __init__(self, url: str) -> None:
        self.database_url = url
        super().__init__(url, max_runs=1)

    def other(self) -> ServerProcess:
        return ServerProcess("--database-url", self.database_url, ODYSSEY_SECRET_KEY=SECRET_KEY)

    async def break_relays(self) -> None:
        connection = await asyncpg.connect(self.database_url)
        relays = "datname = current_database() AND application_name = 'odyssey relay'"
        ended = await connection.fetch(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {relays}"
        )
        await connection.close()
        assert len(ended) == 2


@pytest.fixture
def pair(postgres_server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pair]:
    # Without looks that nobody asked for: what arrives was told.
    monkeypatch.setattr("odyssey.core.feeds._UNASKED_S", 86_400)
    monkeypatch.setattr("odyssey.identity.open_streams.LOOK_EVERY_S", 86_400)
    pair = Pair(new_postgres_database(postgres_server, f"streams_{time.monotonic_ns()}"))
    yield pair
    pair.stop()


def test_what_another_process_does_reaches_the_streams_of_this_one(
    pair: Pair, agent_server: StartAgent
) -> None:
    org, agent = pair.new_org(), Held()
    registered = org.agent(agent_server(agent).url)
    (held,) = org.start(registered)
    org.wait(held, "running")  # so that there is no room here for the next ones
    short_lived = org.ok(org.post("/api/keys", {"name": "short-lived"}))
    other = pair.other()
    there = httpx.Client(base_url=other.url, headers={"X-API-Key": org.api_key}, timeout=60, trust_env=False)
    with ExitStack() as opened:
        opened.callback(other.stop)
        opened.callback(agent.go.set)
        opened.enter_context(there)
        runs = opened.enter_context(streaming(pair.url, org.api_key))
        trace = opened.enter_context(streaming(pair.url, org.api_key, f"/api/runs/{held}/events"))
        cut = opened.enter_context(streaming(pair.url, short_lived["key"]))

        def told_of_the_next(stream: Stream) -> None:
            body = {"agent_id": registered["id"], "seeds": [{"user_instruction": "There."}]}
            (made,) = there.post("/api/runs", json=body).json()["runs"]
            stream.event(lambda run: run["id"] == made["id"] and run["status"] == "running")

        told_of_the_next(runs)
        bearer = {"Authorization": f"Bearer {agent.dispatched[0].token}"}
        there.post("/api/odyssey-proxy/traces/custom", json={"note": "there"}, headers=bearer)
        assert trace.event(lambda event: event["kind"] == "trace_event")["data"]["payload"]["note"] == "there"
        assert there.delete(f"/api/keys/{short_lived['id']}").status_code == 204
        cut.to_its_end()
        asyncio.run(pair.break_relays())
        told_of_the_next(runs)
