"""LangChain tools described and proxied, one by one."""

import asyncio
import json
import secrets
from typing import Annotated, Any

import pytest
from langchain.tools import InjectedState, InjectedToolCallId, ToolRuntime
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool, Tool, ToolException, tool
from langgraph.prebuilt import ToolNode
from langgraph.types import Command
from pydantic import BaseModel, Field
from recording_proxy import RecordingProxy, Refusal

from pipelines.odyssey.adapters import describe
from pipelines.odyssey.adapters.langchain import dump_tools_schema, dump_tools_schema_json, proxied
from pipelines.odyssey.context import acting_as, set_current
from pipelines.odyssey.errors import NoEnvelopeError, RunEndedError, ToolError, UnproxiableToolError
from pipelines.odyssey.tools import passthrough


class Address(BaseModel):
    street: str
    post_code: str = Field(alias="postCode")


class Parcel(BaseModel):
    """What to send."""

    to: Address
    weight_g: int = 100


@tool
def get_order(order_id: str, verbose: bool = False) -> dict[str, Any]:
    """Read one order."""
    raise AssertionError("the body of a proxied tool ran")


def send(**_: Any) -> str:
    raise AssertionError("the body of a proxied tool ran")


send_parcel = StructuredTool(
    name="send_parcel",
    description="Send a parcel.",
    args_schema=Parcel,
    func=send,
    return_direct=True,
    tags=["post"],
)


def reads_injected(
    order_id: str,
    state: Annotated[dict[str, Any], InjectedState],
    call_id: Annotated[str, InjectedToolCallId],
    runtime: ToolRuntime,
    config: RunnableConfig,
) -> str:
    """Read what LangChain hands in."""
    raise AssertionError("the body of a proxied tool ran")


injected_to = tool("injected_to")(reads_injected)


class Search(BaseTool):
    name: str = "search"
    description: str = "Search the shop."

    def _run(self, query: str, limit: int = 3) -> str:
        raise AssertionError(f"the body of a proxied tool ran: {query}, {limit}")


def plain(text: str) -> str:
    """Say it again."""
    raise AssertionError("the body of a proxied tool ran")


JSON_SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
by_json_schema = StructuredTool(name="by_json_schema", description="From afar.", args_schema=JSON_SCHEMA)


def entry(of: Any) -> dict[str, Any]:
    return dump_tools_schema([of])[0]


def test_a_tool_is_described_by_its_own_schema() -> None:
    described = entry(get_order)
    assert (described["name"], described["description"]) == ("get_order", "Read one order.")
    assert described["input_schema"]["required"] == ["order_id"]
    assert described["input_schema"]["properties"]["verbose"]["default"] is False


def test_functions_classes_and_json_schemas_are_described_too() -> None:
    schema = dump_tools_schema([plain, Search(), by_json_schema, send_parcel])
    assert [each["name"] for each in schema] == ["plain", "search", "by_json_schema", "send_parcel"]
    assert set(schema[1]["input_schema"]["properties"]) == {"query", "limit"}
    assert schema[2]["input_schema"] == JSON_SCHEMA
    assert set(schema[3]["input_schema"]["properties"]) == {"to", "weight_g"}
    assert json.loads(dump_tools_schema_json([plain])) == [schema[0]]


def test_what_langchain_injects_is_no_part_of_the_schema() -> None:
    assert list(entry(injected_to)["input_schema"]["properties"]) == ["order_id"]


def test_the_general_description_finds_this_adapter() -> None:
    assert describe([get_order]).tools_schema == dump_tools_schema([get_order])


def test_executions_say_who_answers() -> None:
    schema = dump_tools_schema([get_order], executions={"get_order": passthrough("shop")})
    assert schema[0]["passthrough_binding"] == {"endpoint_name": "shop", "tool_name": "get_order"}


def test_a_tool_given_twice_is_listed_once_and_two_of_one_name_are_refused() -> None:
    other = StructuredTool(name="get_order", description="Another one.", args_schema=JSON_SCHEMA)
    assert len(dump_tools_schema([get_order, get_order])) == 1
    with pytest.raises(ToolError, match="Two tools are called 'get_order'"):
        dump_tools_schema([get_order, other])


def test_a_tool_of_the_models_provider_is_named_as_one_that_cannot_be_proxied() -> None:
    with pytest.raises(UnproxiableToolError, match="web_search_20250305") as refused:
        dump_tools_schema([{"type": "web_search_20250305"}])
    assert "provider" in refused.value.why


def test_a_description_in_the_shape_of_a_provider_is_read() -> None:
    nested = {"type": "function", "function": {"name": "f", "parameters": JSON_SCHEMA}}
    assert entry(nested) == {"name": "f", "input_schema": JSON_SCHEMA}


def test_what_is_no_tool_is_refused_with_a_sentence() -> None:
    with pytest.raises(ToolError, match="int is neither a compiled graph nor a list"):
        dump_tools_schema(3)


def test_a_proxied_tool_is_the_same_tool_but_for_its_body() -> None:
    (copied,) = proxied([send_parcel])
    assert type(copied) is StructuredTool
    for attribute in ("name", "description", "args_schema", "return_direct", "response_format", "tags"):
        assert getattr(copied, attribute) == getattr(send_parcel, attribute)
    assert entry(copied) == entry(send_parcel)
    with pytest.raises(AssertionError, match="the body"):
        send_parcel.invoke({"to": {"street": "s", "postCode": "1"}})


def test_it_calls_the_proxy_sync_and_async_and_gives_the_response() -> None:
    with RecordingProxy({"get_order": {"status": "shipped"}}) as proxy, set_current(proxy.envelope()):
        copied = proxied(get_order)
        assert copied.invoke({"order_id": "ord_1"}) == {"status": "shipped"}
        assert asyncio.run(copied.ainvoke({"order_id": "ord_2", "verbose": True})) == {"status": "shipped"}
    assert [call.arguments for call in proxy.calls] == [
        {"order_id": "ord_1", "verbose": False},
        {"order_id": "ord_2", "verbose": True},
    ]
    assert {call.actor_id for call in proxy.calls} == {None}


def test_nested_models_and_aliases_are_sent_as_the_schema_names_them() -> None:
    with RecordingProxy({"send_parcel": "sent"}) as proxy, set_current(proxy.envelope()):
        arguments = {"to": {"street": "High St", "postCode": "N1"}}
        assert proxied(send_parcel).invoke(arguments) == "sent"
    assert proxy.calls[0].arguments == {**arguments, "weight_g": 100}


def test_tools_of_every_making_call_the_proxy() -> None:
    lone = Tool(name="lone", description="Takes one text.", func=plain)
    answers = dict.fromkeys(("plain", "search", "by_json_schema", "lone"), "ok")
    with RecordingProxy(answers) as proxy, set_current(proxy.envelope()), acting_as("desk/clerk"):
        made = proxied([plain, Search(), by_json_schema, lone])
        given: list[Any] = [{"text": "hi"}, {"query": "lamp"}, {"q": "x"}, "words"]
        assert [each.invoke(what) for each, what in zip(made, given, strict=True)] == ["ok"] * 4
    assert [call.arguments for call in proxy.calls] == [
        {"text": "hi"},
        {"query": "lamp", "limit": 3},
        {"q": "x"},
        {"tool_input": "words"},
    ]
    assert {call.actor_id for call in proxy.calls} == {"desk/clerk"}


def call_of(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "args": arguments, "id": "call_1", "type": "tool_call"}


@pytest.mark.parametrize(
    ("response", "content"),
    [
        ("plain text", "plain text"),
        ({"a": [1, "ü"]}, '{"a": [1, "ü"]}'),
        (["a", "b"], '["a","b"]'),
        ([{"type": "text", "text": "no block"}], '[{"type":"text","text":"no block"}]'),
        ([{"id": 1}], '[{"id": 1}]'),
        ([], "[]"),
        (3, "3"),
        (None, "null"),
    ],
)
def test_the_model_reads_exactly_the_response(response: Any, content: str) -> None:
    with RecordingProxy({"get_order": response}) as proxy, set_current(proxy.envelope()):
        message = proxied(get_order).invoke(call_of("get_order", order_id="ord_1"))
    assert message.content == content


def test_a_tool_with_an_artifact_has_the_response_as_one() -> None:
    made = StructuredTool(
        name="f", description="d", args_schema=JSON_SCHEMA, response_format="content_and_artifact"
    )
    with RecordingProxy({"f": {"a": 1}}) as proxy, set_current(proxy.envelope()):
        message = proxied(made).invoke(call_of("f", q="x"))
    assert (message.content, message.artifact) == ('{"a":1}', {"a": 1})


@pytest.mark.parametrize("schema", ["inferred", "json"])
def test_injected_arguments_are_not_sent(schema: str) -> None:
    made: BaseTool = injected_to
    if schema == "json":
        made = StructuredTool(
            name="injected_to",
            description="d",
            args_schema=entry(injected_to)["input_schema"],
            func=reads_injected,
        )
    node = ToolNode(proxied([made]))
    with RecordingProxy({"injected_to": "ok"}) as proxy, set_current(proxy.envelope()):
        message = node.tools_by_name["injected_to"].invoke(
            call_of("injected_to", order_id="ord_1", state={"secret": 1}, runtime=None)
            if schema == "json"
            else call_of(
                "injected_to", order_id="ord_1", state={"secret": 1}, runtime=runtime_of({"secret": 1})
            )
        )
    assert message.text == "ok"
    assert proxy.calls[0].arguments == {"order_id": "ord_1"}


def runtime_of(state: dict[str, Any]) -> ToolRuntime:
    return ToolRuntime(
        state=state, context=None, config={}, stream_writer=lambda _: None, tool_call_id="call_1", store=None
    )


def test_a_refusal_of_the_proxy_is_a_tool_error_the_model_can_read() -> None:
    refusal = Refusal(
        422, "arguments_invalid", "The arguments do not fit.", errors=[{"loc": ["a"], "msg": "bad"}]
    )
    with RecordingProxy({"get_order": refusal}) as proxy, set_current(proxy.envelope()):
        message = proxied(get_order).invoke(call_of("get_order", order_id="ord_1"))
    assert message.status == "error"
    assert "The arguments do not fit." in message.text
    assert "a: bad" in message.text


def test_a_tools_own_handling_of_errors_stays() -> None:
    mine = get_order.model_copy(
        update={"handle_tool_error": lambda error: f"mine: {type(error).__mro__[1].__name__}"}
    )
    refusal = Refusal(404, "tool_unknown", "There is no such tool.")
    with RecordingProxy({"get_order": refusal}) as proxy, set_current(proxy.envelope()):
        message = proxied(mine).invoke(call_of("get_order", order_id="ord_1"))
    assert message.text == f"mine: {ToolException.__name__}"


def test_a_run_that_has_ended_is_not_a_tool_error() -> None:
    with RecordingProxy({"get_order": 1}) as proxy, set_current(proxy.envelope()):
        proxy.token = secrets.token_urlsafe(8)
        with pytest.raises(RunEndedError):
            proxied(get_order).invoke(call_of("get_order", order_id="ord_1"))


def test_outside_a_run_a_proxied_tool_says_that_none_is_bound() -> None:
    with pytest.raises(NoEnvelopeError, match="No run is bound"):
        proxied(get_order).invoke({"order_id": "ord_1"})


def test_a_tool_that_directs_the_agents_stays_and_is_no_tool_of_the_world() -> None:
    @tool
    def transfer() -> Command[Any]:
        """Hand over."""
        return Command(goto="refunds")

    assert proxied(transfer).invoke({}).goto == "refunds"
    assert dump_tools_schema([transfer, get_order], local=["get_order"]) == []
