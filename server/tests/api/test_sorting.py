"""Sorted lists: every field of every list, both ways, over all pages; what is compared with is read by plain SQL."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from api.objects import Objects, waiting_agent
from api.surface import AGENT, CREDENTIAL_BODY, ENDPOINT_BODY, OPERATIONS, SCENARIO_BODY, WORLD_BODY, problem
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, event, insert, select, text
from sqlalchemy.engine import make_url
from support.cassettes import keep_cassette
from support.platform import Org, Platform

from odyssey.agents.models import Agent
from odyssey.core.tables import Base, by_code_point, table_of
from odyssey.evals.models import EvalRun, Scenario
from odyssey.kit.ids import new_uuid
from odyssey.library.models import Task
from odyssey.matrices.models import Matrix
from odyssey.runs.models import Batch, Campaign, Run

SORTABLE = {
    operation.path: next(
        each["enum"]
        for field in operation.route.dependant.query_params
        if field.alias == "sort"
        for each in field._type_adapter.json_schema()["anyOf"]
        if "enum" in each
    )
    for operation in OPERATIONS
    if "sort" in operation.query
}
RISKS = ["low", "medium", "high", "critical"]
START = datetime(2026, 1, 31, 23, 59, 59, 999_000, UTC)


def ordered(rows: list[Any], values: list[Any], *, descending: bool) -> list[Any]:
    """Sort rows that are newest first: equal values stay so, and those without one are last."""
    pairs = list(zip(values, rows, strict=True))
    there = sorted(
        (pair for pair in pairs if pair[0] is not None), key=lambda pair: pair[0], reverse=descending
    )
    return [row for _, row in there] + [row for value, row in pairs if value is None]


def walked(org: Org, path: str, limit: int, **query: Any) -> list[dict[str, Any]]:
    return [item for page in org.pages(path, limit, **query) for item in page]


# Every field of every list


def copied(platform: Platform, entity: type[Base], **changes: Any) -> int:
    """Add a row like the newest of its table; returns its number."""
    table = table_of(entity)
    (key,) = table.primary_key.columns

    async def copy() -> int:
        async with platform.database.write() as session:
            row = (await session.execute(select(table).order_by(key.desc()).limit(1))).one()
            values = {**row._mapping, **changes}
            del values[key.name]  # the database counts on, for those who come after
            made: int = (await session.scalars(insert(table).values(values).returning(key))).one()
            return made

    return platform.do(copy())


@pytest.fixture(scope="module")
def stocked(platform: Platform) -> Iterator[Org]:
    """An organisation with at least two objects in every list."""
    with waiting_agent() as agent:
        objects = Objects(platform.new_org(), agent.url)
        objects.make_all()
        org = objects.org
        for path, body in (
            ("/api/worlds", WORLD_BODY | {"name": "Ärger", "failure_rules": []}),
            ("/api/v1/eval/scenarios", SCENARIO_BODY | {"name": "Zürich", "risk_level": "medium"}),
            ("/api/tool-endpoints", ENDPOINT_BODY | {"name": "Zoo"}),
            ("/api/credentials", CREDENTIAL_BODY | {"name": "zoo"}),
            ("/api/people", {"email": "zoo@example.com", "role": "viewer"}),
            ("/api/agents", AGENT | {"name": "Zoo"}),
        ):
            org.ok(org.post(path, body))
        org.ok(org.post("/api/datasets", [{"user_instruction": "b"}] * 2, params={"name": "Zoo"}))
        keep_cassette(org, objects["run_id"])
        pressed = {"scenario_id": objects["scenario_id"], "variation_type": "sycophancy"}
        for run in org.ok(org.post("/api/v1/eval/runs", pressed))["runs"]:
            org.wait(run["id"], "running")
        copied(platform, Batch, campaign_id=copied(platform, Campaign), dataset_id=None, repeats=7)
        another = {"id": new_uuid(), "campaign_id": copied(platform, Campaign)}
        copied(platform, Matrix, **another, name="Zoo", finished_at=None)
        yield org


def value_of(item: dict[str, Any], field: str) -> Any:
    if field == "risk_level":
        return RISKS.index(item[field])
    if field == "duration":
        times = [item["started_at"], item["finished_at"]]
        if None in times:
            return None
        began, ended = map(datetime.fromisoformat, times)
        return ended - began
    return item[field]


@pytest.mark.both_databases
def test_every_list_is_sorted_by_each_of_its_fields_both_ways(stocked: Org) -> None:
    for path in SORTABLE:
        is_sorted_by_each_field(stocked, path)


def is_sorted_by_each_field(stocked: Org, path: str) -> None:
    listed = walked(stocked, path, 200)
    assert len(listed) > 1, path
    for sort in SORTABLE[path]:
        field = sort.removeprefix("-")
        found = walked(stocked, path, len(listed) // 2, sort=sort)
        values = [value_of(item, field) for item in listed]
        assert found == ordered(listed, values, descending=sort.startswith("-")), (path, sort)


def test_the_lists_of_objects_can_be_sorted() -> None:
    assert SORTABLE.keys() == {
        "/api/agents",
        "/api/batches",
        "/api/cassettes",
        "/api/credentials",
        "/api/datasets",
        "/api/people",
        "/api/runs",
        "/api/tool-endpoints",
        "/api/v1/eval/matrix",
        "/api/v1/eval/runs",
        "/api/v1/eval/scenarios",
        "/api/worlds",
    }


# Ties, nulls and rows that come while one reads

words = st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=3
) | st.sampled_from(["a", "B", "ä", "Z", "_", "a b", "ab", "\uffff", "😀"])
few = st.sampled_from([None, 0.0, 0.1, 0.25, 1.0])
moments = st.integers(0, 3).map(lambda number: START + timedelta(microseconds=number * 499_999))
made_rows = st.lists(
    st.fixed_dictionaries(
        {
            "instruction": words,
            "status": st.sampled_from(["completed", "failed", "cancelled"]),
            "error_class": st.none() | words,
            "score": few,
            "started_at": st.none() | moments,
            "finished_at": st.none() | moments,
            "matched": st.sampled_from([None, False, True]),
            "raw_shift": few,
            "risk_level": st.sampled_from(RISKS),
        }
    ),
    min_size=4,
    max_size=10,
)
FIELDS = {
    "/api/runs": ["id", "status", "error_class", "score", "started_at", "duration", "user_instruction"],
    "/api/v1/eval/runs": ["id", "matched", "raw_shift", "risk_level", "status", "finished_at"],
}
PLAIN = """
SELECT runs.id, status, error_class, score, started_at, finished_at, seed, matched, raw_shift, risk_level
FROM runs JOIN eval_runs ON eval_runs.run_id = runs.id JOIN tasks ON tasks.id = runs.task_id
WHERE runs.org_id = :org_id ORDER BY runs.id DESC
"""


class Lists:
    """The runs of an organisation, written into the tables as they are."""

    def __init__(self, org: Org) -> None:
        self.org = org
        org.ok(org.post("/api/agents", AGENT))
        org.ok(org.post("/api/v1/eval/scenarios", SCENARIO_BODY))

        async def find() -> Any:
            async with org.platform.database.read() as session:
                newest = select(Agent, Scenario).join(Scenario, Scenario.org_id == Agent.org_id)
                return (await session.execute(newest.order_by(Agent.id.desc()).limit(1))).one()

        self.agent, self.scenario = org.platform.do(find())

    def clear(self) -> None:
        async def remove() -> None:
            async with self.org.platform.database.write() as session:
                for entity in (EvalRun, Run, Task):
                    await session.execute(delete(entity).where(entity.org_id == self.agent.org_id))

        self.org.platform.do(remove())

    def add(self, rows: list[dict[str, Any]]) -> None:
        async def write() -> None:
            async with self.org.platform.database.write() as session:
                for row in rows:
                    task = Task(
                        seed={"user_instruction": row["instruction"]}, initial_state_hash="", created_at=START
                    )
                    run = Run(**{name: row[name] for name in ("status", "error_class", "score")})
                    run.started_at, run.finished_at = row["started_at"], row["finished_at"]
                    of_run = EvalRun(**{name: row[name] for name in ("matched", "raw_shift", "risk_level")})
                    for made in (task, run, of_run):
                        made.org_id = self.agent.org_id
                    session.add(task)
                    await session.flush()
                    run.task_id, run.attempt, run.verdict, run.soft_warnings = task.id, 1, "PASS", []
                    run.agent_id, run.agent_version = self.agent.id, 1
                    run.random_seed, run.created_at = 1, START
                    session.add(run)
                    await session.flush()
                    of_run.run_id, of_run.scenario_number = run.id, self.scenario.number
                    of_run.agent_id, of_run.agent_version, of_run.scenario_version = self.agent.id, 1, 1
                    of_run.placebo, of_run.repeat, of_run.observed_at = False, 1, START
                    session.add(of_run)
                    await session.flush()

        self.org.platform.do(write())

    def read(self) -> list[dict[str, Any]]:
        async def plain() -> list[dict[str, Any]]:
            async with self.org.platform.database.read() as session:
                rows = await session.execute(text(PLAIN), {"org_id": self.agent.org_id})
                return [dict(row._mapping) for row in rows]

        return self.org.platform.do(plain())


def plain_value(row: dict[str, Any], field: str) -> Any:
    if field == "user_instruction":
        return json.loads(row["seed"])[field]
    if field == "duration" and isinstance(row["started_at"], str) and isinstance(row["finished_at"], str):
        return datetime.fromisoformat(row["finished_at"]) - datetime.fromisoformat(row["started_at"])
    if field == "duration":
        times = (row["started_at"], row["finished_at"])
        return None if None in times else times[1] - times[0]
    return RISKS.index(row[field]) if field == "risk_level" else row[field]


@pytest.fixture(scope="module")
def lists(platform: Platform) -> Lists:
    return Lists(platform.new_org())


def pages_hold_every_row(
    lists: Lists, rows: list[Any], late: list[Any], wanted: tuple[str, str], descending: bool, limit: int
) -> None:
    path, field = wanted
    lists.clear()
    lists.add(rows)
    there = lists.read()
    expected = ordered(
        [row["id"] for row in there], [plain_value(row, field) for row in there], descending=descending
    )
    seen: list[int] = []
    for number, page in enumerate(lists.org.pages(path, limit, sort=f"-{field}" if descending else field)):
        seen += [item["id"] for item in page]
        if number == 0:
            lists.add(late)
    assert len(seen) == len(set(seen))
    assert [run_id for run_id in seen if run_id in expected] == expected


whatever = given(
    rows=made_rows,
    late=made_rows,
    wanted=st.sampled_from([(path, field) for path, fields in FIELDS.items() for field in fields]),
    descending=st.booleans(),
    limit=st.integers(2, 5),
)


@pytest.mark.both_databases
@settings(max_examples=15, deadline=None)
@whatever
def test_pages_hold_every_row_once_in_order_whatever_comes_meanwhile(lists: Lists, **drawn: Any) -> None:
    pages_hold_every_row(lists, **drawn)


@pytest.mark.full
@settings(max_examples=300, deadline=None)
@whatever
def test_many_pages_hold_every_row_once_in_order(lists: Lists, **drawn: Any) -> None:
    pages_hold_every_row(lists, **drawn)


def test_postgres_compares_texts_by_code_point_whatever_its_language() -> None:
    """The Postgres of the tests knows no language, so that its answers cannot show it."""
    compared = by_code_point(Run.status).compile(dialect=make_url("postgresql+asyncpg://").get_dialect()())
    assert str(compared) == '(runs.status) COLLATE "C"'


# What is refused


@pytest.mark.parametrize("sort", ["", "-", "--id", "id ", "ID", "user_instruction.x", "agent", "\0"])
def test_an_unknown_field_is_422_and_names_the_others(org: Org, sort: str) -> None:
    (error,) = problem(org.get("/api/runs", params={"sort": sort}), 422, "validation_failed")["errors"]
    assert error["loc"] == ["query", "sort"]
    assert "id, status, verdict, failure_mode" in error["msg"]
    assert ("did you mean 'agent_id'?" in error["msg"]) == (sort == "agent")


@pytest.mark.both_databases
def test_a_cursor_of_another_order_is_422(lists: Lists) -> None:
    lists.clear()
    row = {"instruction": "", "status": "failed", "error_class": None, "score": None, "raw_shift": None}
    lists.add([{**row, "started_at": START, "finished_at": None, "matched": None, "risk_level": "low"}] * 2)
    org = lists.org
    sorts = [
        {},
        {"sort": "id"},
        {"sort": "-id"},
        {"sort": "score"},
        {"sort": "-score"},
        {"sort": "started_at"},
    ]
    for given_with in sorts:
        cursor = org.ok(org.get("/api/runs", params=given_with | {"limit": 1}))["next_cursor"]
        for used_with in sorts:
            answer = org.get("/api/runs", params=used_with | {"cursor": cursor})
            if used_with == given_with:
                assert len(org.ok(answer)["items"]) == 1
                continue
            (error,) = problem(answer, 422, "validation_failed")["errors"]
            assert error["loc"] == ["query", "cursor"]
            assert error["msg"] == "cursor is of a list in another order; leave it out to start over"


# Speed


def test_the_default_order_and_that_of_the_id_come_from_an_index(platform: Platform, stocked: Org) -> None:
    if not platform.database.is_sqlite:
        pytest.skip("Postgres reads a table of two rows without an index")
    sent: list[tuple[str, Any]] = []
    engine = platform.database.reader.sync_engine

    def note(_: Any, __: Any, statement: str, parameters: Any, *___: Any) -> None:
        if "LIMIT" in statement and ".org_id = " in statement:
            sent.append((statement, parameters))

    event.listen(engine, "before_cursor_execute", note)
    try:
        for path in (
            "/api/runs",
            "/api/batches",
            "/api/v1/eval/runs",
            "/api/v1/eval/scenarios",
            "/api/v1/eval/matrix",
        ):
            for sort in ({"sort": "id"}, {"sort": "-id"}) if "id" in SORTABLE[path] else ():
                walked(stocked, path, 1, **sort)
            walked(stocked, path, 1)
    finally:
        event.remove(engine, "before_cursor_execute", note)
    assert len(sent) > 10

    async def plans() -> list[str]:
        async with platform.database.read() as session:
            connection = await session.connection()
            found = []
            for statement, parameters in sent:
                plan = await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
                found.append(" / ".join(str(row.detail) for row in plan))
            return found

    for plan in platform.do(plans()):
        assert "TEMP B-TREE" not in plan
        assert "org_id" in plan
