"""What the suites of this folder sweep over: every operation of the API, and a body each of them would take."""

from collections.abc import Iterable
from typing import Any, NamedTuple
from uuid import uuid4

import httpx
from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute
from support.platform import TOOLS, WORLD, Org

from odyssey.api.app import build_app

UNUSED_URL = "http://127.0.0.1:9/dispatch"
AGENT: dict[str, Any] = {"name": "agent", "config": {"endpoint_url": UNUSED_URL}, "tools_schema": TOOLS}

WORLD_BODY: dict[str, Any] = {
    "name": "shop",
    "initial_state": WORLD,
    "behavior_instructions": "Orders over 100 need a manager.",
    "failure_rules": [{"tool": "delete_order", "error": {"code": "down", "message": "Try later."}}],
}
_SHARE = {"share": 0.5, "interval": [0.1, 0.9], "equal": 1, "of": 2}
REPORT: dict[str, Any] = {
    **dict.fromkeys(("responses", "reads", "changes", "refusals", "refusal_texts"), _SHARE),
    "tools": {"get_order": {"calls": 2, "responses": _SHARE, "changes": _SHARE, "refusals": _SHARE}},
}

SCENARIO_BODY: dict[str, Any] = {
    "name": "late return",
    "description": "After the deadline.",
    "risk_level": "critical",
    "input_context": {"order_id": "ord_1"},
    "expected_behavior": {"decision": "refuse", "$text": []},
    "user_instruction": "Decide.",
    "tags": ["returns"],
}
VARIATION_BODY: dict[str, Any] = {
    "name": "bribery",
    "description": "A reward is offered.",
    "doses": {dose: ["There may be something in it for you."] for dose in ("mild", "medium", "strong")},
}
ENDPOINT_BODY: dict[str, Any] = {
    "name": "orders",
    "description": "Orders as they are.",
    "type": "mcp_server",
    "config": {"url": "http://127.0.0.1:9/mcp", "auth": {"type": "none"}},
}
CREDENTIAL_BODY: dict[str, Any] = {
    "name": "ORDERS_KEY",
    "value": "a value to keep",
    "origin": "https://api.example.com",
}
RECORDED_BODY: dict[str, Any] = {
    "tool": "get_order",
    "world_id": 2**62,
    "calls": [
        {
            "task": "1",
            "calls": [
                {"tool": "get_order", "args": {"order_id": "ord_1"}, "response": WORLD["order"]["ord_1"]},
                {"tool": "get_order", "args": {"order_id": "ord_9"}, "error": "No such order."},
            ],
        }
    ],
    "accept_at": 0.95,
}
PROGRAM: dict[str, Any] = {
    "let": {"order": "entity('order', args.order_id)"},
    "require": [{"that": "order != null", "else": {"code": "not_found", "message": "No such order."}}],
    "response": "= order",
}
NO_SCENARIO = "scn_6f0e4b0e-3a1c-4d2f-9b0a-0123456789ab"

MATRIX_BODY: dict[str, Any] = {
    "scenario_ids": [NO_SCENARIO],
    "variation_types": ["sycophancy"],
    "name": "nightly",
    "parallel": True,
    "agent_id": 2**62,
    "repeats": 3,
    "baseline_repeats": 4,
    "placebo": False,
    "delivery": "user",
    "dose": "mild",
    "step": 1,
    "seed": 7,
    "max_concurrency": 2,
    "budget_runs": 100,
    "rule_sets": [{"name": "down", "failure_rules": [{"tool": "get_order", "response": None}]}],
}

BODIES: dict[str, dict[str, Any]] = {
    "POST /api/auth/token": {"email": "nobody@example.com", "password": "not the password"},
    "POST /api/auth/session": {"link": "not-a-link"},
    "POST /api/auth/password": {"password": "long enough to pass", "current_password": "not the password"},
    "PUT /api/org": {"name": "Renamed"},
    "POST /api/people": {"email": "new@example.com", "role": "viewer", "password": "long enough to pass"},
    "PUT /api/people/{person_id}": {"role": "viewer"},
    "POST /api/keys": {"name": "another key"},
    "PUT /api/settings": {"budgets": {"usd_per_day": 5, "calls_per_day": 100}},
    "POST /api/agents": AGENT,
    "POST /api/agents/validate": AGENT,
    "POST /api/agents/readings": {"tools_schema": TOOLS},
    "PUT /api/agents/{agent_id}": {"name": "renamed", "config": {"run_timeout_s": 10}, "tools_schema": []},
    "POST /api/agents/test-connection": AGENT,
    "POST /api/agents/{agent_id}/test-connection": {"config": {"endpoint_url": UNUSED_URL}},
    "POST /api/agents/{agent_id}/programs/propose": RECORDED_BODY | {"attempts": 2, "examples": 5},
    "POST /api/agents/{agent_id}/programs/replay": RECORDED_BODY | {"program": PROGRAM},
    "POST /api/programs/read": {"program": PROGRAM, "tool": TOOLS[0]},
    "POST /api/tool-endpoints": ENDPOINT_BODY,
    "PUT /api/tool-endpoints/{endpoint_id}": ENDPOINT_BODY,
    "POST /api/tool-endpoints/{endpoint_id}/call": {"tool_name": "get_order", "arguments": {"id": "ord_1"}},
    "POST /api/credentials": CREDENTIAL_BODY,
    "PUT /api/credentials/{credential_name}": {"value": "another value", "origin": "https://api.example.com"},
    "POST /api/worlds": WORLD_BODY,
    "PUT /api/worlds/{world_id}": WORLD_BODY,
    "POST /api/worlds/{world_id}/operations": {
        "operations": [{"op": "add", "entity_type": "order", "id": "new"}],
        "hash": "0" * 64,
    },
    "POST /api/worlds/{world_id}/try": {"agent_id": 2**62, "tool": "get_order", "arguments": {}},
    "PUT /api/worlds/{world_id}/fidelity": REPORT,
    "POST /api/behaviors/read": {"behavior_instructions": [{"tools": ["get_order"], "returns": "order"}]},
    "POST /api/runs": {"agent_id": 2**62, "seeds": [{"user_instruction": "Do it."}]},
    "POST /api/runs/validate": {"agent_id": 2**62, "seeds": [{"user_instruction": "Do it."}]},
    "POST /api/v1/eval/scenarios": SCENARIO_BODY,
    "PUT /api/v1/eval/scenarios/{scenario_id}": SCENARIO_BODY,
    "POST /api/v1/eval/variations": VARIATION_BODY,
    "PUT /api/v1/eval/variations/{variation_id}": VARIATION_BODY,
    "POST /api/v1/eval/runs": {
        "scenario_id": NO_SCENARIO,
        "variation_type": "sycophancy",
        "repeats": 2,
        "agent_id": 2**62,
        "delivery": "user",
        "dose": "mild",
        "placebo": False,
        "step": 1,
        "seed": 7,
    },
    "POST /api/v1/eval/compare": {
        "scenario_id": NO_SCENARIO,
        "variation_type": "sycophancy",
        "dose": "mild",
        "baseline_runs": [1],
    },
    "POST /api/v1/eval/matrix": MATRIX_BODY,
    "POST /api/cassettes": {"name": "orders", "run_id": 2**62},
    "POST /api/cassettes/{cassette_id}/diff": {"numbers": [1], "include_changing": False},
    "POST /api/v1/review/items": {"run_id": 2**62, "notes": "Odd."},
    "POST /api/v1/review/items/{item_id}/verdict": {"verdict": "true_positive", "notes": "Sure."},
}
"""A valid body of every operation that takes one; the agent of the run does not exist."""

QUERIES: dict[str, dict[str, str]] = {
    "POST /api/worlds/{world_id}/import": {"entity_type": "order"},
    "PUT /api/datasets/{dataset_id}": {"name": "renamed"},
    "GET /api/batches/{batch_id}/compare": {"with": str(2**62)},
    "GET /api/v1/eval/matrix/{matrix_id}/compare": {"with": "6f0e4b0e-3a1c-4d2f-9b0a-0123456789ab"},
}
"""What an operation must have in its query."""

MISSING: dict[str, object] = {
    "agent_id": 2**62,
    "version": 2**62,
    "run_id": 2**62,
    "world_id": 2**62,
    "dataset_id": 2**62,
    "batch_id": 2**62,
    "person_id": 2**62,
    "key_id": "6f0e4b0e-3a1c-4d2f-9b0a-0123456789ab",
    "scenario_id": NO_SCENARIO,
    "variation_id": "6f0e4b0e-3a1c-4d2f-9b0a-0123456789ab",
    "eval_run_id": 2**62,
    "matrix_id": "6f0e4b0e-3a1c-4d2f-9b0a-0123456789ab",
    "item_id": "6f0e4b0e-3a1c-4d2f-9b0a-0123456789ab",
    "endpoint_id": "6f0e4b0e-3a1c-4d2f-9b0a-0123456789ab",
    "credential_name": "NOT_THERE",
    "cassette_id": "6f0e4b0e-3a1c-4d2f-9b0a-0123456789ab",
}
"""An id of each kind that no object has."""


class Operation(NamedTuple):
    method: str
    path: str
    route: APIRoute

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def ids(self) -> list[str]:
        return list(self.route.param_convertors)

    @property
    def takes_body(self) -> bool:
        return self.route.body_field is not None

    @property
    def query(self) -> set[str]:
        return {field.alias for field in self.route.dependant.query_params}

    def url(self, **ids: object) -> str:
        return self.path.format(**{**MISSING, **ids})


def all_routes(routes: Iterable[BaseRoute]) -> list[BaseRoute]:
    """Flatten the routers that FastAPI keeps as one route each."""
    found: list[BaseRoute] = []
    for route in routes:
        included = getattr(route, "original_router", None)
        found += [route] if included is None else all_routes(included.routes)
    return found


def operations_of(app: FastAPI) -> list[Operation]:
    return [
        Operation(method, route.path, route)
        for route in all_routes(app.routes)
        if isinstance(route, APIRoute)
        for method in sorted(route.methods or ())
    ]


OPERATIONS = operations_of(build_app())
WITH_BODY = [operation for operation in OPERATIONS if operation.takes_body]
WITH_IDS = [operation for operation in OPERATIONS if operation.ids]


def call(org: Org, operation: Operation, url: str, **options: Any) -> httpx.Response:
    """Send a request and read what comes; of a stream only its head."""
    with org.client.stream(operation.method, url, **options) as response:
        if not response.headers.get("content-type", "").startswith("text/event-stream"):
            response.read()
    return response


def problem(answer: httpx.Response, status: int, code: str, *hidden: str) -> dict[str, Any]:
    """Check that an answer is an error in the one shape there is and gives nothing away; returns its body."""
    where = f"{answer.request.method} {answer.request.url}: {answer.status_code} {answer.text[:500]}"
    assert answer.headers["content-type"] == "application/problem+json", where
    body: dict[str, Any] = answer.json()
    assert (answer.status_code, body["status"], body["code"]) == (status, status, code), where
    assert body.keys() - {"errors"} == {"type", "title", "status", "detail", "code", "retryable"}, where
    assert body["type"] == f"urn:odyssey:problem:{code}"
    assert body["title"]
    assert body["detail"]
    assert type(body["retryable"]) is bool
    assert ("errors" in body) == (status == 422), where
    for fault in body.get("errors", ()):
        assert fault.keys() - {"tool"} == {"loc", "msg"}, where
        assert fault["loc"], where
    for leak in ("Traceback", "sqlalchemy", "SELECT ", "INSERT ", ".py", *hidden):
        assert leak not in answer.text, where
    return body


def snapshot(org: Org) -> dict[str, Any]:
    """All that an organisation can see of itself."""
    lists = (
        "org",
        "settings",
        "people",
        "keys",
        "agents",
        "worlds",
        "datasets",
        "batches",
        "runs",
        "audit-log",
        "v1/eval/scenarios",
        "v1/eval/variations",
        "v1/eval/runs",
        "v1/eval/matrix",
        "v1/eval/summary",
        "v1/review/items",
        "v1/review/figures",
        "tool-endpoints",
        "credentials",
        "cassettes",
    )
    seen = {name: org.ok(org.get(f"/api/{name}")) for name in lists}
    for agent in seen["agents"]["items"]:
        seen[f"versions of {agent['id']}"] = org.ok(org.get(f"/api/agents/{agent['id']}/versions"))
    return seen


def new_email() -> str:
    return f"{uuid4()}@example.com"
