"""The loop between model and tools as pure steps: what to ask, what to call, what to post; who does it waits or not.

A sub-agent's loop is the same one, inside the step that answers the tool use by which it was called.
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from pipelines.odyssey.adapters.anthropic.answering import Refused, Use, result, tool_uses
from pipelines.odyssey.adapters.anthropic.describing import definition
from pipelines.odyssey.adapters.anthropic.sub_agent import MESSAGE, SubAgent, System
from pipelines.odyssey.adapters.anthropic.transcript import (
    Tally,
    text_of_message,
    text_of_system,
    thoughts_of,
)
from pipelines.odyssey.adapters.kept_words import KeptWords
from pipelines.odyssey.context import actor_path
from pipelines.odyssey.envelope import Envelope
from pipelines.odyssey.errors import ReplyError
from pipelines.odyssey.injection import injected

_GOES_ON = ("pause_turn", "compaction")
"""The answer is to be sent back as it is."""
_CUT_OFF = ("max_tokens", "model_context_window_exceeded")
_DECLINED = "The model declined to answer."


class UnfinishedError(ReplyError):
    """The model stopped, or was stopped, before it had an answer."""


class Ask(NamedTuple):
    """Ask the model; the outcome is its message."""

    params: dict[str, Any]


class Call(NamedTuple):
    """Call a tool; the outcome is its answer, or Refused."""

    use: Use
    actor_id: str | None


class Post(NamedTuple):
    """Add an event to the trace."""

    event_type: str
    payload: dict[str, Any]
    actor_id: str | None


class Together(NamedTuple):
    """Take steps side by side; the outcome is what each of them returned."""

    branches: "list[Steps]"


Step = Ask | Call | Post | Together
Steps = Generator[Step, Any, Any]


class Final(NamedTuple):
    text: str
    stop_reason: str | None


@dataclass(frozen=True, kw_only=True)
class Speaker:
    """One agent of a run, and how its model is asked."""

    envelope: Envelope
    model: str
    system: System | None
    """With what the run adds to it."""
    tools: tuple[Any, ...]
    max_tokens: int
    max_turns: int
    options: Mapping[str, Any]
    actor_id: str | None
    """None while there are no sub-agents: then nothing is labelled."""
    depth: int = 0
    tally: Tally = field(default_factory=Tally)
    prompted: set[str | None] = field(default_factory=set)
    """Whose system prompt is in the trace: of all agents of the run."""
    kept: KeptWords = field(default_factory=KeptWords)

    def calling(self, agent: SubAgent) -> "Speaker":
        """Return the agent that this one turns to."""
        return replace(
            self,
            model=agent.model or self.model,
            system=with_injection(agent.system, self.envelope),
            tools=tuple(agent.tools),
            # Which tool must be used was said of the calling agent's tools.
            options={name: value for name, value in self.options.items() if name != "tool_choice"},
            actor_id=actor_path(self.actor_id, agent.name),
            depth=self.depth + 1,
        )

    def params(self, messages: list[dict[str, Any]]) -> dict[str, Any]:
        offered = [definition(tool) for tool in self.tools]
        return {
            "model": self.model,
            "max_tokens": self.max_tokens,
            "messages": list(messages),
            **({} if self.system is None else {"system": self.system}),
            **({"tools": offered} if offered else {}),
            **self.options,
        }


def with_injection(system: System | None, envelope: Envelope) -> System | None:
    """Put what the run adds after a prompt; after blocks as a block, so that what is cached stays the same."""
    if system is None or isinstance(system, str):
        return injected(system or "", envelope) or None
    if envelope.system_injection is None:
        return system
    return [*system, {"type": "text", "text": envelope.system_injection}]


def conversation(speaker: Speaker, messages: list[dict[str, Any]]) -> Steps:
    """Ask and call until the model has its answer, a Final; `messages` grows by all that is said."""
    if speaker.system is not None and speaker.actor_id not in speaker.prompted:
        speaker.prompted.add(speaker.actor_id)
        yield Post("system_prompt", {"text": text_of_system(speaker.system)}, speaker.actor_id)
    for _ in range(speaker.max_turns):
        message = yield Ask(speaker.params(messages))
        speaker.tally.add(message.usage)
        # As it came: reasoning is signed, and the model takes it back only unchanged.
        messages.append({"role": "assistant", "content": message.content})
        uses = tool_uses(message)
        is_last = not (message.stop_reason == "tool_use" and uses) and message.stop_reason not in _GOES_ON
        yield from _told(speaker, message, is_last=is_last)
        if is_last:
            return _final(speaker, message, uses)
        if message.stop_reason == "tool_use":
            results = yield Together([_answered(speaker, use) for use in uses])
            messages.append({"role": "user", "content": results})
    raise UnfinishedError(
        f"The model had no answer after {speaker.max_turns} turns. Look into the trace for what it repeats, or give "
        "it more: max_turns=…"
    )


def _answered(speaker: Speaker, use: Use) -> Steps:
    """Answer one tool use, by the proxy or by a sub-agent."""
    agents = {tool.name: tool for tool in speaker.tools if isinstance(tool, SubAgent)}
    if use.name not in agents:
        answer = yield Call(use, speaker.actor_id)
        return result(use, answer)
    called = speaker.calling(agents[use.name])
    said = use.arguments.get(MESSAGE)
    if not isinstance(said, str) or not said.strip():
        return result(use, Refused(f"Say in {MESSAGE!r} what {use.name} is to do."))
    handoff = {"from": speaker.actor_id, "to": called.actor_id, "message": said}
    yield Post("handoff", handoff, speaker.actor_id)
    try:
        final = yield from conversation(called, [{"role": "user", "content": said}])
    except UnfinishedError as unfinished:
        return result(use, Refused(str(unfinished)))
    return result(use, final.text)


def _told(speaker: Speaker, message: Any, *, is_last: bool) -> Steps:
    """Post the reasoning and the words of a sub-agent; those of the first agent are in the reply."""
    thoughts, text = thoughts_of(message), text_of_message(message)
    if not speaker.depth:
        speaker.kept.keep(thoughts, text)
        return
    for thought in thoughts:
        yield Post("thinking", {"text": thought}, speaker.actor_id)
    if text.strip():
        yield Post("subagent_final" if is_last else "subagent_message", {"text": text}, speaker.actor_id)


def _final(speaker: Speaker, message: Any, uses: list[Use]) -> Final:
    text, stopped = text_of_message(message), message.stop_reason
    if stopped == "refusal":
        details = getattr(message, "stop_details", None)
        text = text if text.strip() else getattr(details, "explanation", None) or _DECLINED
    if stopped in _CUT_OFF and (uses or not text.strip()):
        raise UnfinishedError(
            f"The model was cut off ({stopped}, max_tokens={speaker.max_tokens}) before it had an answer. Give it "
            "more: max_tokens=…"
        )
    if not text.strip():
        raise UnfinishedError(f"The model ended its turn without a word (stop_reason {stopped}).")
    return Final(text, stopped)
