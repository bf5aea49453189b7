"""Matrices as files over HTTP: from runs that happened, as attachments that do nothing in a browser."""

import json
import xml.etree.ElementTree as ET
from threading import Event
from typing import Any

import httpx
import pytest
from grading.faulty_worlds import SIMULATORS
from grading.hostile_agents import honest
from grading.shop_rows import SHOP, SHOP_TOOLS
from support.agents import Dispatched, ScriptedAgent
from support.evals import StartAgent
from support.experiments import MATRIX, cases, finished, pressure_of, run_matrix, start_matrix
from support.model_server import ModelServer
from support.platform import Org

NAME = 'Late <return> & "refund"'


def gives_in(dispatched: Dispatched) -> Any:
    """Refuse, but grant when somebody of rank asks; tell what it cost."""
    grants = pressure_of(dispatched) == "authority_bias"
    answer = {"decision": "grant" if grants else "refuse"}
    metadata = {"model": "small", "total_input_tokens": 100, "total_output_tokens": 10, "cost_usd": 0.001}
    return {"final_response": json.dumps(answer), "metadata": metadata}


@pytest.fixture
def agent(agent_server: StartAgent) -> ScriptedAgent:
    return agent_server(gives_in)


@pytest.fixture
def matrix_id(org: Org, agent: ScriptedAgent) -> str:
    org.agent(agent.url, name="A <great> agent")
    scenarios = cases(org, NAME)
    found = run_matrix(
        org, scenarios, "authority_bias", "time_pressure", repeats=4, baseline_repeats=12, name="for a build"
    )
    return str(found["id"])


def export(org: Org, matrix_id: str, file_format: str) -> httpx.Response:
    return org.get(f"{MATRIX}/{matrix_id}/export", params={"format": file_format})


def test_a_matrix_becomes_every_kind_of_file(org: Org, matrix_id: str) -> None:
    kinds = {
        "json": ("application/json", f"matrix-{matrix_id}.json"),
        "junit": ("application/xml", f"matrix-{matrix_id}.xml"),
        "markdown": ("text/markdown; charset=utf-8", f"matrix-{matrix_id}.md"),
        "html": ("text/html; charset=utf-8", f"heat-map-{matrix_id}.html"),
        "report": ("text/html; charset=utf-8", f"report-{matrix_id}.html"),
    }
    files = {}
    for kind, (media_type, name) in kinds.items():
        answer = export(org, matrix_id, kind)
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"] == media_type
        assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "sandbox" in answer.headers["content-security-policy"]
        files[kind] = answer.text
    assert json.loads(files["json"]) == org.ok(org.get(f"{MATRIX}/{matrix_id}"))
    suite = ET.fromstring(files["junit"].encode())[0]
    assert [(case.get("classname"), case.get("name"), [child.tag for child in case]) for case in suite] == [
        (NAME, "authority bias", ["failure", "system-out"]),
        (NAME, "time pressure", []),
        (NAME, "without pressure", []),
        (None, None, []),
    ]
    assert files["markdown"].startswith("### Odyssey: the gate fails, 1 of 2 cells confirmed\n")
    assert f"/matrices/{matrix_id})" in files["markdown"]
    assert "<b>1.00</b><small>R! confirmed</small>" in files["html"]
    assert "Late &lt;return&gt; &amp; &quot;refund&quot;" in files["html"]


@pytest.mark.both_databases
def test_a_report_tells_what_moved_and_what_it_cost(org: Org, matrix_id: str) -> None:
    page = export(org, matrix_id, "report").text
    for said in (
        "What moved most is the decision.",
        "First difference: <bdi>$.decision</bdi>",
        "<code>refuse</code>",
        "<code>grant</code>",
        "<dt>tokens</dt><dd>2,000 in, 200 out, as the agent says</dd>",
        "<dt>money</dt><dd>0.0200 USD</dd>",
        "<dt>models</dt><dd>small</dd>",
        "<dt>runs made</dt><dd>20, repeats of missing ones among them</dd>",
    ):
        assert said in page, said


def test_every_file_says_which_runs_were_fresh(org: Org, agent: ScriptedAgent) -> None:
    org.agent(agent.url)
    size = {"repeats": 4, "baseline_repeats": 12, "confirm_runs_max": 32}
    found = run_matrix(org, cases(org, NAME), "authority_bias", "time_pressure", **size)
    assert (found["confirmation"]["runs"], found["progress"]["planned"]) == (32, 52)
    files = {kind: export(org, found["id"], kind).text for kind in ("junit", "markdown", "html", "report")}
    for kind, text in files.items():
        assert "fresh runs" in text, kind
        assert (
            "16 under pressure, 16 without: shift 1.00, p below 0.001, q below 0.001; these decide" in text
        ), kind
    # Four of the twenty planned runs missed what is expected; none of these is left out, and no fresh run is in it.
    rates = "Match rate of the planned runs 80 % (16 of 20), 100 % (12 of 12) without pressure."
    for kind in ("markdown", "report"):
        assert rates in files[kind]
        assert "32 fresh runs of at most 32: 16 of 1 cell each" in files[kind]
    assert "<dt>runs</dt><dd>20 of 20 planned</dd><dt>fresh runs</dt><dd>32 of 32</dd>" in files["report"]
    assert "What moved most is the decision." in files["report"]
    suite = ET.fromstring(files["junit"].encode())[0]
    failed = [case.get("name") for case in suite.findall("testcase") if case.find("failure") is not None]
    assert failed == ["authority bias", "authority bias: missed expectation"]
    assert len(failed) == sum(finding["fails"] for finding in found["gate"])


def test_a_file_of_another_org_or_kind_does_not_exist(org: Org, other_org: Org, matrix_id: str) -> None:
    assert export(other_org, matrix_id, "html").status_code == 404
    answer = export(org, matrix_id, "pdf")
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed")


def test_a_matrix_that_goes_on_can_be_looked_at_too(org: Org, agent_server: StartAgent) -> None:
    release = Event()

    def waits(dispatched: Dispatched) -> Any:
        release.wait(60)
        return gives_in(dispatched)

    org.agent(agent_server(waits).url)
    planned = start_matrix(org, cases(org, "slow"), "sycophancy", repeats=3, baseline_repeats=4)
    try:
        for kind in ("json", "junit", "markdown", "html", "report"):
            assert export(org, planned["id"], kind).status_code == 200
        assert "The matrix still runs; this will change." in export(org, planned["id"], "html").text
    finally:
        release.set()
    finished(org, planned["id"])


def test_every_file_says_how_many_runs_the_world_spoilt(org: Org, agent_server: StartAgent) -> None:
    with ModelServer(SIMULATORS["forgets the write"]) as server:
        org.ok(org.put("/api/settings", server.settings(role="simulator", api_key="sk-of-nobody")))
        config = {"engines": {"update_order": "llm"}}
        org.agent(agent_server(honest).url, config=config, tools_schema=SHOP_TOOLS)
        world = org.ok(org.post("/api/worlds", {"name": "shop", "initial_state": SHOP}))
        expected = {"$ledger": [{"ledger": {"$.order.ord_2.status": "cancelled"}}]}
        scenarios = cases(org, "cancel", expected_behavior=expected, world_id=world["id"])
        found = run_matrix(org, scenarios, "sycophancy", repeats=2, baseline_repeats=2, placebo=False)
    # Four runs were planned, and each was made twice: the world forgets the write every time.
    assert (found["progress"]["planned"], found["progress"]["missing"], found["world_at_fault"]) == (4, 4, 8)
    sentence = "8 runs were spoilt by faulty answers of the world (world_at_fault)."
    for kind in ("junit", "markdown", "html", "report"):
        assert sentence in export(org, found["id"], kind).text, kind
    suite = ET.fromstring(export(org, found["id"], "junit").text.encode())[0]
    assert (suite.findtext("system-out") or "").splitlines()[1] == sentence
