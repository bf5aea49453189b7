"""Finding a run among many: what a summary says, and every way to narrow the list."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import event, update
from support.agents import Behaviour, ScriptedAgent, final
from support.platform import Org, Platform

from odyssey.runs.models import Run

StartAgent = Callable[[Behaviour], ScriptedAgent]


@pytest.fixture
def agent(org: Org, agent_server: StartAgent) -> dict[str, Any]:
    return org.agent(agent_server(lambda d: final()).url, name="First name")


def run_all(org: Org, agent: dict[str, Any], *instructions: str) -> list[int]:
    run_ids = org.start(agent, *[{"user_instruction": text} for text in instructions])
    for run_id in run_ids:
        org.wait(run_id)
    return run_ids


def found(org: Org, **query: Any) -> list[int]:
    return [run["id"] for run in org.ok(org.get("/api/runs", params=query))["items"]][::-1]


@pytest.mark.both_databases
def test_a_summary_names_the_agent_as_it_was(org: Org, agent: dict[str, Any]) -> None:
    (old,) = run_all(org, agent, "x")
    org.ok(org.put(f"/api/agents/{agent['id']}", {"name": 'Nom "é" \\u0000 \\\\ 😀'}))
    (new,) = run_all(org, agent, "x")
    org.ok(org.client.delete(f"/api/agents/{agent['id']}"))
    listed = {run["id"]: run for run in org.ok(org.get("/api/runs"))["items"]}
    assert listed[old]["agent_name"] == "First name"
    assert listed[new]["agent_name"] == 'Nom "é" \\u0000 \\\\ 😀'
    for run_id, run in listed.items():
        whole = org.ok(org.get(f"/api/runs/{run_id}"))
        assert whole | run == whole


@pytest.mark.parametrize(
    ("instruction", "shown"),
    [
        ("Refund it.", "Refund it."),
        ("é😀" * 150, "é😀" * 150),
        ("é😀" * 150 + "x", "é😀" * 150 + "…"),
        ("y" * 100_000, "y" * 300 + "…"),
        ('"\\\n\t\u2028 \\u0000 \\\\n', '"\\\n\t\u2028 \\u0000 \\\\n'),
        ("before \\\x00 after", "before \\\ufffd after"),
    ],
)
def test_a_summary_says_how_the_instruction_begins(
    org: Org, agent: dict[str, Any], instruction: str, shown: str
) -> None:
    seed = {"user_instruction": instruction, "input": {"\x00": "\x00"}}
    (created,) = org.ok(org.post("/api/runs", {"agent_id": agent["id"], "seeds": [seed]}))["runs"]
    run = org.wait(created["id"])
    (listed,) = org.ok(org.get("/api/runs"))["items"]
    assert created["user_instruction"] == listed["user_instruction"] == run["user_instruction"] == shown
    assert run["odyssey_seed"]["user_instruction"] == instruction


@pytest.mark.both_databases
def test_the_instruction_is_searched_as_plain_text(org: Org, agent: dict[str, Any]) -> None:
    texts = [
        "Refund order 7",
        "CANCEL order 8",
        "100% off_er / now",
        "a\nb",
        'say "hi" \\ there',
        "Ärger",
        "\x00 nul",
    ]
    run_ids = dict(zip(texts, run_all(org, agent, *texts), strict=True))
    for q, expected in (
        ("ORDER", texts[:2]),
        ("refund ORDER 7", texts[:1]),
        ("cancel", texts[1:2]),
        ("0% OFF_", texts[2:3]),
        ("%", texts[2:3]),
        ("_", texts[2:3]),
        ("/ now", texts[2:3]),
        ("a\nb", texts[3:4]),
        ("nb", []),
        ('"hi" \\ t', texts[4:5]),
        ("\\", texts[4:5]),
        ("Ärger", texts[5:6]),
        ("nul", texts[6:]),
        ("u0000", []),
        ("user_instruction", []),
        ("completion", []),
        ("", texts),
    ):
        assert found(org, q=q) == [run_ids[text] for text in expected], q
    page = org.ok(org.get("/api/runs", params={"q": "order", "limit": 1}))
    assert [run["id"] for run in page["items"]] == [run_ids[texts[1]]]
    rest = org.ok(org.get("/api/runs", params={"q": "order", "limit": 1, "cursor": page["next_cursor"]}))
    assert ([run["id"] for run in rest["items"]], rest["next_cursor"]) == ([run_ids[texts[0]]], None)


@pytest.mark.both_databases
def test_the_search_stays_within_the_org(org: Org, other_org: Org, agent: dict[str, Any]) -> None:
    run_all(org, agent, "Refund order 7")
    assert found(other_org, q="refund") == []


@pytest.mark.both_databases
def test_the_filters_narrow_together(
    org: Org, platform: Platform, agent: dict[str, Any], agent_server: StartAgent
) -> None:
    bad = org.agent(agent_server(lambda d: {}).url)
    first, second = run_all(org, agent, "one", "two")
    (failed,) = run_all(org, bad, "one")
    org.ok(org.put(f"/api/agents/{agent['id']}", {"description": "changed"}))
    (newer,) = run_all(org, agent, "one")

    async def grade() -> None:
        async with platform.database.write() as session:
            await session.execute(update(Run).where(Run.id == second).values(verdict="PASS"))

    platform.do(grade())
    everything = [first, second, failed, newer]
    assert found(org, status=["completed", "failed"]) == everything
    assert found(org, status=["failed", "pending", "failed"]) == [failed]
    assert found(org, status=["pending", "running", "cancelled"]) == []
    assert found(org, verdict="PASS") == [second]
    assert found(org, verdict="NOT APPLICABLE") == [first, failed, newer]
    assert found(org, verdict="FAIL") == found(org, verdict="PENDING") == []
    assert found(org, agent_version=2) == [newer]
    assert found(org, agent_version=1) == [first, second, failed]
    assert found(org, agent_version=2**63 - 1) == []
    assert found(org, agent_id=agent["id"], agent_version=1, q="ONE", status="completed") == [first]
    assert found(org, error_class="contract_error", q="one", verdict="PASS") == []


def test_a_page_costs_the_same_however_many_runs_it_holds(
    org: Org, platform: Platform, agent: dict[str, Any]
) -> None:
    run_all(org, agent, *map(str, range(12)))
    sent: list[str] = []

    def note(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        sent.append(statement)

    engine = platform.database.reader.sync_engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        for limit in (1, 12):
            assert len(found(org, limit=limit)) == limit
    finally:
        event.remove(engine, "before_cursor_execute", note)
    for table in ("agent_versions", "tasks", "run_attempts"):
        assert len([statement for statement in sent if f"FROM {table}" in statement]) == 2, table
