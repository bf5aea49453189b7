"""Text that a run wants in the agent's system prompt, put there and shown to have been there."""

from pipelines.odyssey.context import current
from pipelines.odyssey.envelope import Envelope
from pipelines.odyssey.traces import safe_system_prompt, safe_system_prompt_async


def with_system_injection(system_prompt: str, envelope: Envelope | None = None) -> str:
    """Return the system prompt to use in this run, and post it as the trace's `system_prompt` event.

    Without an injection it is the prompt unchanged. Call it once, where the prompt is made.
    """
    prompt = injected(system_prompt, envelope or current())
    safe_system_prompt(prompt)
    return prompt


async def with_system_injection_async(system_prompt: str, envelope: Envelope | None = None) -> str:
    """As `with_system_injection`, without holding up the event loop."""
    prompt = injected(system_prompt, envelope or current())
    await safe_system_prompt_async(prompt)
    return prompt


def injected(system_prompt: str, envelope: Envelope) -> str:
    """Put the injection after the prompt, and tell nobody."""
    if envelope.system_injection is None:
        return system_prompt
    return f"{system_prompt}\n\n{envelope.system_injection}" if system_prompt else envelope.system_injection
