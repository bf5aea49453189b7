"""Tool calls an agent says it made and the proxy never saw. Its word for them is worth nothing."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from odyssey.grading.evidence import Evidence


class Claim(msgspec.Struct, frozen=True):
    """One declared tool that the transcript calls more often than the proxy saw."""

    tool: str
    claimed: int
    observed: int


def unseen_claims(evidence: Evidence) -> list[Claim]:
    """What `messages` claim of declared tools beyond what the proxy saw, in the order it was first claimed.

    A call that was refused was seen. Refusals that were only counted may have been calls of any tool.
    """
    declared = set(evidence.declared_tools)
    claimed = Counter(tool for tool in _claimed(evidence.messages or []) if tool in declared)
    observed = Counter(call.tool for call in evidence.calls)
    granted = evidence.uncounted_calls
    claims = []
    for tool, times in claimed.items():
        unseen = max(0, times - observed[tool])
        if unseen > granted:
            claims.append(Claim(tool, times, observed[tool]))
        granted = max(0, granted - unseen)
    return claims


def _claimed(messages: list[dict[str, Any]]) -> Iterator[str]:
    """The tool of every call in a transcript; one told twice, in equal words under one id, is one call."""
    told: set[_Words] = set()
    for message in messages:
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            words = _words(call)
            if words is not None and words not in told:
                told.add(words)
                yield words.tool


class _Words(NamedTuple):
    tool: str
    rest: bytes


def _words(call: Any) -> _Words | None:
    """What a transcript says of a call, in the flat or the nested shape; None if it names no tool."""
    function = call.get("function", call) if isinstance(call, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    if not isinstance(function, dict) or not isinstance(name, str):
        return None
    return _Words(name, msgspec.json.encode([call.get("id"), function.get("arguments")]))
