"""Registering agents over HTTP: versions, publishing, imports and every fault named (wire-contract.md#d8)."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from support.agents import Behaviour, ScriptedAgent, final
from support.platform import TOOLS, Org

StartAgent = Callable[[Behaviour], ScriptedAgent]

URL = "http://127.0.0.1:9/dispatch"
BODY: dict[str, Any] = {"name": "agent", "config": {"endpoint_url": URL}, "tools_schema": TOOLS}
ARGUMENTS = {"type": "object", "properties": {"q": {"type": "string"}}}


def refusal(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def faults(answer: httpx.Response, code: str = "validation_failed") -> list[dict[str, Any]]:
    assert refusal(answer) == (422, code), answer.text
    errors: list[dict[str, Any]] = answer.json()["errors"]
    return errors


def create(org: Org, **members: Any) -> dict[str, Any]:
    agent: dict[str, Any] = org.ok(org.post("/api/agents", BODY | members))
    return agent


def change(org: Org, agent: dict[str, Any], body: dict[str, Any], **query: str) -> httpx.Response:
    return org.put(f"/api/agents/{agent['id']}", body, params=query)


def versions(org: Org, agent: dict[str, Any]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = org.ok(org.get(f"/api/agents/{agent['id']}/versions"))["items"]
    return items


def saved(org: Org, agent: dict[str, Any], **members: Any) -> list[httpx.Response]:
    """Try a registration in every way that checks one."""
    body = BODY | members
    return [
        org.post("/api/agents", body),
        org.post("/api/agents/validate", body),
        change(org, agent, members),
    ]


def connect(org: Org, agent: dict[str, Any], **config: Any) -> httpx.Response:
    body = {"config": config} if config else None
    return org.post(f"/api/agents/{agent['id']}/test-connection", body)


def test_a_registration_comes_back_as_it_was_stored(org: Org) -> None:
    answer = org.post("/api/agents", BODY | {"description": "d", "ledger_schema": {"entities": []}})
    assert answer.status_code == 201
    agent = answer.json()
    assert agent == agent | {
        "name": "agent",
        "description": "d",
        "mode": "http",
        "config": {"endpoint_url": URL},
        "tools_schema": TOOLS,
        "ledger_schema": {"entities": []},
        "version": 1,
        "published_version": None,
        "status": "draft",
        "auth_header_set": False,
    }
    assert agent["created_at"].endswith("Z")
    assert org.ok(org.get(f"/api/agents/{agent['id']}")) == agent
    assert org.ok(org.get("/api/agents")) == {"items": [agent], "next_cursor": None}


def test_agents_page_newest_first(org: Org) -> None:
    ids = [create(org)["id"] for _ in range(3)]
    page = org.ok(org.get("/api/agents", params={"limit": 2}))
    assert [agent["id"] for agent in page["items"]] == ids[:0:-1]
    rest = org.ok(org.get("/api/agents", params={"limit": 2, "cursor": page["next_cursor"]}))
    assert ([agent["id"] for agent in rest["items"]], rest["next_cursor"]) == (ids[:1], None)


def test_only_changed_content_makes_a_version(org: Org) -> None:
    agent = create(org)
    turned = {"tools_schema": [dict(reversed(tool.items())) for tool in TOOLS]}
    for body in (
        {},
        BODY,
        turned,
        {"config": {"run_timeout_s": None}},
        {"description": ""},
        {"config": {"run_timeout_s": 300}},
    ):
        assert org.ok(change(org, agent, body)) == agent, body
    second = org.ok(change(org, agent, {"description": "changed"}))
    assert (second["version"], second["updated_at"] > agent["updated_at"]) == (2, True)
    third = org.ok(change(org, agent, {"description": ""}))
    assert third["version"] == 3
    first, changed, back = versions(org, agent)
    assert [one["version"] for one in (first, changed, back)] == [1, 2, 3]
    assert first["content_hash"] == back["content_hash"] != changed["content_hash"]
    assert (first["description"], changed["description"]) == ("", "changed")
    (me,) = org.ok(org.get("/api/people"))["items"]
    assert first["created_by"] == me["id"]
    page = org.ok(org.get(f"/api/agents/{agent['id']}/versions", params={"limit": 2}))
    assert page["items"] == [first, changed]
    rest = org.get(f"/api/agents/{agent['id']}/versions", params={"cursor": page["next_cursor"]})
    assert org.ok(rest) == {"items": [back], "next_cursor": None}


def test_what_a_change_omits_stays_and_null_removes_a_config_key(org: Org) -> None:
    config = BODY["config"] | {"run_timeout_s": 60, "consistency_mode": "strict", "auth_header_name": "X-Key"}
    schema = {"entities": [{"type": "order", "id_field": "id"}]}
    agent = create(org, config=config, description="d", ledger_schema=schema)
    renamed = org.ok(change(org, agent, {"name": "new"}))
    assert renamed | {"name": "agent", "version": 1, "updated_at": agent["updated_at"]} == agent
    changed = org.ok(change(org, agent, {"config": {"run_timeout_s": 5, "consistency_mode": None}}))
    assert changed["config"] == {"endpoint_url": URL, "run_timeout_s": 5, "auth_header_name": "X-Key"}
    assert (changed["tools_schema"], changed["ledger_schema"]) == (TOOLS, schema)
    kept = org.ok(change(org, agent, {"name": None, "description": None, "tools_schema": None, "mode": None}))
    assert kept["version"] == changed["version"]
    opened = org.ok(change(org, agent, {"ledger_schema": None, "tools_schema": []}))
    assert (opened["ledger_schema"], opened["tools_schema"]) == (None, [])
    (fault,) = faults(change(org, agent, {"config": {"endpoint_url": None}}))
    assert fault["loc"] == ["config", "endpoint_url"]


def test_a_change_of_a_published_agent_is_published_unless_it_is_a_draft(
    org: Org, agent_server: StartAgent
) -> None:
    server = agent_server(lambda d: final())
    agent = create(org, config={"endpoint_url": server.url})
    changed = org.ok(change(org, agent, {"description": "still a draft"}))
    assert (changed["version"], changed["published_version"], changed["status"]) == (2, None, "draft")
    published = org.ok(org.post(f"/api/agents/{agent['id']}/publish"))
    assert (published["published_version"], published["status"]) == (2, "published")
    third = org.ok(change(org, agent, {"description": "at once"}))
    assert (third["version"], third["published_version"]) == (3, 3)
    fourth = org.ok(change(org, agent, {"description": "later"}, draft="true"))
    assert (fourth["version"], fourth["published_version"], fourth["status"]) == (4, 3, "published")
    assert [one["published"] for one in versions(org, agent)] == [False, False, True, False]
    assert org.run(agent)["agent_version"] == 3
    assert org.ok(org.post(f"/api/agents/{agent['id']}/publish"))["published_version"] == 4
    assert org.run(agent)["agent_version"] == 4


@pytest.mark.parametrize(
    "entry",
    [
        {
            "type": "function",
            "name": "search",
            "description": "Find.",
            "parameters": ARGUMENTS,
            "strict": True,
        },
        {"type": "function", "function": {"name": "search", "description": "Find.", "parameters": ARGUMENTS}},
        {"name": "search", "description": "Find.", "input_schema": ARGUMENTS, "cache_control": {"type": "x"}},
        {"name": "search", "description": "Find.", "parameters": ARGUMENTS},
    ],
    ids=["OpenAI flat", "OpenAI nested", "Anthropic", "LangChain"],
)
def test_tools_of_other_shapes_are_brought_into_ours(org: Org, entry: dict[str, Any]) -> None:
    expected = [{"name": "search", "description": "Find.", "input_schema": ARGUMENTS}]
    assert create(org, tools_schema=[entry])["tools_schema"] == expected
    validated = org.ok(org.post("/api/agents/validate", BODY | {"tools_schema": [entry]}))
    assert validated["valid"] is True
    assert validated["agent"]["tools_schema"] == expected
    assert len(org.ok(org.get("/api/agents"))["items"]) == 1


BINDING = {"tool_name": "t", "endpoint_id": "6f0e4b0e-3a1c-4d2f-9b0a-0123456789ab"}


def tool(name: str, **members: Any) -> dict[str, Any]:
    return {"name": name, "input_schema": ARGUMENTS, **members}


def passthrough(name: str, binding: Any) -> dict[str, Any]:
    return tool(name, default_execution_mode="passthrough", passthrough_binding=binding)


FAULTY_TOOLS: list[Any] = [
    5,
    {"input_schema": ARGUMENTS},
    {"name": "no_schema"},
    tool("../x"),
    tool("x" * 129),
    tool("get_order"),
    tool("mode", default_execution_mode="Sandbox"),
    passthrough("unbound", None),
    passthrough("nowhere", BINDING),
    passthrough("both", BINDING | {"endpoint_name": "e"}),
    tool("bad_schema", input_schema={"type": "objekt"}),
    tool("array_schema", input_schema={"type": "array"}),
    tool("remote", input_schema={"$ref": "http://127.0.0.1:9/schema"}),
    tool("output", output_schema="string"),
    tool("unknown", input_shema={}),
    tool("nul", description="a\x00b"),
]


def test_every_faulty_tool_is_named_in_one_answer(org: Org) -> None:
    agent = create(org)
    tools = [TOOLS[0], *FAULTY_TOOLS, TOOLS[1]]
    named = [
        tool["name"][:128] if isinstance(tool, dict) and "name" in tool else None for tool in FAULTY_TOOLS
    ]
    for answer in saved(org, agent, tools_schema=tools):
        found = sorted(faults(answer), key=lambda fault: int(fault["loc"][1]))
        assert [fault["loc"][:2] for fault in found] == [["tools_schema", n + 1] for n in range(len(named))]
        assert [fault.get("tool") for fault in found] == named
    assert org.ok(org.get("/api/agents"))["items"] == [agent]
    no_lists: list[Any] = [{}, "x", 5, None, [TOOLS[0]] * 257]
    for wrong in no_lists:
        assert faults(org.post("/api/agents", BODY | {"tools_schema": wrong}))[0]["loc"] == ["tools_schema"]


def test_the_faults_of_a_ledger_schema_are_placed_and_all_named(org: Org) -> None:
    agent = create(org)
    order = {"type": "order", "id_field": "id"}
    fields = [
        {"name": "x"},
        {"name": "y", "type": "text"},
        {"name": "z", "type": "integer", "enum": [1, "2"]},
    ]
    schema = {
        "entities": [
            order,
            order,
            {"id_field": "id"},
            {"type": "item"},
            order | {"type": "a", "fields": fields},
        ],
        "flags": {"policy": "closed"},
        "entites": [],
    }
    for answer in saved(org, agent, ledger_schema=schema):
        assert sorted(str(fault["loc"]) for fault in faults(answer)) == [
            "['ledger_schema', 'entites']",
            "['ledger_schema', 'entities', 1, 'type']",
            "['ledger_schema', 'entities', 2, 'type']",
            "['ledger_schema', 'entities', 3, 'id_field']",
            "['ledger_schema', 'entities', 4, 'fields', 0, 'type']",
            "['ledger_schema', 'entities', 4, 'fields', 1, 'type']",
            "['ledger_schema', 'entities', 4, 'fields', 2, 'enum', 1]",
            "['ledger_schema', 'flags', 'values']",
        ]
    wrongs: list[Any] = [[], {}, {"entities": {}}, {"entities": [order] * 101}]
    for wrong in wrongs:
        assert (
            faults(org.post("/api/agents", BODY | {"ledger_schema": wrong}))[0]["loc"][0] == "ledger_schema"
        )


def test_faults_of_every_part_come_together(org: Org) -> None:
    config = {"endpoint_url": URL, "run_timeout_s": 1801}
    found = faults(
        org.post("/api/agents", BODY | {"config": config, "tools_schema": [5], "ledger_schema": 5})
    )
    assert {fault["loc"][0] for fault in found} == {"config", "tools_schema", "ledger_schema"}


@pytest.mark.parametrize(
    ("config", "place"),
    [
        ({"engine": "wrold"}, ["config", "engine"]),
        ({"engines": {"get_order": "wrold"}}, ["config", "engines", "get_order"]),
        ({"engines": {"get_odrer": "world"}}, ["config", "engines", "get_odrer"]),
        ({"engines": {"get_order": "program"}}, ["config", "engines", "get_order"]),
        ({"programs": {"get_odrer": {"response": 1}}}, ["config", "programs", "get_odrer"]),
        ({"programs": {"get_order": {"respond": 1}}}, ["config", "programs", "get_order", "respond"]),
    ],
)
def test_what_is_wrong_with_an_engine_or_a_program_is_said_at_its_place(
    org: Org, config: dict[str, Any], place: list[str]
) -> None:
    agent = create(org)
    for answer in saved(org, agent, config={"endpoint_url": URL, **config}):
        (fault,) = faults(answer)
        assert fault["loc"] == place


def test_code_agents_are_stored_but_not_published_yet(org: Org) -> None:
    config = {"source": {"code": "def run(envelope):\n    return {}\n"}, "entrypoint": "agent:run"}
    agent = create(org, mode="code", config=config)
    assert (agent["mode"], agent["config"]["source"]) == ("code", config["source"])
    faults(org.post(f"/api/agents/{agent['id']}/publish"), "not_available_yet")
    faults(connect(org, agent), "not_available_yet")
    started = org.post("/api/runs", {"agent_id": agent["id"], "seeds": [{"user_instruction": "x"}]})
    assert refusal(started) == (409, "agent_not_published")
    back = org.ok(change(org, agent, {"mode": "http", "config": {"endpoint_url": URL}}))
    assert (back["mode"], back["config"]) == ("http", {"endpoint_url": URL})


def test_a_deleted_agent_is_gone_and_its_runs_stay(org: Org, agent_server: StartAgent) -> None:
    header = {"auth_header_name": "X-Key", "auth_header_value": "the key"}
    agent = org.agent(agent_server(lambda d: final(d.call("list_orders").text)).url, config=header)
    run = org.run(agent)
    path = f"/api/agents/{agent['id']}"
    assert org.client.delete(path).status_code == 204
    for answer in (
        org.get(path),
        org.put(path, {"name": "back"}),
        org.client.delete(path),
        org.post(f"{path}/publish"),
        org.get(f"{path}/versions"),
        connect(org, agent),
        org.post("/api/runs", {"agent_id": agent["id"], "seeds": [{"user_instruction": "x"}]}),
    ):
        assert refusal(answer) == (404, "not_found")
    assert org.ok(org.get("/api/agents"))["items"] == []
    assert org.ok(org.get(f"/api/runs/{run['id']}")) == run
    assert [event["kind"] for event in org.trace(run["id"])] == ["dispatch", "tool_call", "reply"]
    listed = org.ok(org.get("/api/runs", params={"agent_id": agent["id"]}))
    assert [one["id"] for one in listed["items"]] == [run["id"]]


def test_one_version_is_read_by_its_number(org: Org, other_org: Org) -> None:
    agent = create(org)
    org.ok(org.post(f"/api/agents/{agent['id']}/publish"))
    org.ok(change(org, agent, {"name": "renamed"}, draft="true"))
    path = f"/api/agents/{agent['id']}/versions"
    listed = versions(org, agent)
    assert [org.ok(org.get(f"{path}/{number}")) for number in (1, 2)] == listed
    assert [(one["name"], one["published"]) for one in listed] == [("agent", True), ("renamed", False)]
    for number in (0, 3, 2**31, 2**63 - 1, 2**63):
        assert refusal(org.get(f"{path}/{number}")) == (404, "not_found")
    assert refusal(other_org.get(f"{path}/1")) == (404, "not_found")
    assert org.client.delete(f"/api/agents/{agent['id']}").status_code == 204
    assert refusal(org.get(f"{path}/1")) == (404, "not_found")


def test_agents_are_found_by_name_and_status(org: Org, other_org: Org) -> None:
    def found(**query: Any) -> list[int]:
        return [agent["id"] for agent in org.ok(org.get("/api/agents", params=query))["items"]][::-1]

    desk, rated, quoted = (create(org, name=name)["id"] for name in ("Support Desk", "100%_er", 'a "b" \\ Ü'))
    create(other_org, name="Support Desk")
    for q, expected in (
        ("support d", [desk]),
        ("DESK", [desk]),
        ("%", [rated]),
        ("_ER", [rated]),
        ('"B" \\ Ü', [quoted]),
        ("get_order", []),
        ("", [desk, rated, quoted]),
    ):
        assert found(q=q) == expected, q
    org.ok(org.put(f"/api/agents/{desk}", {"name": "Help Desk"}))
    assert (found(q="support"), found(q="help")) == ([], [desk])
    org.ok(org.post(f"/api/agents/{desk}/publish"))
    assert (found(status="published"), found(status="draft")) == ([desk], [rated, quoted])
    assert (found(status="draft", q="desk"), found(status="published", q="desk")) == ([], [desk])
    page = org.ok(org.get("/api/agents", params={"status": "draft", "limit": 1}))
    rest = org.ok(org.get("/api/agents", params={"status": "draft", "cursor": page["next_cursor"]}))
    assert [agent["id"] for agent in page["items"] + rest["items"]] == [quoted, rated]


def test_an_adapter_that_could_never_work_is_not_saved(org: Org) -> None:
    schema = {
        "entities": [{"type": "order", "id_field": "order_id"}],
        "flags": {"policy": "closed", "values": ["a"]},
    }
    adapter = {
        "entity_type": "order",
        "id_from": "$.order[",
        "field_map": {"order_id": "$..a..b", "total": "$.total"},
        "flags": ["b", "{q"],
    }
    tool = {
        "name": "find_order",
        "input_schema": ARGUMENTS,
        "default_execution_mode": "passthrough",
        "passthrough_binding": {"endpoint_name": "shop", "tool_name": "find_order"},
        "ledger_write_policy": "adapter",
        "ledger_adapter": adapter,
    }
    agent = create(org)
    for answer in saved(org, agent, tools_schema=[tool], ledger_schema=schema):
        found = {tuple(error["loc"][3:]) for error in faults(answer) if "ledger_adapter" in error["loc"]}
        places = [("id_from",), ("field_map", "order_id"), ("field_map", "total"), ("flags", 0), ("flags", 1)]
        assert set(places) <= found


def test_a_flag_template_takes_plain_names_only(org: Org) -> None:
    more = [
        "{order.id}",
        "{order[0]}",
        "{order!r}",
        "{order:>9}",
        "{}",
        "{0}",
        "{{order}}",
        "{a{b}}",
        "{ order }",
    ]
    tool = {
        "name": "find_order",
        "input_schema": {"type": "object"},
        "ledger_write_policy": "adapter",
        "ledger_adapter": {"op": "set_flag", "flags": ["seen:{order-id}", *more]},
    }
    agent = create(org)
    for answer in saved(org, agent, tools_schema=[tool], ledger_schema={"entities": []}):
        found = {error["loc"][-1]: error["msg"] for error in faults(answer) if "flags" in error["loc"]}
        assert list(found) == [number + 1 for number in range(len(more))]
        assert all(template in found[number + 1] for number, template in enumerate(more))
