"""What a service repeats of its secret is taken out, and everything else stays as it came."""

import asyncio
from typing import Any

import pytest

from odyssey.endpoints.auth import RedactedUpstream
from odyssey.endpoints.upstream import (
    Answered,
    Discovery,
    DiscoveryFailedError,
    Forwarded,
    NotAnswered,
    UpstreamTool,
)

SECRET = "s3cret-of-the-service"


class Repeating:
    """A service that says what it is told to say."""

    def __init__(self, said: Any) -> None:
        self._said = said

    async def discover(self) -> Discovery:
        if isinstance(self._said, DiscoveryFailedError):
            raise self._said
        found: Discovery = self._said
        return found

    async def call(self, tool_name: str, arguments: dict[str, Any], *, session: str) -> Forwarded:
        assert (tool_name, arguments, session) == ("look", {"at": SECRET}, "run")
        answer: Forwarded = self._said
        return answer


def call(said: Forwarded, secret: str | None = SECRET) -> Forwarded:
    upstream = RedactedUpstream(Repeating(said), secret)
    return asyncio.run(upstream.call("look", {"at": SECRET}, session="run"))


def test_answers_lose_the_secret_and_nothing_else() -> None:
    said = Answered({"a": [SECRET, 1.5, None, True], SECRET: f"Bearer {SECRET}."}, 403, is_error=True)
    put = {"a": ["[redacted]", 1.5, None, True], "[redacted]": "Bearer [redacted]."}
    assert call(said) == Answered(put, 403, is_error=True)
    assert call(Answered(f"<p>{SECRET}</p>")) == Answered("<p>[redacted]</p>")
    untouched = Answered({"a": ["nothing", {"b": 2**70}]}, 200)
    assert call(untouched) == untouched


def test_failures_lose_it_too() -> None:
    said = NotAnswered("upstream_5xx", f"said {SECRET}", "unknown", 500)
    assert call(said) == NotAnswered("upstream_5xx", "said [redacted]", "unknown", 500)


@pytest.mark.parametrize("secret", [None, "", "short12"])
def test_what_could_be_part_of_any_word_is_no_secret(secret: str | None) -> None:
    said = Answered("a short12 word")
    assert call(said, secret) == said


def test_a_list_of_tools_keeps_no_secret() -> None:
    listed = UpstreamTool("look", {"type": "object", "title": SECRET}, f"with {SECRET}", read_only=True)
    upstream = RedactedUpstream(Repeating(Discovery((listed,), (f"note {SECRET}",))), SECRET)
    put = UpstreamTool("look", {"type": "object", "title": "[redacted]"}, "with [redacted]", read_only=True)
    assert asyncio.run(upstream.discover()) == Discovery((put,), ("note [redacted]",))
    failing = RedactedUpstream(Repeating(DiscoveryFailedError("x", f"no {SECRET}")), SECRET)
    with pytest.raises(DiscoveryFailedError, match=r"^no \[redacted\]$"):
        asyncio.run(failing.discover())
