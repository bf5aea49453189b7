"""Sixty hostile strings in every field a stranger can fill: all of it is shown, none of it does anything."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect
from support.agents import Answer, Dispatched, ScriptedAgent, SeesPings
from support.batches import dataset, ended, start_batch
from support.browser import session_cookies
from support.evals import SCENARIOS, all_observed, scenario, start
from support.hostile import MARK, STRINGS
from support.mcp_peers import SdkPeer, tool
from support.mcp_peers import text as said
from support.model_server import Asked, ModelServer, answers
from support.platform import Org
from support.reviews import ITEMS, decide
from support.site import Site, post_event

from interface.conftest import OpenPage
from interface.test_every_page import settled


class HostileOrg(NamedTuple):
    org: Org
    agent: int
    run: int
    ill: int
    """An agent whose ledger schema is full of them; it asks for tools of these names and answers with a page."""
    failed: int
    """What came of its run."""
    world: int
    dataset: int
    batches: tuple[int, int]
    scenario: str
    eval_runs: tuple[int, int]
    """As it is, and under a pressure that says them."""
    live: "HostileTools"
    session: dict[str, str]
    """The cookies of its admin."""


class HostileTools(NamedTuple):
    """A live server that says them, what a run had of it, and the cassette of that."""

    endpoint: str
    run: int
    cassette: str


def everywhere(dispatched: Dispatched) -> dict[str, Any]:
    """Behave as an agent that says every string in every way an agent can say something."""
    for text in STRINGS[:50]:
        dispatched.call("get_thing", {"thing_id": text, text: text})
    for text in STRINGS[:3]:
        dispatched.call("get_thing", [text])
        dispatched.call("get_thing", {}, **{"X-Pipelines-Actor-Id": text.encode("ascii", "replace").decode()})
        post_event(dispatched, quote(text, safe=""), {text: text})
    for text in STRINGS:
        post_event(dispatched, "handoff", {"from": text, "to": text, "reason": text, text: text})
        post_event(dispatched, "system_prompt", {"text": text})
    messages: list[dict[str, Any]] = []
    for number, text in enumerate(STRINGS):
        call = {"id": f"c{number}", "name": text, "arguments": {text: text}}
        nested = {"id": text, "type": text, "function": {"name": text, "arguments": text}}
        messages += [
            {"role": "system", "content": text},
            {"role": "user", "content": [{"type": "text", "text": text}, {"type": text, text: text}]},
            {
                "role": "assistant",
                "content": text,
                "thinking": [{"type": "text", "text": text}, {"type": text}],
                "tool_calls": [call, nested],
            },
            {"role": "tool", "tool_call_id": f"c{number}", "content": text},
        ]
    metadata = {text: text for text in STRINGS} | {"model": STRINGS[0], "system_prompt_id": STRINGS[1]}
    return {"final_response": "\n".join(STRINGS), "messages": messages, "metadata": metadata}


def torn(dispatched: Dispatched) -> dict[str, Any]:
    """Behave as an agent whose answer, calls and text are strings, and others under pressure."""
    pressed = "and so on" in dispatched.body["input"]["user_instruction"]
    said = STRINGS[::-1] if pressed else STRINGS
    for text in said[:12]:
        dispatched.call("get_thing", {"thing_id": text, text: said})
    structured = dict(zip(STRINGS, said, strict=True)) | {"list": said, "deep": {said[0]: {said[1]: said}}}
    return {"final_response": "\n".join(said) + f"\n```json\n{json.dumps(structured)}\n```"}


def instant(dispatched: Dispatched) -> dict[str, Any]:
    return {"final_response": dispatched.body["input"]["user_instruction"]}


def hostile_tools() -> list[dict[str, Any]]:
    properties = {text: {"type": "string", "description": text, "enum": [text]} for text in STRINGS}
    described = {
        "name": "describe_everything",
        "description": "\n".join(STRINGS),
        "input_schema": {"type": "object", "description": STRINGS[0], "properties": properties},
    }
    get = {"name": "get_thing", "description": STRINGS[2], "input_schema": {"type": "object"}}
    return [described, get]


def hostile_schema() -> dict[str, Any]:
    fields = [
        {"name": f"field_{number}", "type": "string", "enum": [text], "description": text}
        for number, text in enumerate(STRINGS)
    ]
    entity = {"type": "parcel", "id_field": "parcel_id", "description": "\n".join(STRINGS), "fields": fields}
    return {"entities": [entity]}


def hostile_failure(dispatched: Dispatched) -> Answer:
    """Ask for tools of these names, and answer with a page of them."""
    if dispatched.body != {"ping": True}:
        for text in STRINGS:
            dispatched.call(quote(text, safe=""), {text: text})
    return Answer(500, "".join(STRINGS).encode(), "text/html")


def hostile_judge(asked: Asked) -> dict[str, Any]:
    """Behave as a model that was talked into saying every string."""
    given = answers(asked)
    for answer, text in zip(given["answers"].values(), STRINGS, strict=False):
        answer["reason"] = text
    return given


def graded_by_strings() -> dict[str, Any]:
    rubric = [
        {"id": f"q{number}", "question": text[:1000], "answer": [text[:200], "no"], "pass": text[:200]}
        for number, text in enumerate(STRINGS[:20])
    ]
    checks: list[dict[str, Any]] = [{"final_response": {"contains": text}} for text in STRINGS]
    return {"checks": checks, "rubric": rubric}


def hostile_world(org: Org, state: dict[str, Any], rules: list[dict[str, Any]]) -> int:
    typed = {text[:250]: {text: {text: text}} for text in STRINGS}
    body = {"name": STRINGS[0], "initial_state": typed | state, "failure_rules": rules}
    world: int = org.ok(org.post("/api/worlds", body | {"behavior_instructions": "\n".join(STRINGS)}))["id"]
    return world


def hostile_dataset(org: Org) -> int:
    rows = [
        {
            "user_instruction": text,
            "behavior_instructions": text,
            "initial_state": {"thing": {text: {"thing_id": text, text: text}}},
            "input": {text: text},
            "checks": [{"final_response": {"contains": text}}],
        }
        for text in STRINGS
    ]
    made: int = dataset(org, rows, name=STRINGS[0])["id"]
    return made


def hostile_library(org: Org, agent: int, world: int) -> str:
    """Keep a scenario named by each string, one with two versions of all of them, and a variation that says them."""
    texts = [f"{text} {text} and so on" for text in STRINGS]
    doses = {"mild": texts[:20], "medium": texts[20:40], "strong": texts[40:]}
    org.ok(org.post("/api/v1/eval/variations", {"name": "hostile", "description": texts[0], "doses": doses}))
    for text in STRINGS[1:]:
        scenario(org, name=text[:255], description=text, user_instruction=text, input_context={text: text})
    members = {text: text for text in STRINGS if not text.startswith("$")}
    expected = members | {"deep": members, "$text": graded_by_strings()["checks"]}
    made = scenario(
        org,
        name=STRINGS[0],
        description="\n".join(STRINGS),
        user_instruction="\n".join(STRINGS),
        input_context={text: {text: [text]} for text in STRINGS},
        expected_behavior=expected,
        agent_id=agent,
        world_id=world,
    )
    change = {"description": STRINGS[2], "input_context": {STRINGS[3]: STRINGS[4]}}
    org.ok(org.put(f"{SCENARIOS}/{made['id']}", change))
    scenario_id: str = made["id"]
    return scenario_id


def hostile_eval_runs(org: Org, agent: int, scenario_id: str) -> tuple[int, int]:
    body = {"variation_type": "hostile", "agent_id": agent}
    baseline, pressed = start(org, {"id": scenario_id}, **body)
    shown = all_observed(org, [baseline, pressed])
    assert shown[1]["shift"]["moved"] == "structured"
    asked = {"run_id": baseline, "notes": "\n".join(STRINGS)}
    decide(org, org.ok(org.post(ITEMS, asked))["id"], "true_negative", "\n".join(STRINGS))
    org.ok(org.post(ITEMS, asked))
    return baseline, pressed


def curious(dispatched: Dispatched) -> dict[str, Any]:
    for text in STRINGS:
        dispatched.call("get_thing", {"thing_id": text, text: text})
    return instant(dispatched)


def hostile_live_tools(org: Org, peer: SdkPeer, agent_url: str) -> HostileTools:
    config = {"url": peer.url, "auth": {"type": "api_key", "header": "X-Odd", "secret": "a secret of them"}}
    body = {"name": STRINGS[0], "description": "\n".join(STRINGS), "type": "mcp_server", "config": config}
    endpoint = org.ok(org.post("/api/tool-endpoints", body))["id"]
    binding = {"endpoint_id": endpoint, "tool_name": "get_thing"}
    bound = {"default_execution_mode": "passthrough", "passthrough_binding": binding}
    agent = org.agent(agent_url, name="curious", tools_schema=[hostile_tools()[1] | bound])
    run = org.run(agent, user_instruction=STRINGS[0])["id"]
    cassette = org.ok(org.post("/api/cassettes", {"name": STRINGS[0], "run_id": run}))["id"]
    return HostileTools(endpoint, run, cassette)


def hostile_peer() -> SdkPeer:
    described = hostile_tools()[0]["input_schema"]
    listed = [tool("get_thing", description="\n".join(STRINGS), input_schema=described)]
    return SdkPeer({"get_thing": lambda ctx, arguments: said("\n".join(STRINGS))}, listed=listed)


@pytest.fixture(scope="module")
def hostile(site: Site) -> Iterator[HostileOrg]:
    org = site.platform.new_org()
    org.ok(org.put("/api/org", {"name": STRINGS[0]}))
    loud, quick, model = ScriptedAgent(everywhere), ScriptedAgent(instant), ModelServer(hostile_judge)
    for text in STRINGS[1:]:
        org.agent(
            quick.url, name=text.replace("\n", " ").replace("\r", " ")[:255], description=text, publish=False
        )
    address = f"{loud.url}?{quote(STRINGS[0])}"
    agent = org.agent(address, name=STRINGS[0], description=STRINGS[1], tools_schema=hostile_tools())
    for text in STRINGS[:20]:
        org.ok(org.post("/api/keys", {"name": text[:100]}))
    failing = ScriptedAgent(SeesPings(hostile_failure))
    ill = org.agent(failing.url, name=STRINGS[1], ledger_schema=hostile_schema())
    broken = org.run(ill, user_instruction=STRINGS[2])
    assert broken["status"] == "failed"
    changed = {"description": STRINGS[5], "tools_schema": hostile_tools()[:1]}
    org.ok(org.put(f"/api/agents/{agent['id']}?draft=true", changed))
    state = {"thing": {text: {"thing_id": text, text: text, "deep": {text: [text]}} for text in STRINGS}}
    rules = [
        {"tool": "get_thing", "args": {"thing_id": text}, "error": {"code": text, "message": text}}
        for text in STRINGS[:20]
    ]
    seed = {"initial_state": state, "failure_rules": rules, "behavior_instructions": "\n".join(STRINGS)}
    echo = org.agent(quick.url, name="echo", tools_schema=[])
    rows = hostile_dataset(org)
    batches = [ended(org, start_batch(org, echo, dataset_id=rows))["id"] for _ in range(2)]
    org.ok(org.put("/api/settings", model.settings(model=STRINGS[0])))
    seed |= graded_by_strings()
    run = org.run(agent, user_instruction="\n".join(STRINGS), input={t: t for t in STRINGS}, **seed)
    assert run["status"] == "completed", run["error_json"]
    assert org.graded(run["id"])["grades"][0]["judge"]["state"] == "answered"
    world = hostile_world(org, state, rules)
    scenario_id = hostile_library(org, agent["id"], world)
    split = ScriptedAgent(torn)
    doubtful = org.agent(split.url, name="torn", tools_schema=hostile_tools()[1:])
    eval_runs = hostile_eval_runs(org, doubtful["id"], scenario_id)
    peer, asking = hostile_peer(), ScriptedAgent(curious)
    live = hostile_live_tools(org, peer, asking.url)
    session = session_cookies(org)
    pair = (batches[0], batches[1])
    yield HostileOrg(
        org,
        agent["id"],
        run["id"],
        ill["id"],
        broken["id"],
        world,
        rows,
        pair,
        scenario_id,
        eval_runs,
        live,
        session,
    )
    peer.stop()
    asking.stop()
    loud.stop()
    failing.stop()
    split.stop()
    quick.stop()
    model.stop()


@pytest.fixture
def page(open_page: OpenPage, hostile: HostileOrg) -> Iterator[Page]:
    page = open_page("/favicon.svg", cookies=hostile.session).page
    yield page
    assert page.evaluate(f"window.{MARK}") is None


PATHS = [
    "/",
    "/agents",
    "/agents?q=%3Cscript%3E",
    "/agents/{agent}",
    "/agents/{agent}?tab=tools&tool=describe_everything",
    "/agents/{ill}?tab=ledger",
    "/agents/{agent}?tab=versions&from=1&to=2",
    "/agents/{agent}?tab=settings",
    "/agents/{agent}?tab=raw",
    "/agents/{agent}/edit",
    "/runs",
    "/runs?q=%22%3E%3Cscript%3E&error_class=%3Cb%3E",
    "/runs/new?like={run}",
    "/runs/{run}",
    "/runs/{run}?step=10",
    "/runs/{run}?tab=transcript",
    "/runs/{run}?tab=seed",
    "/runs/{run}?tab=raw",
    "/runs/{failed}",
    "/runs/{failed}?step=2",
    "/worlds",
    "/worlds?q=%22%3E%3Cscript%3E",
    "/worlds/new?copy={world}",
    "/worlds/new?run={run}&at=0",
    "/worlds/{world}",
    "/worlds/{world}?type=thing&entity=%3Cscript%3E&q=onerror",
    "/worlds/{world}?tab=try&agent={agent}&tool=describe_everything",
    "/worlds/{world}?tab=behaviour&agent={agent}&tool=describe_everything",
    "/worlds/{world}?tab=rules",
    "/worlds/{world}?tab=import",
    "/worlds/{world}?tab=raw",
    "/runs/new?world_id={world}",
    "/datasets",
    "/datasets?q=%22%3E%3Cscript%3E",
    "/datasets/new",
    "/datasets/{dataset}",
    "/datasets/{dataset}?row=3&column=%3Cb%3E",
    "/datasets/{dataset}?tab=audit",
    "/datasets/{dataset}?tab=batches",
    "/batches",
    "/batches/{after}",
    "/batches/{after}?mode=%3Cb%3E",
    "/batches/{before}/compare?with={after}",
    "/scenarios",
    "/scenarios?q=%22%3E%3Cscript%3E&tag=%3Cb%3E",
    "/scenarios/new?copy={scenario}",
    "/scenarios/{scenario}",
    "/scenarios/{scenario}/edit?version=1",
    "/scenarios/{scenario}?tab=versions&from=1&to=2",
    "/variations?show=hostile",
    "/evals/runs",
    "/evals/runs?variation_type=%3Cb%3E&matrix_id=%22%3E%3Cscript%3E",
    "/evals/runs/{baseline}",
    "/evals/runs/{pressed}",
    "/evals/compare?baseline={baseline}&variation={pressed}",
    "/scenarios/{scenario}?tab=compare&variation_type=hostile",
    "/review",
    "/review?status=decided",
    "/review?variation_type=%3Cb%3E&item=%22%3E%3Cscript%3E",
    "/review/figures",
    "/endpoints",
    "/endpoints?q=%22%3E%3Cscript%3E",
    "/endpoints/{endpoint}",
    "/endpoints/{endpoint}?tab=raw",
    "/endpoints/{endpoint}/edit",
    "/runs/{live_run}?step=3",
    "/runs/new?like={live_run}&cassette={cassette}",
    "/cassettes",
    "/cassettes/{cassette}",
    "/settings",
    "/account",
    "/account?tab=keys",
    "/account?tab=audit",
]
FRAGMENTS = [text.splitlines()[0][:24] for text in STRINGS]
WITHOUT_ANY = {
    "/worlds/new?run={run}&at=0",
    "/datasets?q=%22%3E%3Cscript%3E",
    "/datasets/new",
    "/account?tab=audit",
    "/review/figures",
}
"""Pages that show nothing of it: they count it, found none of it, or ask for it."""


MOST_READ = (
    "/",
    "/runs",
    "/runs/{run}",
    "/agents/{agent}",
    "/worlds/{world}",
    "/datasets/{dataset}",
    "/review",
)
"""The others are looked at in full."""


@pytest.mark.parametrize(
    "path", [pytest.param(path, marks=[] if path in MOST_READ else [pytest.mark.full]) for path in PATHS]
)
def test_hostile_content_is_only_text(page: Page, hostile: HostileOrg, path: str) -> None:
    before, after = hostile.batches
    numbers = {"dataset": hostile.dataset, "before": before, "after": after}
    numbers |= dict(zip(("baseline", "pressed"), hostile.eval_runs, strict=True))
    numbers |= {"agent": hostile.agent, "run": hostile.run, "world": hostile.world}
    numbers |= {"ill": hostile.ill, "failed": hostile.failed}
    names = {"endpoint": hostile.live.endpoint, "cassette": hostile.live.cassette}
    numbers |= {"live_run": hostile.live.run}
    page.goto(path.format(scenario=hostile.scenario, **names, **numbers))
    settled(page)
    for summary in page.locator("[aria-expanded=false]:visible").all()[:25]:
        if summary.is_visible() and summary.is_enabled():
            summary.click(force=True, timeout=2000)
            page.keyboard.press("Escape")
    assert page.evaluate(f"window.{MARK}") is None
    assert page.evaluate("document.querySelectorAll('iframe, object, embed, base, form[action]').length") == 0
    ours = "link.origin === location.origin || link.protocol === 'blob:' || link.href === ''"
    foreign = f"[...document.links].filter(link => !({ours})).map(link => link.href)"
    assert page.evaluate(foreign) == []
    if path not in WITHOUT_ANY:
        shown = page.locator("main").inner_text() + page.evaluate(WRITTEN)
        assert any(fragment in shown for fragment in FRAGMENTS)


WRITTEN = "[...document.querySelectorAll('main :is(input, textarea)')].map(field => field.value).join(' ')"


def test_names_are_shown_as_they_are(page: Page) -> None:
    page.goto("/agents?q=onerror")
    shown = page.get_by_role("table").inner_text()
    for text in [text for text in STRINGS[1:] if "onerror" in text and "\n" not in text]:
        assert text in shown


def test_every_step_of_a_hostile_trace_opens(page: Page, hostile: HostileOrg) -> None:
    events = hostile.org.trace(hostile.run)
    kinds: dict[str, int] = {}
    for event in events:
        what = (event["kind"], event["data"].get("source"), event["data"].get("code"))
        kinds.setdefault(str(what), event["sequence"])
    assert len(kinds) >= 9, kinds
    for sequence in kinds.values():
        page.goto(f"/runs/{hostile.run}?step={sequence}")
        page.get_by_role("region", name=f"Step {sequence}").wait_for()
        assert page.evaluate(f"window.{MARK}") is None


def test_a_hostile_answer_to_a_ping_is_only_text(page: Page, hostile: HostileOrg) -> None:
    page.goto(f"/agents/{hostile.ill}")
    page.get_by_role("button", name="Test connection").click()
    expect(page.get_by_role("status").filter(has_text="500")).to_be_visible()
    assert page.evaluate(f"window.{MARK}") is None
