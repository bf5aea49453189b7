"""How an agent of the OpenAI Agents SDK may end: with a structure, a tool's answer, a refusal or an error."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from agents import (
    GuardrailFunctionOutput,
    InputGuardrailTripwireTriggered,
    MaxTurnsExceeded,
    StopAtTools,
    function_tool,
    input_guardrail,
)
from openai_agents_support import (
    ANSWERS,
    ORDER,
    Decision,
    agent,
    calls,
    get_order,
    go,
    looks_up_an_order,
    model_of,
    says,
    shapes,
)
from recording_proxy import Event, RecordingProxy, Refusal

from pipelines.odyssey.errors import (
    ProxyError,
    RunEndedError,
    ToolError,
)


@pytest.fixture
def proxy() -> Iterator[RecordingProxy]:
    with RecordingProxy(dict(ANSWERS)) as proxy:
        yield proxy


def test_a_refused_call_is_told_to_the_model_with_its_faults(proxy: RecordingProxy) -> None:
    faults = [{"loc": ["order_id"], "msg": "must begin with ord_"}]
    proxy.answers["get_order"] = Refusal(422, "arguments_invalid", "The arguments do not fit.", errors=faults)
    desk = looks_up_an_order()
    reply = go(desk, proxy.envelope())

    said = model_of(desk).calls[1].input[-1]["output"]
    assert said == "The arguments do not fit.\n  order_id: must begin with ord_"
    assert reply.final_response == "It was delivered."


def test_a_tool_with_words_for_its_errors_uses_them(proxy: RecordingProxy) -> None:
    proxy.answers["fetch"] = Refusal(404, "tool_unknown", "There is no such tool.")

    @function_tool(failure_error_function=lambda _, error: f"Sorry: {error}")
    def fetch() -> str:
        """Fetch."""
        raise AssertionError

    desk = agent("desk", [calls("fetch")], says("Done."), tools=[fetch])
    go(desk, proxy.envelope())
    assert model_of(desk).calls[1].input[-1]["output"] == "Sorry: There is no such tool."


def test_a_tool_that_lets_errors_through_ends_the_agent(proxy: RecordingProxy) -> None:
    proxy.answers["fetch"] = Refusal(404, "tool_unknown", "There is no such tool.")

    @function_tool(failure_error_function=None)
    def fetch() -> str:
        """Fetch."""
        raise AssertionError

    with pytest.raises(Exception, match=r"fetch: There is no such tool\.") as ended:
        go(agent("desk", [calls("fetch")], tools=[fetch]), proxy.envelope())
    assert isinstance(ended.value.__cause__, ProxyError)
    assert "There is no such tool." in proxy.events_of("custom")[0].payload["text"]


def test_arguments_that_are_no_object_are_told_to_the_model(proxy: RecordingProxy) -> None:
    call = calls("get_order")
    call.arguments = "[1"
    desk = agent("desk", [call], says("Done."), tools=[get_order])
    go(desk, proxy.envelope())
    assert proxy.calls == []
    assert model_of(desk).calls[1].input[-1]["output"] == "The arguments of get_order are not a JSON object."


def test_the_end_of_the_run_ends_the_agent(proxy: RecordingProxy) -> None:
    proxy.answers["get_order"] = Refusal(401, "run_token_revoked", "The run has ended.")
    desk = looks_up_an_order()
    with pytest.raises(RunEndedError, match="The run has ended"):
        go(desk, proxy.envelope())
    assert len(model_of(desk).calls) == 1


def test_the_end_of_the_run_ends_the_agent_also_from_within_a_sub_agent(proxy: RecordingProxy) -> None:
    proxy.answers["get_order"] = Refusal(401, "run_token_revoked", "The run has ended.")
    orders = looks_up_an_order()
    boss = agent("boss", [calls("ask", input="?")], says("Fine."), tools=[orders.as_tool("ask", "Ask.")])
    with pytest.raises(RunEndedError, match="The run has ended"):
        go(boss, proxy.envelope())
    assert len(model_of(boss).calls) == 1


def test_a_structured_output_becomes_json(proxy: RecordingProxy) -> None:
    desk = agent("desk", says('{"refund": true, "cents": 4200}'), output_type=Decision)
    assert go(desk, proxy.envelope()).final_response == '{"refund": true, "cents": 4200}'
    many = agent("desk", says('{"response": [{"refund": false, "cents": 0}]}'), output_type=list[Decision])
    assert go(many, proxy.envelope()).final_response == '[{"refund": false, "cents": 0}]'


@pytest.mark.parametrize("behaviour", ["stop_on_first_tool", StopAtTools(stop_at_tool_names=["get_order"])])
def test_a_tools_answer_may_be_the_agents_own(proxy: RecordingProxy, behaviour: Any) -> None:
    clerk = agent("clerk", [calls("get_order", order_id="x")], tools=[get_order], tool_use_behavior=behaviour)
    boss = agent("boss", [calls("ask", input="?")], says("Done."), tools=[clerk.as_tool("ask", "Ask.")])
    go(boss, proxy.envelope())
    answer = json.dumps(ORDER, separators=(",", ":"))
    assert model_of(boss).calls[1].input[-1]["output"] == answer
    assert proxy.events_of("subagent_final") == [Event("subagent_final", {"text": answer}, "boss/clerk")]

    alone = agent("desk", [calls("get_order", order_id="x")], tools=[get_order], tool_use_behavior=behaviour)
    assert go(alone, proxy.envelope()).final_response == answer


def test_too_many_turns_are_an_error_and_the_trace_has_what_was_said(proxy: RecordingProxy) -> None:
    with pytest.raises(MaxTurnsExceeded):
        go(looks_up_an_order(), proxy.envelope(), max_turns=1)
    assert shapes(proxy.events) == [
        ("thinking", "I need the order.", None),
        ("assistant_message", "Let me look.", None),
        ("custom", "The agent ended with MaxTurnsExceeded: Max turns (1) exceeded", None),
    ]


def test_a_tripped_guardrail_is_an_error_that_the_trace_shows(proxy: RecordingProxy) -> None:
    @input_guardrail(run_in_parallel=False)
    async def never(context: Any, one: Any, given: Any) -> GuardrailFunctionOutput:
        return GuardrailFunctionOutput(output_info=None, tripwire_triggered=True)

    with pytest.raises(InputGuardrailTripwireTriggered):
        go(agent("desk", says("Hm."), input_guardrails=[never]), proxy.envelope())
    assert "InputGuardrailTripwireTriggered" in proxy.events_of("custom")[0].payload["text"]


def test_a_tool_that_waits_for_approval_is_an_error(proxy: RecordingProxy) -> None:
    @function_tool(needs_approval=True)
    def pay() -> str:
        """Pay."""
        raise AssertionError

    with pytest.raises(ToolError, match="'pay' waits for an approval that nobody gives"):
        go(agent("desk", [calls("pay")], tools=[pay]), proxy.envelope())
    assert proxy.calls == []
