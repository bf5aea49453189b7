"""Another organisation's object and one that does not exist are the same thing, on every route there is."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from api.objects import Objects, unchanged_objects
from api.surface import (
    AGENT,
    BODIES,
    MISSING,
    QUERIES,
    WITH_IDS,
    Operation,
    call,
    new_email,
    problem,
    snapshot,
)
from support.platform import Org, Platform


@pytest.fixture(scope="module")
def household(platform: Platform) -> Iterator[Objects]:
    """An organisation that has one object of every kind, none of which a stranger may change."""
    with unchanged_objects(platform) as objects:
        yield objects


def told(answer: httpx.Response) -> tuple[int, str, dict[str, str]]:
    headers = {name: value for name, value in answer.headers.items() if name not in {"x-request-id", "date"}}
    return answer.status_code, answer.text, headers


def options(operation: Operation) -> dict[str, Any]:
    body = {"json": BODIES[str(operation)]} if operation.takes_body else {}
    return body | {"params": QUERIES.get(str(operation), {})}


@pytest.mark.parametrize("operation", WITH_IDS, ids=str)
def test_anothers_object_is_not_there(household: Objects, other_org: Org, operation: Operation) -> None:
    missing = call(other_org, operation, operation.url(), **options(operation))
    problem(missing, 404, "not_found")
    for name in operation.ids:
        foreign = operation.url(**{name: household[name]})
        huge = operation.url(
            **{name: MISSING[name] if isinstance(MISSING[name], str) else 99999999999999999999}
        )
        for url in (foreign, huge):
            assert told(call(other_org, operation, url, **options(operation))) == told(missing)


@pytest.mark.parametrize("operation", WITH_IDS, ids=str)
def test_a_malformed_id_is_422(other_org: Org, operation: Operation) -> None:
    for name in operation.ids:
        for malformed in ("1e3", "a-c" if name == "credential_name" else "abc", "%00", "1%2F2", "-", "0x1"):
            answer = call(other_org, operation, operation.url(**{name: malformed}), **options(operation))
            body = problem(
                answer, *((404, "not_found") if "%2F" in malformed else (422, "validation_failed"))
            )
            if answer.status_code == 422:
                assert body["errors"][0]["loc"] == ["path", name]


def test_its_owner_reaches_every_object(household: Objects) -> None:
    reads = [operation for operation in WITH_IDS if operation.method == "GET"]
    assert reads
    for operation in reads:
        same = "batch_id" if "batch_id" in operation.ids else "matrix_id"
        query = {"with": household[same]} if "with" in operation.query else {}
        answer = call(household.org, operation, operation.url(**household.of(operation.ids)), params=query)
        assert answer.status_code == 200, operation


def test_lists_hold_only_ones_own(household: Objects, other_org: Org) -> None:
    seen = snapshot(other_org)
    assert all(
        seen[name]["items"] == []
        for name in (
            "agents",
            "worlds",
            "datasets",
            "batches",
            "runs",
            "audit-log",
            "v1/eval/scenarios",
            "v1/eval/runs",
            "v1/eval/matrix",
            "v1/review/items",
            "tool-endpoints",
            "credentials",
            "cassettes",
        )
    )
    assert all(variation["built_in"] for variation in seen["v1/eval/variations"]["items"])
    assert len(seen["people"]["items"]) == len(seen["keys"]["items"]) == 1
    foreign = other_org.get("/api/runs", params={"agent_id": str(household["agent_id"])})
    assert other_org.ok(foreign)["items"] == []


def test_a_run_of_anothers_agent_is_a_run_of_none(household: Objects, other_org: Org) -> None:
    answers = [
        other_org.post(path, {"agent_id": agent_id, "seeds": [{"user_instruction": "Do it."}]})
        for agent_id in (household["agent_id"], MISSING["agent_id"], 2**63 - 1, 2**63)
        for path in ("/api/runs", "/api/runs/validate")
    ]
    problem(answers[0], 404, "not_found")
    assert len({(answer.status_code, answer.text) for answer in answers}) == 1
    assert snapshot(other_org)["runs"]["items"] == []


def test_a_program_is_not_read_for_anothers_agent(household: Objects, other_org: Org) -> None:
    body = {"program": {}, "tool": "get_order"}
    answers = [
        other_org.post("/api/programs/read", body | {"agent_id": agent_id})
        for agent_id in (household["agent_id"], MISSING["agent_id"], 2**63 - 1, 2**63)
    ]
    problem(answers[0], 404, "not_found")
    assert len({(answer.status_code, answer.text) for answer in answers}) == 1


def test_org_id_must_be_the_callers_own(org: Org, other_org: Org) -> None:
    own, foreign = (one.ok(one.get("/api/org"))["id"] for one in (org, other_org))
    agent = org.ok(org.post("/api/agents", AGENT | {"org_id": own}))
    org.ok(org.put(f"/api/agents/{agent['id']}", {"org_id": own}))
    before = [snapshot(org), snapshot(other_org)]
    for org_id in (foreign, own + 10**6, 2**63):
        problem(org.post("/api/agents", AGENT | {"org_id": org_id}), 403, "forbidden")
        for path in ("/api/agents/validate", "/api/agents/test-connection"):
            problem(org.post(path, AGENT | {"org_id": org_id}), 403, "forbidden")
        problem(org.put(f"/api/agents/{agent['id']}", {"org_id": org_id, "name": "x"}), 403, "forbidden")
    assert [snapshot(org), snapshot(other_org)] == before


def test_an_address_may_sign_in_to_two_orgs_each_by_its_password(org: Org, other_org: Org) -> None:
    email = new_email()
    for one, password in ((org, "the first password"), (other_org, "the second password")):
        one.ok(one.post("/api/people", {"email": email, "role": "viewer", "password": password}))
        token = one.ok(one.post("/api/auth/token", {"email": email, "password": password}))["access_token"]
        person = Org(one.platform, token)
        assert person.ok(person.get("/api/org"))["id"] == one.ok(one.get("/api/org"))["id"]
        person.client.close()
