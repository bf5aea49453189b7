"""`Idempotency-Key`: a repeat has no second effect and the first answer, for its sender alone."""

import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx
import pytest
from sqlalchemy import select, update
from support.agents import Behaviour, ScriptedAgent, final
from support.platform import Org, Platform

from odyssey.identity.models import IdempotentResponse
from odyssey.kit.clock import utc_now

PASSWORD = "correct horse battery"
AGENT: dict[str, Any] = {"name": "planted-name-55e1", "config": {"endpoint_url": "http://127.0.0.1:9/"}}

StartAgent = Callable[[Behaviour], ScriptedAgent]


def new_key() -> dict[str, str]:
    return {"Idempotency-Key": str(uuid4())}


def agents_of(org: Org) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = org.ok(org.get("/api/agents"))["items"]
    return items


def refusal(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def kept(org: Org) -> list[IdempotentResponse]:
    async def work() -> list[IdempotentResponse]:
        async with org.platform.database.read() as session:
            mine = select(IdempotentResponse).where(IdempotentResponse.org_id == org_id)
            return list(await session.scalars(mine))

    org_id = org.ok(org.get("/api/org"))["id"]
    return org.platform.do(work())


def test_the_same_request_twice_has_one_effect_and_one_answer(org: Org) -> None:
    key = new_key()
    first, second = (org.post("/api/agents", AGENT, headers=key) for _ in range(2))
    assert first.status_code == second.status_code == 201
    assert first.content == second.content
    assert first.headers["content-type"] == second.headers["content-type"]
    assert len(agents_of(org)) == 1
    assert len(org.ok(org.get("/api/audit-log"))["items"]) == 1


def test_every_post_that_changes_something_takes_a_key(org: Org, agent_server: StartAgent) -> None:
    agent = org.agent(agent_server(lambda d: final()).url, publish=False)
    person = {"email": f"{uuid4()}@example.com", "role": "viewer"}
    runs = {"agent_id": agent["id"], "seeds": [{"user_instruction": "Do it."}]}
    for path, body in (
        ("/api/people", person),
        (f"/api/agents/{agent['id']}/publish", None),
        ("/api/runs", runs),
    ):
        key = new_key()
        first, second = (org.post(path, body, headers=key) for _ in range(2))
        org.ok(first)
        assert (first.status_code, first.content) == (second.status_code, second.content), path
    assert len(org.ok(org.get("/api/people"))["items"]) == 2
    assert len(org.ok(org.get("/api/runs"))["items"]) == 1
    actions = [entry["action"] for entry in org.ok(org.get("/api/audit-log"))["items"]]
    assert sorted(actions) == ["agent.create", "agent.publish", "person.create", "run.create"]


def test_a_repeated_cancel_gets_the_first_answer(org: Org, agent_server: StartAgent) -> None:
    release = threading.Event()
    (run_id,) = org.start(org.agent(agent_server(lambda d: release.wait(30) and final()).url))
    org.wait(run_id, "running")
    key = new_key()
    first, second = (org.post(f"/api/runs/{run_id}/cancel", headers=key) for _ in range(2))
    release.set()
    assert org.ok(first)["status"] == "cancelled"
    assert (second.status_code, second.content) == (200, first.content)
    assert refusal(org.post(f"/api/runs/{run_id}/cancel", headers=new_key())) == (409, "conflict")


def test_another_body_under_the_same_key_is_refused(org: Org) -> None:
    key = new_key()
    org.ok(org.post("/api/agents", AGENT, headers=key))
    for other in (AGENT | {"name": "other"}, AGENT | {"description": ""}):
        assert refusal(org.post("/api/agents", other, headers=key)) == (409, "idempotency_key_reused")
    assert len(agents_of(org)) == 1


@pytest.mark.both_databases
def test_ten_at_once_have_one_effect(org: Org) -> None:
    key = new_key()
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda _: org.post("/api/agents", AGENT, headers=key), range(10)))
    created = [answer for answer in answers if answer.status_code == 201]
    assert created
    assert len({answer.content for answer in created}) == 1
    for answer in answers:
        if answer.status_code != 201:
            assert refusal(answer) == (409, "idempotency_in_progress")
            assert answer.headers["retry-after"] == "1"
            assert answer.json()["retryable"] is True
    assert len(agents_of(org)) == 1
    assert org.post("/api/agents", AGENT, headers=key).content == created[0].content


def test_a_refusal_is_not_kept(org: Org) -> None:
    key = new_key()
    assert org.post("/api/agents", AGENT | {"tools_schema": 5}, headers=key).status_code == 422
    assert kept(org) == []
    assert org.post("/api/agents", AGENT, headers=key).status_code == 201
    assert len(kept(org)) == 1


def test_a_key_belongs_to_its_sender_and_its_path(org: Org, other_org: Org) -> None:
    key = new_key()
    spare = Org(org.platform, org.ok(org.post("/api/keys", {"name": "spare"}))["key"])
    body = {"email": f"{uuid4()}@example.com", "role": "admin", "password": PASSWORD}
    org.ok(org.post("/api/people", body, headers=key))
    token = org.ok(org.post("/api/auth/token", {"email": body["email"], "password": PASSWORD}))
    person = Org(org.platform, token["access_token"])
    for sender in (org, spare, person, other_org):
        assert sender.post("/api/agents", AGENT, headers=key).status_code == 201
    assert len(agents_of(org)) == 3
    assert len(agents_of(other_org)) == 1
    for sender in (spare, person):
        sender.client.close()


@pytest.mark.both_databases
@pytest.mark.parametrize("value", ["", "x" * 256])
def test_a_key_without_sense_is_400(org: Org, value: str) -> None:
    answer = org.post("/api/agents", AGENT, headers={"Idempotency-Key": value})
    assert refusal(answer) == (400, "bad_request")
    assert agents_of(org) == []
    longest = {"Idempotency-Key": "x" * 255}
    assert org.post("/api/agents", AGENT, headers=longest).status_code == 201


def test_routes_that_deal_in_secrets_take_no_key(org: Org) -> None:
    keys = org.ok(org.get("/api/keys"))
    email = f"{uuid4()}@example.com"
    org.ok(org.post("/api/people", {"email": email, "role": "viewer", "password": PASSWORD}))
    for path, body in (
        ("/api/keys", {"name": "spare"}),
        ("/api/auth/token", {"email": email, "password": PASSWORD}),
        ("/api/auth/session", {"email": email, "password": PASSWORD}),
        ("/api/auth/password", {"password": PASSWORD}),
    ):
        assert refusal(org.post(path, body, headers=new_key())) == (400, "bad_request")
    assert org.ok(org.get("/api/keys")) == keys


def test_a_key_is_offered_where_it_is_not_refused(org: Org) -> None:
    document = org.ok(org.get("/openapi.json"))
    posts = {path: item["post"] for path, item in document["paths"].items() if "post" in item}
    offered = {
        path
        for path, operation in posts.items()
        if any(each["name"] == "Idempotency-Key" for each in operation.get("parameters", ()))
    }
    own = [path for path in posts if not path.startswith("/api/odyssey-proxy")]
    refused = {
        path
        for path in own
        if "send no Idempotency-Key" in org.post(re.sub("{.*?}", "1", path), {}, headers=new_key()).text
    }
    assert {"/api/keys", "/api/auth/token", "/api/credentials"} <= refused
    assert offered == set(own) - refused


def test_what_changes_nothing_ignores_a_key(org: Org) -> None:
    key = new_key()
    for name in ("one", "two"):
        answer = org.post("/api/agents/validate", AGENT | {"name": name}, headers=key)
        assert org.ok(answer)["agent"]["name"] == name
    agent = org.ok(org.post("/api/agents", AGENT))
    for name in ("one", "two"):
        changed = org.put(f"/api/agents/{agent['id']}", {"name": name}, headers=key)
        assert org.ok(changed)["name"] == name


@pytest.mark.both_databases
def test_the_kept_answer_cannot_be_read_in_the_database(org: Org) -> None:
    key = new_key()
    org.ok(org.post("/api/agents", AGENT, headers=key))
    (row,) = kept(org)
    everything = f"{row.scope} {row.body_hmac} {row.sealed}"
    for clear in (AGENT["name"], key["Idempotency-Key"], "endpoint_url"):
        assert clear not in everything


@pytest.mark.both_databases
def test_after_a_day_a_key_is_new_again(org: Org, platform: Platform) -> None:
    key = new_key()
    org.ok(org.post("/api/agents", AGENT, headers=key))
    (row,) = kept(org)

    async def age() -> None:
        async with platform.database.write() as session:
            mine = update(IdempotentResponse).where(IdempotentResponse.scope == row.scope)
            await session.execute(mine.values(created_at=utc_now() - timedelta(hours=24, seconds=1)))

    platform.do(age())
    org.ok(org.post("/api/agents", AGENT | {"name": "another"}, headers=key))
    assert len(agents_of(org)) == 2
    assert len(kept(org)) == 1
