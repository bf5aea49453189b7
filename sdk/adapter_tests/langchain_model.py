"""A chat model that a test writes as a function: from the messages it is asked with to what it says."""

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field


class FunctionModel(BaseChatModel):
    says: Callable[[list[BaseMessage]], AIMessage]
    asked: list[list[BaseMessage]] = Field(default_factory=list)
    offered: list[list[str]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "function"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Any:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools])

    def _generate(
        self, messages: list[BaseMessage], *_: Any, tools: Sequence[dict[str, Any]] = (), **__: Any
    ) -> ChatResult:
        self.asked.append(messages)
        self.offered.append([tool["function"]["name"] for tool in tools])
        return ChatResult(generations=[ChatGeneration(message=self.says(messages))])


def calling(name: str, arguments: dict[str, Any], *, text: str = "", thought: str = "") -> AIMessage:
    """A message that calls one tool."""
    blocks: list[str | dict[str, Any]] = []
    if thought:
        blocks.append({"type": "reasoning", "reasoning": thought})
    if text:
        blocks.append({"type": "text", "text": text})
    return AIMessage(
        content=blocks or "",
        tool_calls=[{"name": name, "args": arguments, "id": f"call_{name}"}],
        usage_metadata={"input_tokens": 5, "output_tokens": 2, "total_tokens": 7},
        response_metadata={"model_name": "function-1"},
    )


def one_call(name: str, arguments: dict[str, Any], *, thought: str = "") -> FunctionModel:
    """A model that calls the tool once for each thing it is told, then repeats what the tool answered."""

    def says(messages: list[BaseMessage]) -> AIMessage:
        for message in reversed(messages):
            if isinstance(message, ToolMessage):
                return AIMessage(f"The tool said: {message.text}")
            if isinstance(message, HumanMessage):
                break
        return calling(name, arguments, thought=thought)

    return FunctionModel(says=says)
