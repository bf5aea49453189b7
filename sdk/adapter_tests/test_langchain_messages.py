"""What a graph's messages become in the platform's transcript."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from pipelines.odyssey.adapters.langchain import reply_of
from pipelines.odyssey.errors import ReplyError


@pytest.mark.parametrize("provider", ["anthropic", None])
@pytest.mark.parametrize(
    "block",
    [
        {"type": "thinking", "thinking": "Hm.", "signature": "s"},
        {"type": "reasoning", "reasoning": "Hm."},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]},
    ],
)
def test_reasoning_is_read_in_the_shape_of_any_provider(block: dict[str, Any], provider: str | None) -> None:
    metadata = {"model_provider": provider} if provider else {}
    said = AIMessage([block, {"type": "text", "text": "Yes."}], response_metadata=metadata)
    assert reply_of({"messages": [said]}).messages == [
        {"role": "assistant", "content": "Yes.", "thinking": [{"type": "text", "text": "Hm."}]}
    ]


def test_a_state_without_an_answer_is_refused_with_a_sentence() -> None:
    earlier = [AIMessage("Of an earlier turn."), HumanMessage("And now?")]
    with pytest.raises(ReplyError, match="without an assistant message"):
        reply_of({"messages": earlier})


def test_a_message_or_a_list_of_them_is_a_result_too() -> None:
    assert reply_of(AIMessage("Yes.")).final_response == "Yes."
    assert reply_of([HumanMessage("Well?"), AIMessage("Yes.")]).final_response == "Yes."
    assert reply_of("Yes.").messages is None


def test_agents_that_answer_as_named_people_have_the_last_word() -> None:
    said = [HumanMessage("Well?"), AIMessage("", name="lead"), HumanMessage("It is done.", name="refunds")]
    assert reply_of({"messages": said}).final_response == "It is done."


def test_tokens_are_summed_and_the_last_model_is_named() -> None:
    usage: Any = {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}
    said = [
        AIMessage("", usage_metadata=usage, response_metadata={"model_name": "a"}),
        ToolMessage("x", tool_call_id="1"),
        AIMessage("Yes.", usage_metadata=usage, response_metadata={"model": "b"}),
    ]
    assert reply_of({"messages": said}).metadata == {
        "model": "b",
        "total_input_tokens": 6,
        "total_output_tokens": 8,
    }
