"""The MCP shim as agents have it: a process of its own, asked by the real clients of `mcp` and of the frameworks."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from agents.mcp import MCPServerStdio
from guide_blocks import python_blocks
from langchain_mcp_adapters.sessions import create_session
from mcp import Client, StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError
from recording_proxy import BASE, RecordingProxy, Refusal

from pipelines.odyssey import mcp_shim
from pipelines.odyssey.context import acting_as, set_current
from pipelines.odyssey.errors import NoEnvelopeError
from pipelines.odyssey.mcp_sessions import (
    langchain_connection,
    openai_agents_server,
    stdio_parameters,
    strands_client,
)

Result = TypeVar("Result")

ORDER = {"order_id": "ord_1", "status": "shipped", "note": "größer"}
ARGUMENTS = {
    "type": "object",
    "properties": {"order_id": {"type": "string"}},
    "required": ["order_id"],
    "additionalProperties": False,
}
LISTED = [
    {
        "name": "get_order",
        "description": "Read one order.",
        "inputSchema": ARGUMENTS,
        "outputSchema": {"type": "object"},
    },
    {"name": "say", "inputSchema": {"type": "object"}},
]


class ListingProxy(RecordingProxy):
    """A recording proxy with the gateway's `tools/list`, one tool a page."""

    def __init__(self, answers: dict[str, Any] | None = None) -> None:
        super().__init__(answers)
        self.listings: list[str | None] = []
        """Whose listings: the actor of each."""
        self.refusals: list[Refusal] = []
        """What the next listings meet instead."""

    def answer(
        self, path: str, token: str | None, actor: str | None, body: Any
    ) -> tuple[int, dict[str, Any]]:
        if path != f"{BASE}/mcp" or token != self.token:
            return super().answer(path, token, actor, body)
        assert (body["jsonrpc"], body["method"]) == ("2.0", "tools/list")
        self.listings.append(actor)
        if self.refusals:
            refusal = self.refusals.pop(0)
            return refusal.status, refusal._asdict()
        page = int(body["params"].get("cursor", 0))
        result: dict[str, Any] = {"tools": LISTED[page : page + 1]}
        if page + 1 < len(LISTED):
            result["nextCursor"] = str(page + 1)
        return 200, {"jsonrpc": "2.0", "id": body["id"], "result": result}


@pytest.fixture
def proxy() -> Iterator[ListingProxy]:
    with ListingProxy({"get_order": ORDER, "say": "plain text"}) as proxy:
        yield proxy


def talk(
    parameters: StdioServerParameters,
    conversation: Callable[[Client], Awaitable[Result]],
    *,
    mode: str = "auto",
) -> Result:
    async def held() -> Result:
        async with Client(stdio_client(parameters), mode=mode) as client:
            return await conversation(client)

    return asyncio.run(held())


async def every_tool(client: Client) -> list[Any]:
    first = await client.list_tools()
    assert first.next_cursor is not None
    return [*first.tools, *(await client.list_tools(cursor=first.next_cursor)).tools]


def text_of(result: Any) -> str:
    (part,) = result.content
    return str(part.text)


@pytest.mark.parametrize(("mode", "actor_id"), [("legacy", None), ("2026-07-28", "supervisor/refunds")])
def test_tools_are_listed_and_called_through_the_process_for_whoever_started_it(
    proxy: ListingProxy, mode: str, actor_id: str | None
) -> None:
    async def conversation(client: Client) -> list[Any]:
        return [
            await every_tool(client),
            await client.call_tool("get_order", {"order_id": "ord_1"}),
            await client.call_tool("say"),
        ]

    with set_current(proxy.envelope()), acting_as(actor_id):
        parameters = stdio_parameters()
    tools, order, said = talk(parameters, conversation, mode=mode)
    assert [tool.name for tool in tools] == ["get_order", "say"]
    assert (tools[0].description, tools[0].input_schema) == ("Read one order.", ARGUMENTS)
    assert tools[0].output_schema == {"type": "object"}
    assert order.structured_content == ORDER == json.loads(text_of(order))
    assert (said.structured_content, text_of(said)) == (None, "plain text")
    assert not order.is_error
    assert not said.is_error
    assert [(call.tool, call.arguments) for call in proxy.calls] == [
        ("get_order", {"order_id": "ord_1"}),
        ("say", {}),
    ]
    assert {*proxy.listings, *(call.actor_id for call in proxy.calls)} == {actor_id}


async def answers_besides_objects_are_text(client: Client, proxy: ListingProxy) -> None:
    proxy.answers["say"] = lambda arguments: arguments["answer"]
    answers = ([1, None, "ö"], 7, {"error": {"code": "down"}}, {"error": "a member of that name"})
    listed, number, refused, member = [
        await client.call_tool("say", {"answer": answer}) for answer in answers
    ]
    assert (text_of(listed), text_of(number)) == ('[1,null,"ö"]', "7")
    assert listed.structured_content is None
    assert (refused.is_error, refused.structured_content) == (True, None)
    assert json.loads(text_of(refused)) == {"error": {"code": "down"}}
    assert (member.is_error, member.structured_content) == (False, {"error": "a member of that name"})


async def a_refusal_is_an_error_of_the_tool_with_its_sentence(client: Client, proxy: ListingProxy) -> None:
    place = {"loc": ["order_id"], "msg": "is missing"}
    proxy.answers["get_order"] = Refusal(
        422, "arguments_invalid", "The arguments do not fit.", errors=[place]
    )
    proxy.answers["say"] = Refusal(401, "run_token_revoked", "The run has ended.")
    invalid, ended, unknown = [await client.call_tool(name, {}) for name in ("get_order", "say", "get_ordr")]
    assert (invalid.is_error, ended.is_error, unknown.is_error) == (True, True, True)
    assert text_of(invalid) == "The arguments do not fit.\n  order_id: is missing"
    assert text_of(ended) == "The run has ended."
    assert "get_ordr" in text_of(unknown)


async def what_changed_nothing_is_tried_again(client: Client, proxy: ListingProxy) -> None:
    busy = Refusal(503, "simulator_unavailable", "Later.", retryable=True)
    answers: list[Any] = [busy, "at last"]
    proxy.answers["say"] = lambda _: answers.pop(0)
    proxy.refusals = [busy]
    proxy.listings.clear()
    proxy.calls.clear()
    assert len(await every_tool(client)) == len(LISTED)
    assert len(proxy.listings) == len(LISTED) + 1
    assert text_of(await client.call_tool("say")) == "at last"
    assert [call.tool for call in proxy.calls] == ["say", "say"]


async def a_list_that_cannot_be_had_is_an_error_of_the_protocol(client: Client, proxy: ListingProxy) -> None:
    for refusal, sentence in (
        (Refusal(401, "run_token_expired", "The run token has expired."), "The run token has expired."),
        (Refusal(200, "odd", "no result"), "The run's proxy gave no list of tools."),
    ):
        proxy.refusals = [refusal]
        with pytest.raises(MCPError) as refused:
            await client.list_tools()
        assert refused.value.message == sentence
        assert proxy.token not in str(refused.value.data)
        assert proxy.refusals == []


def test_what_the_proxy_answers_reaches_the_client(proxy: ListingProxy) -> None:
    """One process for all of it: starting one takes longer than what is said there."""

    async def conversation(client: Client) -> None:
        await every_tool(client)
        await answers_besides_objects_are_text(client, proxy)
        await a_refusal_is_an_error_of_the_tool_with_its_sentence(client, proxy)
        await what_changed_nothing_is_tried_again(client, proxy)
        await a_list_that_cannot_be_had_is_an_error_of_the_protocol(client, proxy)

    talk(stdio_parameters(proxy.envelope()), conversation)


def test_the_token_is_in_the_environment_and_nowhere_else(proxy: ListingProxy) -> None:
    parameters = stdio_parameters(proxy.envelope())
    assert proxy.token not in " ".join([parameters.command, *parameters.args])
    assert parameters.env is not None
    assert parameters.env["PIPELINES_RUN_TOKEN"] == proxy.token
    assert proxy.token not in repr(proxy.envelope())


def test_outside_a_run_there_is_no_session() -> None:
    with pytest.raises(NoEnvelopeError):
        stdio_parameters()


def shim(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PIPELINES_")}
    return subprocess.run(
        [sys.executable, *(arguments or ("-m", "pipelines.odyssey.mcp_shim"))],
        env={**clean, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


RUN = {"PIPELINES_ODYSSEY_PROXY_URL": "http://127.0.0.1:9/runs/1", "PIPELINES_RUN_TOKEN": "t" * 43}
WITHOUT_MCP = (
    "-c",
    "import sys; sys.modules['mcp'] = None; import pipelines.odyssey.mcp_shim as s; sys.exit(s.main())",
)


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({}, "PIPELINES_ODYSSEY_PROXY_URL and PIPELINES_RUN_TOKEN must be set"),
        ({**RUN, "PIPELINES_RUN_TOKEN": ""}, "PIPELINES_RUN_TOKEN must be set"),
        ({**RUN, "PIPELINES_ACTOR_ID": "a b"}, "PIPELINES_ACTOR_ID: 'a b' is not an actor id"),
    ],
)
def test_what_it_lacks_is_one_sentence_and_exit_code_two(
    variables: dict[str, str],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    for name in ("PIPELINES_ODYSSEY_PROXY_URL", "PIPELINES_RUN_TOKEN", "PIPELINES_ACTOR_ID"):
        monkeypatch.setenv(name, variables.get(name, ""))
    code = mcp_shim.main()
    said = capfd.readouterr()
    check_lack(code, said.out, said.err, words)


def test_without_the_package_it_names_what_to_install() -> None:
    ended = shim(*WITHOUT_MCP, **RUN)
    check_lack(ended.returncode, ended.stdout, ended.stderr, "pip install 'odyssey-agents-sdk[mcp]'")


def check_lack(code: int, output: str, errors: str, words: str) -> None:
    assert (code, output) == (2, "")
    assert errors.startswith("pipelines-mcp-shim: ")
    assert words in errors
    assert errors.count("\n") == 1
    assert RUN["PIPELINES_RUN_TOKEN"] not in errors


def test_it_ends_with_its_client_and_says_nothing() -> None:
    ended = shim(**RUN)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_the_console_script_is_the_same_shim() -> None:
    script = Path(sys.executable).with_name("pipelines-mcp-shim")
    ended = subprocess.run([script], env={}, capture_output=True, text=True)
    assert (ended.returncode, "must be set" in ended.stderr) == (2, True)


def test_the_openai_agents_sdk_takes_its_tools_from_the_shim(proxy: ListingProxy) -> None:
    async def conversation() -> tuple[list[str], Any]:
        async with openai_agents_server(proxy.envelope()) as server:
            assert isinstance(server, MCPServerStdio)
            listed = await server.list_tools()
            return [tool.name for tool in listed], await server.call_tool("get_order", {"order_id": "ord_1"})

    names, result = asyncio.run(conversation())
    assert names == ["get_order", "say"]
    assert json.loads(text_of(result)) == ORDER


def test_a_langchain_session_has_the_tools_of_the_shim(proxy: ListingProxy) -> None:
    async def conversation() -> tuple[list[str], Any]:
        async with create_session(langchain_connection(proxy.envelope())) as session:  # type: ignore[arg-type]
            await session.initialize()
            listed = await session.list_tools()
            return [tool.name for tool in listed.tools], await session.call_tool(
                "get_order", {"order_id": "ord_1"}
            )

    names, result = asyncio.run(conversation())
    assert names == ["get_order"]  # the first page
    assert json.loads(text_of(result)) == ORDER


def test_strands_takes_its_tools_from_the_shim(proxy: ListingProxy) -> None:
    with strands_client(proxy.envelope()) as client:
        first = client.list_tools_sync()
        result = client.call_tool_sync("id-1", "get_order", {"order_id": "ord_1"})
    assert [tool.tool_name for tool in first][:1] == ["get_order"]
    assert result["status"] == "success"
    assert json.loads(result["content"][0]["text"]) == ORDER


def test_the_branch_of_the_guide_takes_the_shim_inside_a_dispatch_only(proxy: ListingProxy) -> None:
    (block,) = (code for code in python_blocks("port-an-agent.md") if "mcp_sessions" in code)
    names: dict[str, Any] = {"__name__": "guide"}
    exec(compile(block, "port-an-agent.md", "exec"), names)
    at_home = names["orders_server"]()
    with set_current(proxy.envelope()):
        in_a_run = names["orders_server"]()
    assert (at_home.params.command, at_home.params.args) == ("orders-mcp", [])
    assert in_a_run.params.args == ["-m", "pipelines.odyssey.mcp_shim"]
