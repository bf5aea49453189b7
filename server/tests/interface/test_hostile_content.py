"""Sixty hostile strings in every field a stranger can fill: all of it is shown, none of it does anything."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Page
from support.agents import Dispatched, ScriptedAgent
from support.batches import dataset, ended, start_batch
from support.browser import new_link
from support.chromium import Watched, sign_in
from support.hostile import MARK, STRINGS
from support.model_server import Asked, ModelServer, answers
from support.platform import Org
from support.site import Site, post_event


class HostileOrg(NamedTuple):
    org: Org
    agent: int
    run: int
    world: int
    dataset: int
    batches: tuple[int, int]
    session: str
    """Path of the file that keeps the admin's session."""


def everywhere(dispatched: Dispatched) -> dict[str, Any]:
    """Behave as an agent that says every string in every way an agent can say something."""
    for text in STRINGS[:50]:
        dispatched.call("get_thing", {"thing_id": text, text: text})
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


@pytest.fixture(scope="module")
def hostile(browser: Browser, site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostileOrg]:
    org = site.platform.new_org()
    org.ok(org.put("/api/org", {"name": STRINGS[0]}))
    loud, quick, model = ScriptedAgent(everywhere), ScriptedAgent(instant), ModelServer(hostile_judge)
    for text in STRINGS[1:]:
        org.agent(
            quick.url, name=text.replace("\n", " ").replace("\r", " ")[:255], description=text, publish=False
        )
    agent = org.agent(loud.url, name=STRINGS[0], description=STRINGS[1], tools_schema=hostile_tools())
    changed = {"description": STRINGS[5], "tools_schema": hostile_tools()[:1]}
    org.ok(org.put(f"/api/agents/{agent['id']}?draft=true", changed))
    state = {"thing": {text: {"thing_id": text, text: text, "deep": {text: [text]}} for text in STRINGS}}
    rules = [
        {"tool": "get_thing", "args": {"thing_id": text}, "error": {"code": text, "message": text}}
        for text in STRINGS[:20]
    ]
    seed = {"initial_state": state, "failure_rules": rules, "behavior_instructions": "\n".join(STRINGS)}
    echo = org.agent(quick.url, name="echo", tools_schema=[])
    for started in org.start(echo, *({"user_instruction": text} for text in STRINGS)):
        org.wait(started)
    rows = hostile_dataset(org)
    batches = [ended(org, start_batch(org, echo, dataset_id=rows))["id"] for _ in range(2)]
    org.ok(org.put("/api/settings", model.settings(model=STRINGS[0])))
    seed |= graded_by_strings()
    run = org.run(agent, user_instruction="\n".join(STRINGS), input={t: t for t in STRINGS}, **seed)
    assert run["status"] == "completed", run["error_json"]
    assert org.graded(run["id"])["grades"][0]["judge"]["state"] == "answered"
    session = tmp_path_factory.mktemp("hostile") / "state.json"
    sign_in(browser, site.url, f"/signin#{new_link(org)}", keep_in=session)
    world = hostile_world(org, state, rules)
    yield HostileOrg(org, agent["id"], run["id"], world, rows, (batches[0], batches[1]), str(session))
    loud.stop()
    quick.stop()
    model.stop()


@pytest.fixture
def page(browser: Browser, site: Site, hostile: HostileOrg) -> Iterator[Page]:
    context = browser.new_context(base_url=site.url, storage_state=hostile.session, reduced_motion="reduce")
    watched = Watched(context.new_page(), site.url)
    yield watched.page
    assert watched.page.evaluate(f"window.{MARK}") is None
    context.close()
    watched.verify()


PATHS = [
    "/",
    "/agents",
    "/agents?q=%3Cscript%3E",
    "/agents/{agent}",
    "/agents/{agent}?tab=tools&tool=describe_everything",
    "/agents/{agent}?tab=ledger",
    "/agents/{agent}?tab=versions&from=1&to=2",
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
    "/worlds",
    "/worlds?q=%22%3E%3Cscript%3E",
    "/worlds/new?copy={world}",
    "/worlds/new?run={run}&at=0",
    "/worlds/{world}",
    "/worlds/{world}?type=thing&entity=%3Cscript%3E&q=onerror",
    "/worlds/{world}?tab=try&agent={agent}&tool=describe_everything",
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
    "/settings",
    "/account",
]


@pytest.mark.parametrize("path", PATHS)
def test_hostile_content_is_only_text(page: Page, hostile: HostileOrg, path: str) -> None:
    before, after = hostile.batches
    numbers = {"dataset": hostile.dataset, "before": before, "after": after}
    page.goto(path.format(agent=hostile.agent, run=hostile.run, world=hostile.world, **numbers))
    page.get_by_role("heading", level=1).first.wait_for()
    page.wait_for_load_state("load")
    for summary in page.locator("[aria-expanded=false]:visible").all()[:25]:
        if summary.is_visible() and summary.is_enabled():
            summary.click(force=True, timeout=2000)
            page.keyboard.press("Escape")
    assert page.evaluate(f"window.{MARK}") is None
    assert page.evaluate("document.querySelectorAll('iframe, object, embed, base, form[action]').length") == 0
    ours = "link.origin === location.origin || link.protocol === 'blob:' || link.href === ''"
    foreign = f"[...document.links].filter(link => !({ours})).map(link => link.href)"
    assert page.evaluate(foreign) == []


def test_names_are_shown_as_they_are(page: Page) -> None:
    page.goto("/agents?q=onerror")
    shown = page.get_by_role("table").inner_text()
    for text in [text for text in STRINGS[1:] if "onerror" in text and "\n" not in text]:
        assert text in shown


def test_every_step_of_a_hostile_trace_opens(page: Page, hostile: HostileOrg) -> None:
    events = hostile.org.trace(hostile.run)
    kinds: dict[str, int] = {}
    for event in events:
        kinds.setdefault(f"{event['kind']} {event['data'].get('source')}", event["sequence"])
    for sequence in kinds.values():
        page.goto(f"/runs/{hostile.run}?step={sequence}")
        page.get_by_role("heading", level=1).first.wait_for()
        assert page.evaluate(f"window.{MARK}") is None
