"""Who may call what: every route says so, and the server holds every route to it."""

from collections.abc import Iterator

import httpx
import pytest
from api.surface import OPERATIONS, Operation, all_routes, call, new_email, operations_of, problem
from fastapi.routing import APIRoute
from support.platform import Org, Platform

from odyssey.identity.caller import Role
from odyssey.identity.guard import Allow, AllowAnyone, Anyone, GuardedRouter, Viewer, declared_access
from odyssey.proxy.parts import PREFIX

EVERYBODY = None

LEAST_ROLE = {
    "GET /health": EVERYBODY,
    "GET /health/live": EVERYBODY,
    "GET /health/ready": EVERYBODY,
    "GET /schemas/agent-response.json": EVERYBODY,
    "POST /api/auth/session": EVERYBODY,
    "GET /api/auth/session": Role.viewer,
    "DELETE /api/auth/session": Role.viewer,
    "POST /api/auth/password": Role.viewer,
    "POST /api/auth/token": EVERYBODY,
    "GET /api/org": Role.viewer,
    "PUT /api/org": Role.admin,
    "GET /api/people": Role.admin,
    "POST /api/people": Role.admin,
    "PUT /api/people/{person_id}": Role.admin,
    "DELETE /api/people/{person_id}": Role.admin,
    "GET /api/keys": Role.admin,
    "POST /api/keys": Role.admin,
    "DELETE /api/keys/{key_id}": Role.admin,
    "GET /api/audit-log": Role.admin,
    "GET /api/settings": Role.viewer,
    "PUT /api/settings": Role.admin,
    "GET /api/agents": Role.viewer,
    "POST /api/agents": Role.admin,
    "POST /api/agents/validate": Role.admin,
    "POST /api/agents/readings": Role.viewer,
    "GET /api/agents/{agent_id}/readings": Role.viewer,
    "GET /api/agents/{agent_id}": Role.viewer,
    "PUT /api/agents/{agent_id}": Role.admin,
    "DELETE /api/agents/{agent_id}": Role.admin,
    "POST /api/agents/{agent_id}/publish": Role.admin,
    "GET /api/agents/{agent_id}/consistency": Role.viewer,
    "GET /api/agents/{agent_id}/versions": Role.viewer,
    "GET /api/agents/{agent_id}/versions/{version}": Role.viewer,
    "POST /api/agents/test-connection": Role.admin,
    "POST /api/agents/{agent_id}/test-connection": Role.admin,
    "POST /api/agents/{agent_id}/programs/propose": Role.admin,
    "POST /api/agents/{agent_id}/programs/replay": Role.admin,
    "POST /api/programs/read": Role.member,
    "GET /api/tool-endpoints": Role.viewer,
    "POST /api/tool-endpoints": Role.admin,
    "GET /api/tool-endpoints/{endpoint_id}": Role.viewer,
    "PUT /api/tool-endpoints/{endpoint_id}": Role.admin,
    "DELETE /api/tool-endpoints/{endpoint_id}": Role.admin,
    "POST /api/tool-endpoints/{endpoint_id}/discover": Role.admin,
    "POST /api/tool-endpoints/{endpoint_id}/call": Role.admin,
    "GET /api/credentials": Role.admin,
    "POST /api/credentials": Role.admin,
    "PUT /api/credentials/{credential_name}": Role.admin,
    "DELETE /api/credentials/{credential_name}": Role.admin,
    "GET /api/worlds": Role.viewer,
    "POST /api/worlds": Role.member,
    "GET /api/worlds/{world_id}": Role.viewer,
    "PUT /api/worlds/{world_id}": Role.member,
    "DELETE /api/worlds/{world_id}": Role.member,
    "GET /api/worlds/{world_id}/entities": Role.viewer,
    "POST /api/worlds/{world_id}/operations": Role.member,
    "POST /api/worlds/{world_id}/import": Role.member,
    "POST /api/worlds/{world_id}/try": Role.member,
    "POST /api/behaviors/read": Role.member,
    "GET /api/worlds/{world_id}/fidelity": Role.viewer,
    "PUT /api/worlds/{world_id}/fidelity": Role.member,
    "GET /api/datasets": Role.viewer,
    "POST /api/datasets": Role.member,
    "GET /api/datasets/template": Role.viewer,
    "POST /api/datasets/lint": Role.member,
    "POST /api/datasets/audit": Role.member,
    "GET /api/datasets/{dataset_id}": Role.viewer,
    "PUT /api/datasets/{dataset_id}": Role.member,
    "DELETE /api/datasets/{dataset_id}": Role.member,
    "GET /api/datasets/{dataset_id}/rows": Role.viewer,
    "GET /api/datasets/{dataset_id}/ungradable": Role.viewer,
    "GET /api/datasets/{dataset_id}/export": Role.viewer,
    "POST /api/datasets/{dataset_id}/audit": Role.member,
    "GET /api/runs": Role.viewer,
    "POST /api/runs": Role.member,
    "POST /api/runs/validate": Role.member,
    "GET /api/runs/events": Role.viewer,
    "GET /api/runs/{run_id}": Role.viewer,
    "POST /api/runs/{run_id}/cancel": Role.member,
    "POST /api/runs/{run_id}/grade": Role.member,
    "GET /api/batches": Role.viewer,
    "GET /api/batches/{batch_id}": Role.viewer,
    "POST /api/batches/{batch_id}/cancel": Role.member,
    "GET /api/batches/{batch_id}/rows": Role.viewer,
    "GET /api/batches/{batch_id}/export": Role.viewer,
    "GET /api/batches/{batch_id}/compare": Role.viewer,
    "GET /api/runs/{run_id}/events": Role.viewer,
    "GET /api/runs/{run_id}/trace": Role.viewer,
    "GET /api/runs/{run_id}/ledger": Role.viewer,
    "GET /api/runs/{run_id}/ledger/diff": Role.viewer,
    "GET /api/v1/eval/scenarios": Role.viewer,
    "POST /api/v1/eval/scenarios": Role.member,
    "POST /api/v1/eval/scenarios/import": Role.member,
    "GET /api/v1/eval/scenarios/export": Role.viewer,
    "GET /api/v1/eval/scenarios/{scenario_id}": Role.viewer,
    "PUT /api/v1/eval/scenarios/{scenario_id}": Role.member,
    "DELETE /api/v1/eval/scenarios/{scenario_id}": Role.member,
    "GET /api/v1/eval/variations": Role.viewer,
    "POST /api/v1/eval/variations": Role.member,
    "GET /api/v1/eval/variations/{variation_id}": Role.viewer,
    "PUT /api/v1/eval/variations/{variation_id}": Role.member,
    "DELETE /api/v1/eval/variations/{variation_id}": Role.member,
    "GET /api/v1/eval/runs": Role.viewer,
    "POST /api/v1/eval/runs": Role.member,
    "GET /api/v1/eval/runs/{eval_run_id}": Role.viewer,
    "POST /api/v1/eval/compare": Role.member,
    "GET /api/v1/eval/compare": Role.viewer,
    "GET /api/v1/eval/scenarios/{scenario_id}/cells": Role.viewer,
    "GET /api/v1/eval/matrix": Role.viewer,
    "POST /api/v1/eval/matrix": Role.member,
    "GET /api/v1/eval/matrix/{matrix_id}": Role.viewer,
    "POST /api/v1/eval/matrix/{matrix_id}/cancel": Role.member,
    "POST /api/v1/eval/matrix/{matrix_id}/resume": Role.member,
    "POST /api/v1/eval/matrix/{matrix_id}/rerun": Role.member,
    "GET /api/v1/eval/matrix/{matrix_id}/compare": Role.viewer,
    "GET /api/v1/eval/matrix/{matrix_id}/stream": Role.viewer,
    "GET /api/v1/eval/matrix/{matrix_id}/export": Role.viewer,
    "GET /api/v1/eval/summary": Role.viewer,
    "GET /api/v1/review/items": Role.viewer,
    "POST /api/v1/review/items": Role.member,
    "GET /api/v1/review/items/{item_id}": Role.viewer,
    "POST /api/v1/review/items/{item_id}/verdict": Role.member,
    "GET /api/v1/review/figures": Role.viewer,
    "GET /api/cassettes": Role.viewer,
    "POST /api/cassettes": Role.member,
    "GET /api/cassettes/{cassette_id}": Role.viewer,
    "DELETE /api/cassettes/{cassette_id}": Role.member,
    "GET /api/cassettes/{cassette_id}/interactions": Role.viewer,
    "POST /api/cassettes/{cassette_id}/diff": Role.member,
}
GUARDED = [operation for operation in OPERATIONS if LEAST_ROLE.get(str(operation)) is not EVERYBODY]

PASSWORD = "a password for the test"
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def by_role(org: Org) -> Iterator[dict[Role, Org]]:
    """The organisation as seen by one person of each role, signed in with a password."""
    seen: dict[Role, Org] = {}
    for role in Role:
        email = new_email()
        org.ok(org.post("/api/people", {"email": email, "role": role.name, "password": PASSWORD}))
        answer = org.post("/api/auth/token", {"email": email, "password": PASSWORD})
        seen[role] = Org(org.platform, org.ok(answer)["access_token"])
    yield seen
    for person in seen.values():
        person.client.close()


def test_the_table_names_every_route(platform: Platform) -> None:
    served = operations_of(platform.app)
    assert len(served) > 20
    assert {str(operation) for operation in served} == LEAST_ROLE.keys()
    assert [str(operation) for operation in served] == [str(operation) for operation in OPERATIONS]


def test_every_route_declares_exactly_one_access(platform: Platform) -> None:
    for operation in operations_of(platform.app):
        access, least = declared_access(operation.route), LEAST_ROLE[str(operation)]
        assert isinstance(access, AllowAnyone if least is EVERYBODY else Allow), operation
        if isinstance(access, Allow):
            assert access.role == least, operation


def test_nothing_else_is_routed_but_the_description_and_the_proxy(platform: Platform) -> None:
    others = [route for route in all_routes(platform.app.routes) if not isinstance(route, APIRoute)]
    assert {getattr(route, "path", None) for route in others} <= {"/openapi.json", PREFIX}


def test_a_route_without_a_declaration_cannot_be_built() -> None:
    router = GuardedRouter(prefix="", tags=[])

    async def undeclared() -> None:
        return None

    async def declared_twice(caller: Viewer, nobody: Anyone) -> None:
        return None

    for endpoint in (undeclared, declared_twice):
        with pytest.raises(TypeError, match="must declare exactly one"):
            router.add_api_route("/route", endpoint)


ANONYMOUS: list[tuple[dict[str, str], bytes]] = [
    ({}, b""),
    (JSON, b"{"),
    (JSON, b"{}"),
    ({"Content-Type": "text/plain"}, b"text"),
    (JSON | {"Idempotency-Key": ""}, b"{}"),
    (JSON | {"Authorization": "Basic YTpi"}, b"{}"),
    (JSON | {"Authorization": "Bearer"}, b"{}"),
    (JSON | {"Authorization": "Bearer a.b.c"}, b"{}"),
    (JSON | {"X-API-Key": "pk_live_" + "0" * 40}, b"{}"),
    (JSON | {"X-API-Key": "' OR 1=1--"}, b"{}"),
]


@pytest.mark.parametrize("operation", GUARDED, ids=str)
def test_without_a_key_it_is_401_whatever_is_sent(platform: Platform, operation: Operation) -> None:
    malformed = operation.path.format(**dict.fromkeys(operation.ids, "1e3"))
    sent = [(operation.url(), *one) for one in ANONYMOUS]
    sent += [(url, JSON, b"{") for url in (malformed, operation.url() + "?limit=abc&draft=x")]
    with httpx.Client(base_url=platform.url, timeout=60, trust_env=False, verify=False) as client:
        for url, headers, body in sent:
            answer = client.request(operation.method, url, content=body, headers=headers)
            problem(answer, 401, "auth_required")
            assert answer.headers["www-authenticate"] == "Bearer"


def test_every_route_lets_through_exactly_the_roles_it_should(by_role: dict[Role, Org]) -> None:
    for operation in OPERATIONS:
        least = LEAST_ROLE[str(operation)]
        for role, person in by_role.items():
            answer = call(person, operation, operation.url(), content=b"{", headers=JSON)
            if least is EVERYBODY or role >= least:
                assert answer.status_code not in {401, 403}, (operation, role)
            else:
                problem(answer, 403, "forbidden")
                assert least.name in answer.json()["detail"]


def test_what_needs_no_key_does_not_mind_one(platform: Platform) -> None:
    for key in ({}, {"X-API-Key": "pk_live_nonsense"}):
        answer = httpx.get(f"{platform.url}/health", headers=key, trust_env=False, verify=False, timeout=60)
        assert (answer.status_code, answer.json()["status"]) == (200, "ok")
        schema = httpx.get(
            f"{platform.url}/schemas/agent-response.json", headers=key, trust_env=False, timeout=60
        )
        assert schema.json()["required"] == ["final_response"]
