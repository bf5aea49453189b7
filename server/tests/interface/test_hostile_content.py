"""Sixty hostile strings in every field a stranger can fill: all of it is shown, none of it does anything."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect
from support.agents import Answer, Behaviour, Dispatched, ScriptedAgent, SeesPings
from support.batches import dataset, ended, start_batch
from support.browser import session_cookies
from support.chromium import becomes_true
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
    assert shown[1]["shift"]["moved"] == "decision"
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


class HostileOrg:
    """An organisation with all of them in it; what no page was asked about yet is not made."""

    def __init__(self, org: Org, stack: ExitStack) -> None:
        self.org = org
        self._stack = stack
        org.ok(org.put("/api/org", {"name": STRINGS[0]}))
        for text in STRINGS[:20]:
            org.ok(org.post("/api/keys", {"name": text[:100]}))
        self.quick = self._agent_server(instant)
        for text in STRINGS[1:]:
            name = text.replace("\n", " ").replace("\r", " ")[:255]
            org.agent(self.quick, name=name, description=text, publish=False)
        self.session = session_cookies(org)
        """The cookies of its admin."""

    def _agent_server(self, behaviour: Behaviour) -> str:
        server = ScriptedAgent(behaviour)
        self._stack.callback(server.stop)
        return server.url

    @cached_property
    def agent(self) -> int:
        address = f"{self._agent_server(everywhere)}?{quote(STRINGS[0])}"
        made = self.org.agent(address, name=STRINGS[0], description=STRINGS[1], tools_schema=hostile_tools())
        changed = {"description": STRINGS[5], "tools_schema": hostile_tools()[:1]}
        self.org.ok(self.org.put(f"/api/agents/{made['id']}?draft=true", changed))
        found: int = made["id"]
        return found

    @cached_property
    def run(self) -> int:
        model = ModelServer(hostile_judge)
        self._stack.callback(model.stop)
        self.org.ok(self.org.put("/api/settings", model.settings(model=STRINGS[0])))
        seed = {"initial_state": STATE, "failure_rules": RULES, "behavior_instructions": "\n".join(STRINGS)}
        seed |= graded_by_strings() | {"input": {text: text for text in STRINGS}}
        run = self.org.run({"id": self.agent}, user_instruction="\n".join(STRINGS), **seed)
        assert run["status"] == "completed", run["error_json"]
        assert self.org.graded(run["id"])["grades"][0]["judge"]["state"] == "answered"
        found: int = run["id"]
        return found

    @cached_property
    def ill(self) -> int:
        """An agent whose ledger schema is full of them; it asks for tools of these names and answers with a page."""
        failing = self._agent_server(SeesPings(hostile_failure))
        made: int = self.org.agent(failing, name=STRINGS[1], ledger_schema=hostile_schema())["id"]
        return made

    @cached_property
    def failed(self) -> int:
        """What came of its run."""
        broken = self.org.run({"id": self.ill}, user_instruction=STRINGS[2])
        assert broken["status"] == "failed"
        found: int = broken["id"]
        return found

    @cached_property
    def world(self) -> int:
        return hostile_world(self.org, STATE, RULES)

    @cached_property
    def dataset(self) -> int:
        return hostile_dataset(self.org)

    @cached_property
    def batches(self) -> tuple[int, int]:
        echo = self.org.agent(self.quick, name="echo", tools_schema=[])
        made = [ended(self.org, start_batch(self.org, echo, dataset_id=self.dataset)) for _ in range(2)]
        return made[0]["id"], made[1]["id"]

    @property
    def before(self) -> int:
        return self.batches[0]

    @property
    def after(self) -> int:
        return self.batches[1]

    @cached_property
    def scenario(self) -> str:
        return hostile_library(self.org, self.agent, self.world)

    @cached_property
    def eval_runs(self) -> tuple[int, int]:
        """As it is, and under a pressure that says them."""
        doubtful = self.org.agent(self._agent_server(torn), name="torn", tools_schema=hostile_tools()[1:])
        return hostile_eval_runs(self.org, doubtful["id"], self.scenario)

    @property
    def baseline(self) -> int:
        return self.eval_runs[0]

    @property
    def pressed(self) -> int:
        return self.eval_runs[1]

    @cached_property
    def live(self) -> HostileTools:
        peer = hostile_peer()
        self._stack.callback(peer.stop)
        return hostile_live_tools(self.org, peer, self._agent_server(curious))

    @property
    def endpoint(self) -> str:
        return self.live.endpoint

    @property
    def cassette(self) -> str:
        return self.live.cassette

    @property
    def live_run(self) -> int:
        return self.live.run

    def __getitem__(self, part: str) -> Any:
        """A part by its name, as an address has it."""
        return getattr(self, part)


STATE = {"thing": {text: {"thing_id": text, text: text, "deep": {text: [text]}} for text in STRINGS}}
RULES = [
    {"tool": "get_thing", "args": {"thing_id": text}, "error": {"code": text, "message": text}}
    for text in STRINGS[:20]
]


@pytest.fixture(scope="module")
def hostile(site: Site) -> Iterator[HostileOrg]:
    with ExitStack() as stack:
        yield HostileOrg(site.platform.new_org(), stack)


@pytest.fixture
def page(open_page: OpenPage, hostile: HostileOrg) -> Iterator[Page]:
    page = open_page("/favicon.svg", cookies=hostile.session).page
    yield page
    does_nothing(page)


def does_nothing(page: Page) -> None:
    assert page.evaluate(f"window.{MARK}") is None
    assert page.evaluate("document.querySelectorAll('iframe, object, embed, base, form[action]').length") == 0
    ours = "link.origin === location.origin || link.protocol === 'blob:' || link.href === ''"
    foreign = f"[...document.links].filter(link => !({ours})).map(link => link.href)"
    assert page.evaluate(foreign) == []


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


SHOWN_BELOW = {
    "worlds": "world",
    "datasets": "dataset",
    "batches": "batches",
    "scenarios": "scenario",
    "variations": "scenario",
    "evals": "eval_runs",
    "review": "eval_runs",
    "endpoints": "live",
    "cassettes": "live",
}
"""What there must be for a list to show something."""

SHOWN = """fragments => {
    const main = document.querySelector('main');
    const written = [...main.querySelectorAll('input, textarea')].map(field => field.value);
    return [main.innerText, ...written].some(text => fragments.some(fragment => text.includes(fragment)));
}"""


def unfold(page: Page) -> None:
    """Open what is folded, one after the other."""
    for folded in page.locator("[aria-expanded=false]:visible").all()[:25]:
        if folded.is_visible() and folded.is_enabled():
            folded.click(force=True)
            page.keyboard.press("Escape")


@pytest.mark.parametrize(
    "path", [pytest.param(path, marks=[] if path in MOST_READ else [pytest.mark.full]) for path in PATHS]
)
def test_hostile_content_is_only_text(page: Page, hostile: HostileOrg, path: str) -> None:
    first_word = path.split("?")[0].split("/")[1]
    assert hostile[SHOWN_BELOW.get(first_word, "run")]
    page.goto(path.format_map(hostile))
    settled(page)
    if path not in WITHOUT_ANY:
        assert becomes_true(page, SHOWN, FRAGMENTS)
    unfold(page)
    does_nothing(page)


def test_names_are_shown_as_they_are(page: Page) -> None:
    page.goto("/agents?q=onerror")
    table = page.get_by_role("table")
    for text in [text for text in STRINGS[1:] if "onerror" in text and "\n" not in text]:
        expect(table).to_contain_text(text)


def test_every_step_of_a_hostile_trace_opens(page: Page, hostile: HostileOrg) -> None:
    events = hostile.org.trace(hostile.run)
    kinds: dict[str, int] = {}
    for event in events:
        what = (event["kind"], event["data"].get("source"), event["data"].get("code"))
        kinds.setdefault(str(what), event["sequence"])
    assert len(kinds) >= 9, kinds
    page.goto(f"/runs/{hostile.run}")
    for sequence in kinds.values():
        page.evaluate(AS_BY_THE_BACK_BUTTON, f"/runs/{hostile.run}?step={sequence}")
        page.get_by_role("region", name=f"Step {sequence}", exact=True).wait_for()
        does_nothing(page)


AS_BY_THE_BACK_BUTTON = """address => {
    history.pushState(history.state, '', address);
    dispatchEvent(new PopStateEvent('popstate'));
}"""


def test_a_hostile_answer_to_a_ping_is_only_text(page: Page, hostile: HostileOrg) -> None:
    page.goto(f"/agents/{hostile.ill}")
    page.get_by_role("button", name="Test connection").click()
    expect(page.get_by_role("status").filter(has_text="500")).to_be_visible()
