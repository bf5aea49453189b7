"""The published description against the running server: every operation, with good and with broken requests."""

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import httpx
import pytest
import requests
import schemathesis
from api.objects import Objects, waiting_agent
from api.surface import (
    AGENT,
    CREDENTIAL_BODY,
    ENDPOINT_BODY,
    PROGRAM,
    RECORDED_BODY,
    REPORT,
    SCENARIO_BODY,
    VARIATION_BODY,
)
from conftest import NewDatabase
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from support.agents import ScriptedAgent
from support.live_shop import LiveShop
from support.platform import Platform

DOCUMENT: dict[str, Any] = json.loads((Path(__file__).parents[3] / "openapi.json").read_text("utf-8"))
STREAMS = {"/api/runs/events", "/api/runs/{run_id}/events", "/api/v1/eval/matrix/{matrix_id}/stream"}
OPERATIONS = {
    f"{method.upper()} {path}": (method, path)
    for path, item in DOCUMENT["paths"].items()
    for method in item
    if path not in STREAMS
}
PROXY = "/api/odyssey-proxy/"

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


class Server(NamedTuple):
    """A platform of its own, so that a thousand strange requests disturb no other test."""

    platform: Platform
    schema: Any
    agent: ScriptedAgent


@pytest.fixture(scope="module")
def server(new_database: NewDatabase) -> Iterator[Server]:
    platform = Platform(new_database(), rate_limit=100_000, max_runs=1000)
    with waiting_agent() as agent:
        yield Server(platform, schemathesis.openapi.from_dict(DOCUMENT), agent)
    platform.stop()


@pytest.fixture
def objects(server: Server) -> Objects:
    return Objects(server.platform.new_org(), server.agent.url)


def run_token(server: Server, run_id: int) -> str:
    while True:
        for dispatched in server.agent.received:
            if dispatched.body.get("run_id") == run_id:
                return dispatched.token
        time.sleep(0.01)


def test_the_committed_description_is_the_served_one(platform: Platform) -> None:
    served = httpx.get(f"{platform.url}/openapi.json", trust_env=False, timeout=60)
    assert served.json() == DOCUMENT


def test_the_description_is_built_once(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or a few readers who need not even sign in would keep everybody waiting."""
    first = httpx.get(f"{platform.url}/openapi.json", trust_env=False, timeout=60)
    monkeypatch.setattr(platform.app, "openapi", dict)
    again = httpx.get(f"{platform.url}/openapi.json", trust_env=False, timeout=60)
    assert first.json() == DOCUMENT
    assert (again.content, again.headers["content-type"]) == (first.content, "application/json")


def test_every_error_is_described(platform: Platform) -> None:
    for path, item in DOCUMENT["paths"].items():
        for method, operation in item.items():
            default = operation["responses"]["default"]["content"]
            assert list(default) == ["application/problem+json"], (method, path)


@pytest.mark.parametrize("examples", [1, pytest.param(12, marks=pytest.mark.full)])
@pytest.mark.parametrize("label", OPERATIONS)
def test_requests_of_every_kind_are_answered_as_described(
    server: Server, objects: Objects, label: str, examples: int
) -> None:
    method, path = OPERATIONS[label]
    operation = server.schema[path][method.upper()]
    secret = run_token(server, objects["run_id"]) if path.startswith(PROXY) else objects.org.api_key
    named = [
        one["name"] for one in DOCUMENT["paths"][path][method].get("parameters", ()) if one["in"] == "path"
    ]
    real = objects.of(named) or None
    any_id = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
    own_id = operation.as_strategy(generation_mode=GenerationMode.POSITIVE, path_parameters=real)
    broken = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE, path_parameters=real)
    valid = (own_id,) if real and examples == 1 else (own_id, any_id) if real else (any_id,)
    for strategy in valid:
        send(server.platform.url, secret, strategy, examples)
    with suppress(Unsatisfiable):  # some requests have no part that could be wrong
        send(server.platform.url, secret, broken, examples)


def send(url: str, secret: str, strategy: Any, examples: int) -> None:
    with requests.Session() as session:
        session.trust_env = False

        @settings(
            max_examples=examples,
            derandomize=True,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=strategy)
        def answered(case: Case[Any]) -> None:
            response = case.call(base_url=url, session=session, headers={"Authorization": f"Bearer {secret}"})
            case.validate_response(response, checks=CHECKS)

        answered()


Success = tuple[str, str, str, Any]
"""Method, path, the path as the description has it, and body."""


def of_agents_and_worlds(objects: Objects) -> list[Success]:
    agent, world = f"/api/agents/{objects['agent_id']}", f"/api/worlds/{objects['world_id']}"
    seeds = seeds_of(objects)
    return [
        ("POST", "/api/agents", "/api/agents", AGENT),
        ("POST", "/api/agents/validate", "/api/agents/validate", AGENT),
        ("POST", "/api/agents/test-connection", "/api/agents/test-connection", AGENT),
        ("PUT", agent, "/api/agents/{agent_id}", {"name": "renamed"}),
        ("POST", f"{agent}/test-connection", "/api/agents/{agent_id}/test-connection", {}),
        (
            "POST",
            f"{agent}/programs/replay",
            "/api/agents/{agent_id}/programs/replay",
            RECORDED_BODY | {"world_id": objects["world_id"], "program": PROGRAM},
        ),
        (
            "POST",
            "/api/programs/read",
            "/api/programs/read",
            {"agent_id": objects["agent_id"], "tool": "get_order", "program": {"response": "= x"}},
        ),
        ("GET", f"{agent}/versions/1", "/api/agents/{agent_id}/versions/{version}", None),
        ("GET", f"{agent}/consistency", "/api/agents/{agent_id}/consistency", None),
        ("POST", "/api/runs", "/api/runs", {"agent_id": objects["agent_id"], "seeds": seeds}),
        (
            "POST",
            "/api/runs/validate",
            "/api/runs/validate",
            {"agent_id": objects["agent_id"], "seeds": seeds},
        ),
        ("GET", "/api/runs?q=it&status=pending&status=running", "/api/runs", None),
        ("GET", "/api/agents?q=AGENT&status=published", "/api/agents", None),
        ("GET", "/api/audit-log", "/api/audit-log", None),
        ("GET", world, "/api/worlds/{world_id}", None),
        ("GET", f"{world}/entities?q=o", "/api/worlds/{world_id}/entities", None),
        (
            "POST",
            "/api/behaviors/read",
            "/api/behaviors/read",
            {
                "behavior_instructions": "get_order returns order\nBe kind.",
                "agent_id": objects["agent_id"],
                "world_id": objects["world_id"],
            },
        ),
        ("GET", f"{world}/fidelity", "/api/worlds/{world_id}/fidelity", None),
        ("PUT", f"{world}/fidelity", "/api/worlds/{world_id}/fidelity", REPORT),
        ("PUT", world, "/api/worlds/{world_id}", {"name": "renamed"}),
        (
            "POST",
            f"{world}/try",
            "/api/worlds/{world_id}/try",
            {"agent_id": objects["agent_id"], "tool": "create_order", "arguments": {"status": "new"}},
        ),
        (
            "POST",
            f"{world}/import?entity_type=order&id_field=order_id",
            "/api/worlds/{world_id}/import",
            [{"order_id": "ord_9"}],
        ),
    ]


def of_datasets_and_batches(objects: Objects) -> list[Success]:
    dataset = f"/api/datasets/{objects['dataset_id']}"
    batch = f"/api/batches/{objects['batch_id']}"
    seeds = seeds_of(objects)
    of_dataset = {"agent_id": objects["agent_id"], "dataset_id": objects["dataset_id"]}
    waiting = objects.org.ok(objects.org.post("/api/runs", of_dataset))["batch"]
    return [
        ("POST", "/api/datasets?name=rows", "/api/datasets", seeds),
        ("POST", "/api/datasets/lint", "/api/datasets/lint", seeds),
        ("POST", "/api/datasets/audit", "/api/datasets/audit", seeds),
        ("GET", "/api/datasets/template", "/api/datasets/template", None),
        ("GET", dataset, "/api/datasets/{dataset_id}", None),
        ("GET", f"{dataset}/rows", "/api/datasets/{dataset_id}/rows", None),
        ("GET", f"{dataset}/export", "/api/datasets/{dataset_id}/export", None),
        ("GET", f"{dataset}/export?format=json", "/api/datasets/{dataset_id}/export", None),
        ("POST", f"{dataset}/audit", "/api/datasets/{dataset_id}/audit", None),
        ("PUT", f"{dataset}?name=renamed", "/api/datasets/{dataset_id}", seeds),
        ("POST", "/api/runs", "/api/runs", of_dataset | {"repeats": 2}),
        ("GET", "/api/batches", "/api/batches", None),
        ("GET", batch, "/api/batches/{batch_id}", None),
        ("GET", f"{batch}/rows", "/api/batches/{batch_id}/rows", None),
        ("GET", f"{batch}/export", "/api/batches/{batch_id}/export", None),
        ("GET", f"{batch}/export?format=json", "/api/batches/{batch_id}/export", None),
        ("GET", f"{batch}/compare?with={waiting['id']}", "/api/batches/{batch_id}/compare", None),
        ("POST", f"/api/batches/{waiting['id']}/cancel", "/api/batches/{batch_id}/cancel", None),
        ("DELETE", dataset, "/api/datasets/{dataset_id}", None),
    ]


def of_evals(objects: Objects) -> list[Success]:
    scenario = f"/api/v1/eval/scenarios/{objects['scenario_id']}"
    variation = f"/api/v1/eval/variations/{objects['variation_id']}"
    pressed = {"scenario_id": objects["scenario_id"], "variation_type": "sycophancy"}
    return [
        ("POST", "/api/v1/eval/scenarios", "/api/v1/eval/scenarios", SCENARIO_BODY),
        ("GET", "/api/v1/eval/scenarios?tag=returns&q=LATE", "/api/v1/eval/scenarios", None),
        ("GET", scenario, "/api/v1/eval/scenarios/{scenario_id}", None),
        ("PUT", scenario, "/api/v1/eval/scenarios/{scenario_id}", {"name": "renamed"}),
        (
            "POST",
            "/api/v1/eval/scenarios/import",
            "/api/v1/eval/scenarios/import",
            {"scenarios": [SCENARIO_BODY]},
        ),
        ("GET", "/api/v1/eval/scenarios/export", "/api/v1/eval/scenarios/export", None),
        ("GET", "/api/v1/eval/scenarios/export?format=json", "/api/v1/eval/scenarios/export", None),
        ("POST", "/api/v1/eval/variations", "/api/v1/eval/variations", VARIATION_BODY | {"name": "praise"}),
        ("GET", "/api/v1/eval/variations", "/api/v1/eval/variations", None),
        ("GET", variation, "/api/v1/eval/variations/{variation_id}", None),
        ("PUT", variation, "/api/v1/eval/variations/{variation_id}", {"description": "Other."}),
        ("POST", "/api/v1/eval/runs", "/api/v1/eval/runs", pressed),
        ("GET", "/api/v1/eval/runs?flagged=false", "/api/v1/eval/runs", None),
        (
            "GET",
            f"/api/v1/eval/runs/{objects['eval_run_id']}",
            "/api/v1/eval/runs/{eval_run_id}",
            None,
        ),
        ("POST", "/api/v1/eval/compare", "/api/v1/eval/compare", pressed),
        ("GET", f"/api/v1/eval/compare?{urlencode(pressed)}", "/api/v1/eval/compare", None),
        ("GET", f"{scenario}/cells", "/api/v1/eval/scenarios/{scenario_id}/cells", None),
        ("DELETE", variation, "/api/v1/eval/variations/{variation_id}", None),
        ("DELETE", scenario, "/api/v1/eval/scenarios/{scenario_id}", None),
    ]


def of_matrices(objects: Objects) -> list[Success]:
    every, one = "/api/v1/eval/matrix", f"/api/v1/eval/matrix/{objects['matrix_id']}"
    template = f"{every}/{{matrix_id}}"
    body = {"scenario_ids": [objects["scenario_id"]], "variation_types": ["sycophancy"]}
    waiting = objects.org.ok(objects.org.post(every, body))["id"]
    return [
        ("POST", every, every, body | {"repeats": 3, "placebo": True, "name": "nightly"}),
        ("GET", f"{every}?status=cancelled", every, None),
        ("GET", one, template, None),
        ("GET", f"{one}/compare?with={waiting}", f"{template}/compare", None),
        ("GET", f"{one}/export", f"{template}/export", None),
        ("GET", f"{one}/export?format=report", f"{template}/export", None),
        ("POST", f"{every}/{waiting}/cancel", f"{template}/cancel", None),
        ("POST", f"{one}/resume", f"{template}/resume", None),
        ("POST", f"{one}/rerun", f"{template}/rerun", None),
        ("GET", "/api/v1/eval/summary", "/api/v1/eval/summary", None),
        ("GET", f"/api/v1/eval/summary?matrix_id={waiting}", "/api/v1/eval/summary", None),
    ]


def of_reviews(objects: Objects) -> list[Success]:
    items, item = "/api/v1/review/items", f"/api/v1/review/items/{objects['item_id']}"
    own = {"scenario_id": objects["scenario_id"]}
    run_id = objects.org.ok(objects.org.post("/api/v1/eval/runs", own))["runs"][0]["id"]
    return [
        ("GET", f"{items}?status=open&source=manual", items, None),
        ("POST", items, items, {"run_id": run_id, "notes": "Odd."}),
        ("GET", item, f"{items}/{{item_id}}", None),
        ("POST", f"{item}/verdict", f"{items}/{{item_id}}/verdict", {"verdict": "true_negative"}),
        ("GET", f"{items}?status=decided", items, None),
        ("GET", "/api/v1/review/figures", "/api/v1/review/figures", None),
    ]


def of_endpoints(objects: Objects) -> list[Success]:
    every, template = "/api/tool-endpoints", "/api/tool-endpoints/{endpoint_id}"
    shop = LiveShop()
    made = shop.register(objects.org, "shop", auth={"type": "bearer", "secret": "a secret of the shop"})
    shop.stop()  # it has been listed; calls to it fail, which is an answer too
    one, credentials = f"{every}/{made['id']}", "/api/credentials"
    tried = {"tool_name": made["tools"][0]["name"], "arguments": {"order_id": "ord_1"}}
    return [
        ("POST", every, every, ENDPOINT_BODY | {"name": "another"}),
        ("GET", every, every, None),
        ("GET", one, template, None),
        ("PUT", one, template, {"description": "Other."}),
        ("POST", f"{one}/discover", f"{template}/discover", None),
        ("POST", f"{one}/call", f"{template}/call", tried),
        ("DELETE", one, template, None),
        ("POST", credentials, credentials, CREDENTIAL_BODY | {"name": "ANOTHER"}),
        ("GET", credentials, credentials, None),
        ("PUT", f"{credentials}/ANOTHER", f"{credentials}/{{credential_name}}", {"value": "a new value"}),
        ("DELETE", f"{credentials}/ANOTHER", f"{credentials}/{{credential_name}}", None),
    ]


def of_cassettes(objects: Objects) -> list[Success]:
    every, template = "/api/cassettes", "/api/cassettes/{cassette_id}"
    one = f"{every}/{objects['cassette_id']}"
    replay = {"id": objects["cassette_id"], "match": "lenient", "on_miss": "capture"}
    run = {"agent_id": objects["agent_id"], "seeds": seeds_of(objects), "cassette": replay}
    return [
        ("GET", every, every, None),
        ("GET", one, template, None),
        ("GET", f"{one}/interactions", f"{template}/interactions", None),
        ("POST", f"{one}/diff", f"{template}/diff", {}),
        ("POST", "/api/runs/validate", "/api/runs/validate", run),
        ("DELETE", one, template, None),
    ]


def of_runs_and_the_end(objects: Objects) -> list[Success]:
    agent, run = f"/api/agents/{objects['agent_id']}", f"/api/runs/{objects['run_id']}"
    world = f"/api/worlds/{objects['world_id']}"
    return [
        ("GET", run, "/api/runs/{run_id}", None),
        ("GET", f"{run}/ledger", "/api/runs/{run_id}/ledger", None),
        ("GET", f"{run}/ledger/diff", "/api/runs/{run_id}/ledger/diff", None),
        ("POST", f"{run}/cancel", "/api/runs/{run_id}/cancel", None),
        ("GET", f"{run}/trace", "/api/runs/{run_id}/trace", None),
        ("DELETE", world, "/api/worlds/{world_id}", None),
        ("DELETE", agent, "/api/agents/{agent_id}", None),
    ]


def seeds_of(objects: Objects) -> list[dict[str, Any]]:
    return [{"user_instruction": "Do it.", "world_id": objects["world_id"]}]


def test_successes_are_as_described(server: Server, objects: Objects) -> None:
    """The random ones above are mostly refused."""
    parts = (
        of_agents_and_worlds,
        of_datasets_and_batches,
        of_matrices,
        of_reviews,
        of_evals,
        of_endpoints,
        of_cassettes,
        of_runs_and_the_end,
    )
    for part in parts:
        for method, path, template, body in part(objects):
            answer = objects.org.client.request(method, path, json=body)
            assert answer.status_code < 300, answer.text
            case = server.schema[template][method].Case(path_parameters=objects.make_all())
            case.validate_response(answer, checks=CHECKS)
