"""Large documents are read by another process: while it does not answer everybody else is served, and it may die."""

import asyncio
import io
import json
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from uuid import uuid4

import httpx
import pytest
from api.surface import AGENT, SCENARIO_BODY, UNUSED_URL
from support.datasets import post_csv, post_json
from support.platform import Org, Platform

from odyssey.core.errors import ConflictError, NotAvailableYetError, ValidationFailedError
from odyssey.core.worker import ON_THE_SPOT, ReaderFailedError, Worker, receive, send
from odyssey.records.problems import FaultList, FieldError

LARGE = "x" * ON_THE_SPOT
STATE = {"order": {"ord_1": {"order_id": "ord_1", "note": LARGE}}}


@pytest.fixture
def worker(platform: Platform, org: Org) -> Worker:
    """The platform's, with its process running."""
    org.ok(org.post("/api/worlds", {"name": "large", "initial_state": STATE}))
    return platform.part(Worker)


@contextmanager
def stopped(worker: Worker) -> Iterator[int]:
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGSTOP)
    try:
        yield worker.pid
    finally:
        os.kill(worker.pid, signal.SIGCONT)


def large_requests(org: Org) -> dict[str, tuple[Callable[[], httpx.Response], int]]:
    """A request of each kind whose document is large, and the status it gets."""
    agent = org.agent(UNUSED_URL)
    small = {"order": {"a": {"n": 1}}}
    # One each: of several changes of one world only the first would be made, and which that is would be chance.
    replaced, edited, extended = (
        org.ok(org.post("/api/worlds", {"name": name, "initial_state": small}))
        for name in ("replaced", "edited", "extended")
    )
    edit = {"op": "update", "entity_type": "order", "id": "a", "fields": {"note": LARGE}}
    scenario = SCENARIO_BODY | {"input_context": {"note": "x"}}
    yaml = "scenarios:\n- " + json.dumps(scenario) + "\n" + f"# {LARGE}\n"
    row = {"user_instruction": LARGE}
    return {
        "agent": (lambda: org.post("/api/agents/validate", AGENT | {"description": LARGE}), 422),
        "world": (lambda: org.put(f"/api/worlds/{replaced['id']}", {"initial_state": STATE}), 200),
        "operations": (
            lambda: org.post(
                f"/api/worlds/{edited['id']}/operations", {"operations": [edit], "hash": edited["hash"]}
            ),
            200,
        ),
        "import": (
            lambda: org.client.post(
                f"/api/worlds/{extended['id']}/import",
                params={"entity_type": "order"},
                json=[{"id": "b", "note": LARGE}],
            ),
            200,
        ),
        "runs": (
            lambda: org.post("/api/runs/validate", {"agent_id": agent["id"], "seeds": [row]}),
            200,
        ),
        "yaml": (
            lambda: org.client.post(
                "/api/v1/eval/scenarios/import", content=yaml, headers={"Content-Type": "application/yaml"}
            ),
            200,
        ),
        "rows": (lambda: post_json(org, [row]), 201),
        "table": (lambda: post_csv(org, f"user\n{LARGE}\n"), 201),
        "lint": (lambda: post_json(org, [row], "/lint"), 200),
        "audit": (lambda: post_json(org, [row], "/audit"), 200),
    }


def test_everybody_else_is_served_while_large_documents_are_read(org: Org, worker: Worker) -> None:
    asked = large_requests(org)
    with ThreadPoolExecutor(len(asked)) as pool:
        with stopped(worker):
            waiting = {name: pool.submit(ask) for name, (ask, _) in asked.items()}
            served = [org.get("/health").status_code for _ in range(20)]
            done = [name for name, answer in waiting.items() if answer.done()]
        statuses = {name: answer.result().status_code for name, answer in waiting.items()}
    assert (served, done) == ([200] * 20, [])
    assert statuses == {name: status for name, (_, status) in asked.items()}


def test_others_may_write_while_large_documents_with_an_idempotency_key_are_read(
    platform: Platform, org: Org, worker: Worker
) -> None:
    """On SQLite they have one writer between them, which is taken when a document has been read."""
    asked, writing = large_requests(org), platform.new_org()
    org.client.event_hooks["request"].append(add_key)
    with ThreadPoolExecutor(len(asked)) as pool:
        with stopped(worker):
            waiting = {name: pool.submit(ask) for name, (ask, _) in asked.items()}
            written = [writing.post("/api/agents", AGENT).status_code for _ in range(20)]
            done = [name for name, answer in waiting.items() if answer.done()]
        statuses = {name: answer.result().status_code for name, answer in waiting.items()}
    assert (written, done) == ([201] * 20, [])
    assert statuses == {name: status for name, (_, status) in asked.items()}


def test_a_second_request_with_a_key_is_refused_while_the_first_is_served(org: Org, worker: Worker) -> None:
    rows, key = [{"user_instruction": LARGE}], {"Idempotency-Key": str(uuid4())}

    def upload() -> httpx.Response:
        return org.client.post("/api/datasets", params={"name": "rows"}, json=rows, headers=key)

    with ThreadPoolExecutor(1) as pool:
        with stopped(worker):
            first = pool.submit(upload)
            while not worker.is_at_work:
                org.get("/health")
            refused = upload()
        made = first.result()
    assert (refused.status_code, refused.json()["code"]) == (409, "idempotency_in_progress")
    assert refused.headers["retry-after"] == "1"
    assert made.status_code == 201
    assert upload().content == made.content


def add_key(request: httpx.Request) -> None:
    request.headers["Idempotency-Key"] = str(uuid4())


def test_whose_document_is_lost_is_told_so_and_the_next_is_read(org: Org, worker: Worker) -> None:
    lost: Future[httpx.Response]
    with ThreadPoolExecutor(1) as pool:
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGSTOP)
        lost = pool.submit(org.post, "/api/worlds", {"name": "lost", "initial_state": STATE})
        while not worker.is_at_work:
            org.get("/health")
        os.kill(worker.pid, signal.SIGKILL)
        answer = lost.result()
    assert answer.status_code == 503
    assert (answer.json()["code"], answer.json()["retryable"]) == ("reader_failed", True)
    assert [world["name"] for world in org.ok(org.get("/api/worlds"))["items"]] == ["large"]
    assert org.post("/api/worlds", {"name": "next", "initial_state": STATE}).status_code == 201


def test_a_document_that_takes_too_much_memory_is_lost_and_the_process_goes_on() -> None:
    async def read() -> tuple[int | None, int | None]:
        worker = Worker()
        try:
            assert await worker.read(ON_THE_SPOT + 1, len, b"abc") == 3
            before = worker.pid
            with pytest.raises(ReaderFailedError):
                await worker.read(ON_THE_SPOT + 1, bytes, 2**40)
            assert await worker.read(ON_THE_SPOT + 1, len, b"abcd") == 4
            return before, worker.pid
        finally:
            await worker.close()

    before, after = asyncio.run(read())
    assert before == after
    assert not os.path.exists(f"/proc/{after}")


@pytest.mark.parametrize(
    "error",
    [
        ValidationFailedError(FaultList([FieldError(("a", 1), "wrong", "tool")] * 150)),
        NotAvailableYetError(["mode"]),
        ConflictError("Another was faster.", retry_after_s=3),
    ],
)
def test_errors_are_the_same_on_the_other_side(error: Exception) -> None:
    wire = io.BytesIO()
    send(wire, error)
    wire.seek(0)
    raised = receive(wire)
    assert type(raised) is type(error)
    assert (str(raised), vars(raised)) == (str(error), vars(error))
