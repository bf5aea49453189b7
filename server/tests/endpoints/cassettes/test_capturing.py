"""What is added to a cassette while runs replay it, and what a run sees of it."""

from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession
from support.cassettes import READING, keep_cassette
from support.platform import Org

from odyssey.endpoints.cassettes.playback import Replay
from odyssey.endpoints.cassettes.repository import (
    MAX_BYTES,
    MAX_INTERACTIONS,
    capture_statements,
    get_cassette,
    load_playback,
    users_of,
)

GONE = "http://127.0.0.1:9/dispatch"


class Tape:
    """A cassette with one interaction, and two runs that may capture more."""

    def __init__(self, org: Org) -> None:
        self.org = org
        agent = org.agent(GONE)
        self.runs = [org.run(agent)["id"] for _ in range(2)]
        self.id = keep_cassette(org, self.runs[0])
        self.org_id: int = org.ok(org.get("/api/org"))["id"]
        self.first = self.numbers()[-1]

    def held(self) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = self.org.ok(self.org.get(f"/api/cassettes/{self.id}/interactions"))[
            "items"
        ]
        return items

    def numbers(self) -> list[int]:
        return [one["number"] for one in self.held()]

    def capture(self, run_id: int, order: str, *, last_number: int | None = None, **changes: Any) -> None:
        replay = Replay(self.id, "lenient", "capture", last_number or self.first)
        members: dict[str, Any] = {
            "org_id": self.org_id,
            "run_id": run_id,
            "sequence": 1,
            "tool_name": "get_order",
            "arguments": f'{{"order_id":"{order}"}}'.encode(),
            "response": b'{"nul":"\\u0000"}',
            "source": "passthrough",
            "upstream": READING["upstream"] | {"status": None},
        }

        async def write() -> None:
            async with self.org.platform.database.write() as session:
                for sql, parameters in capture_statements(replay.stored(), **(members | changes)):
                    await session.execute(text(sql), parameters)

        self.org.platform.do(write())

    def execute(self, sql: str, **parameters: Any) -> None:
        """Change the rows of this cassette."""

        async def write() -> None:
            async with self.org.platform.database.write() as session:
                statement = text(f"{sql} WHERE cassette_id = :cassette_id")
                await session.execute(statement, {"cassette_id": self.id, **parameters})

        self.org.platform.do(write())

    def answers(self, last_number: int, *orders: str, org_id: int | None = None) -> list[Any]:
        replay = Replay(self.id, "lenient", "fail", last_number).stored()

        async def read() -> list[Any]:
            async with self.org.platform.database.read() as session:
                playback = await load_playback(session, org_id or self.org_id, replay)
            found = [playback.find("get_order", {"order_id": order}) for order in orders]
            return [None if one is None else one.response for one in found]

        return self.org.platform.do(read())


@pytest.fixture
def tape(org: Org) -> Tape:
    return Tape(org)


def test_what_is_captured_is_for_runs_that_come_later(tape: Tape) -> None:
    tape.capture(tape.runs[1], "ord_2")
    assert tape.answers(tape.first, "ord_1", "ord_2") == [READING["response"], None]
    assert tape.answers(tape.numbers()[-1], "ord_1", "ord_2") == [READING["response"], {"nul": "\0"}]
    captured = tape.held()[-1]
    assert (captured["captured"], captured["run_id"], captured["sequence"]) == (True, tape.runs[1], 1)
    assert (captured["endpoint"], captured["status"]) == ("orders", None)
    event = tape.org.trace(tape.runs[1])[0]
    assert captured["occurred_at"] == event["occurred_at"]


def test_of_runs_that_miss_the_same_call_the_first_ones_answers_are_kept(tape: Tape) -> None:
    first, second = tape.runs
    for run_id, order in (
        (first, "a"),
        (second, "a"),
        (second, "b"),
        (first, "b"),
        (first, "a"),
        (second, "a"),
    ):
        tape.capture(run_id, order)
    assert [one["arguments"]["order_id"] for one in tape.held()] == ["ord_1", "a", "b", "a"]


def test_a_run_that_knew_them_may_add_an_equal_one(tape: Tape) -> None:
    tape.capture(tape.runs[0], "a")
    tape.capture(tape.runs[1], "a", last_number=tape.numbers()[-1])
    assert [one["run_id"] for one in tape.held()[1:]] == tape.runs


@pytest.mark.both_databases
def test_a_cassette_without_room_takes_nothing_more(tape: Tape) -> None:
    size = len(b'{"order_id":"c"}') + len(b'{"nul":"\\u0000"}')
    tape.execute("UPDATE cassette_interactions SET bytes = :bytes", bytes=MAX_BYTES - size + 1)
    tape.capture(tape.runs[0], "c")
    assert len(tape.held()) == 1
    tape.execute("UPDATE cassette_interactions SET bytes = :bytes", bytes=MAX_BYTES - size)
    tape.capture(tape.runs[0], "c")
    assert len(tape.held()) == 2


def test_a_cassette_with_all_the_calls_it_may_have_takes_none(tape: Tape) -> None:
    tape.id = keep_cassette(tape.org, tape.runs[0], *[READING] * (MAX_INTERACTIONS - 1))
    for order in ("a", "b"):
        tape.capture(tape.runs[0], order)
    assert tape.org.ok(tape.org.get(f"/api/cassettes/{tape.id}"))["interactions"] == MAX_INTERACTIONS


@pytest.mark.both_databases
def test_a_cassette_that_is_not_there_or_not_ones_own_takes_and_gives_nothing(
    tape: Tape, other_org: Org
) -> None:
    foreign = other_org.ok(other_org.get("/api/org"))["id"]
    tape.capture(tape.runs[0], "a", org_id=foreign)
    assert len(tape.held()) == 1
    assert tape.answers(tape.first, "ord_1", org_id=foreign) == [None]
    assert tape.org.client.delete(f"/api/cassettes/{tape.id}").status_code == 204
    tape.capture(tape.runs[0], "a")
    assert tape.answers(tape.first + 1, "ord_1", "a") == [None, None]


@pytest.mark.both_databases
def test_a_run_that_goes_on_and_a_batch_that_is_not_whole_keep_it(tape: Tape, org: Org) -> None:
    agent = org.agent(GONE)
    body = {"agent_id": agent["id"], "seeds": [{"user_instruction": "x"}], "repeats": 2}
    made = org.ok(org.post("/api/runs", body | {"cassette": {"id": tape.id}}))
    run_id, batch_id = made["runs"][0]["id"], made["batch"]["id"]
    for run in made["runs"]:
        org.wait(run["id"])

    async def users(*changes: str) -> str | None:
        async with AsyncSession(org.platform.database.engine) as session:  # whose changes nobody else sees
            for change in changes:
                await session.execute(text(change), {"run_id": run_id, "batch_id": batch_id})
            return await users_of(session, await get_cassette(session, tape.org_id, tape.id))

    of_run = "UPDATE runs SET status = '{}' WHERE id = :run_id"
    campaign = "(SELECT campaign_id FROM batches WHERE id = :batch_id)"
    of_batch = f"UPDATE campaigns SET state = '{{}}', made_runs = {{}} WHERE id = {campaign}"
    ask = org.platform.do
    assert ask(users()) is None
    assert ask(users(of_run.format("pending"))) == ask(users(of_run.format("running")))
    assert ask(users(of_run.format("running"))) == f"Run {run_id} goes on"
    assert ask(users(of_batch.format("checking", 1))) == ask(users(of_batch.format("running", 1)))
    assert ask(users(of_batch.format("running", 1))) == f"Batch {batch_id} goes on"
    assert ask(users(of_batch.format("running", 2))) is None
    assert ask(users(of_batch.format("cancelled", 1))) is None
