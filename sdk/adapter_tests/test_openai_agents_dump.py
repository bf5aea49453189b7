"""What an agent of the OpenAI Agents SDK is registered with, and what it cannot bring along."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from agents import (
    Agent,
    FunctionTool,
    function_tool,
)
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
from agents.sandbox import SandboxAgent
from agents.tool import CodeInterpreterTool, HostedMCPTool, LocalShellTool, WebSearchTool
from openai_agents_support import (
    ANSWERS,
    Decision,
    agent,
    calls,
    get_order,
    go,
    looks_up_an_order,
    model_of,
    says,
    supervised,
)
from recording_proxy import RecordingProxy, Refusal

from pipelines.odyssey.adapters import describe
from pipelines.odyssey.adapters.openai_agents import (
    dump_sub_agents,
    dump_tools_schema,
    dump_tools_schema_json,
    proxied,
)
from pipelines.odyssey.context import set_current
from pipelines.odyssey.errors import (
    ToolError,
    UnproxiableToolError,
)
from pipelines.odyssey.mcp_sessions import openai_agents_server
from pipelines.odyssey.tools import passthrough


@pytest.fixture
def proxy() -> Iterator[RecordingProxy]:
    with RecordingProxy(dict(ANSWERS)) as proxy:
        yield proxy


def test_the_dump_describes_all_tools_of_all_agents_once() -> None:
    schema = dump_tools_schema(supervised(hands_back=True))
    assert [entry["name"] for entry in schema] == ["get_payment", "refund_order", "get_order"]
    order = schema[2]
    assert order["description"] == "Look up an order."
    assert order["input_schema"]["required"] == ["order_id"]
    assert order["input_schema"]["properties"]["order_id"]["description"] == "The order's id."
    assert order["input_schema"]["additionalProperties"] is False
    assert schema[0]["input_schema"]["required"] == ["payment_id"]
    assert json.loads(dump_tools_schema_json(supervised())) == dump_tools_schema(supervised())


def test_the_dump_takes_tools_and_executions_and_output_schemas() -> None:
    @function_tool(output_type=Decision)
    def decide() -> Decision:
        """Decide."""
        raise AssertionError

    schema = dump_tools_schema([decide, get_order], executions={"get_order": passthrough("shop")})
    assert set(schema[0]["output_schema"]["properties"]) == {"refund", "cents"}
    assert schema[1]["passthrough_binding"] == {"endpoint_name": "shop", "tool_name": "get_order"}


def test_a_tool_that_declares_its_output_hears_refusals_as_an_object(proxy: RecordingProxy) -> None:
    @function_tool(output_type=Decision)
    def decide() -> Decision:
        """Decide."""
        raise AssertionError

    proxy.answers["decide"] = {"error": "not today"}
    first = agent("desk", [calls("decide")], says("Ok."), tools=[decide])
    go(first, proxy.envelope())
    assert json.loads(model_of(first).calls[1].input[-1]["output"]) == {"error": "not today"}

    proxy.answers["decide"] = Refusal(404, "tool_unknown", "There is no such tool.")
    second = agent("desk", [calls("decide")], says("Ok."), tools=[decide])
    go(second, proxy.envelope())
    assert json.loads(model_of(second).calls[1].input[-1]["output"]) == {"error": "There is no such tool."}


def test_the_sub_agents_are_dumped_with_what_they_own_and_whom_they_talk_to() -> None:
    assert dump_sub_agents(supervised(hands_back=True)) == {
        "sub_agents": [
            {"actor_id": "supervisor", "tools": [], "talks_to": ["refunds", "orders"]},
            {"actor_id": "refunds", "tools": ["get_payment", "refund_order"], "talks_to": ["supervisor"]},
            {"actor_id": "orders", "tools": ["get_order"]},
        ],
        "topology": {"entry": "supervisor"},
    }
    assert dump_sub_agents(looks_up_an_order()) is None
    assert describe(supervised).sub_agents == dump_sub_agents(supervised())


def test_two_different_tools_of_one_name_are_refused() -> None:
    other = FunctionTool(
        name="get_order",
        description="Another.",
        params_json_schema={"type": "object", "properties": {}},
        on_invoke_tool=get_order.on_invoke_tool,
        strict_json_schema=False,
    )
    two = agent("a", tools=[get_order], handoffs=[agent("b", tools=[other])])
    with pytest.raises(ToolError, match="Two different tools are called 'get_order'"):
        dump_tools_schema(two)


def test_two_agents_of_one_name_are_refused() -> None:
    with pytest.raises(ToolError, match="Two agents are called 'a'"):
        dump_sub_agents(agent("a", handoffs=[agent("a")]))


@pytest.mark.parametrize(
    ("tool", "name", "why"),
    [
        (WebSearchTool(), "web_search", "at the model's provider"),
        (
            CodeInterpreterTool({"type": "code_interpreter", "container": "c"}),
            "code_interpreter",
            "at the model's provider",
        ),
        (
            HostedMCPTool({"type": "mcp", "server_label": "git", "server_url": "https://mcp.example"}),
            "hosted_mcp",
            "at the model's provider",
        ),
        (LocalShellTool(str), "local_shell", "acts on this machine"),
    ],
)
def test_a_tool_that_cannot_be_proxied_is_named(tool: Any, name: str, why: str) -> None:
    one = agent("desk", tools=[get_order], handoffs=[agent("web", tools=[tool])])
    for act in (dump_tools_schema, proxied):
        with pytest.raises(UnproxiableToolError, match=why) as refused:
            act(one)
        assert refused.value.name == name


def test_an_mcp_server_of_the_agents_own_is_refused_and_that_of_the_run_is_not(proxy: RecordingProxy) -> None:
    def with_server(server: Any) -> Agent[Any]:
        return agent("desk", says("Ok."), mcp_servers=[server])

    foreign = with_server(MCPServerStdio({"command": "npx", "args": ["shop-mcp"]}))
    with pytest.raises(UnproxiableToolError, match=r"come from this MCP server .*pipelines-mcp-shim"):
        dump_tools_schema(foreign)
    with pytest.raises(UnproxiableToolError, match="past the proxy"):
        go(foreign, proxy.envelope())

    with set_current(proxy.envelope()):
        for own in (
            MCPServerStdio({"command": "pipelines-mcp-shim"}),
            MCPServerStreamableHttp({"url": f"{proxy.url}/mcp"}),
            openai_agents_server(),
        ):
            assert proxied(with_server(own)).mcp_servers == [own]


def test_an_agent_with_a_sandbox_of_its_own_is_refused() -> None:
    sandboxed = SandboxAgent(name="coder", tools=[get_order])
    for act in (dump_tools_schema, proxied):
        with pytest.raises(UnproxiableToolError, match="to 'coder' as it runs"):
            act(sandboxed)
    assert len(dump_tools_schema(SandboxAgent(name="coder", tools=[get_order], capabilities=[]))) == 1
