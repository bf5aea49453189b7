"""Whatever bytes an agent sends, the stream of its run's events says what the trace says."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.agents import Answer, Dispatched, ScriptedAgent
from support.platform import Org, Platform

SPACE = st.text(" \t\n\r", max_size=3)
"""What may stand between the parts of a JSON text."""
STRINGS = st.text(max_size=8) | st.sampled_from(
    ["a\nb", "\r\n\r\n", "data: x", "\u2028\u2029\x85", "\x00\x1f"]
)
OBJECTS = st.dictionaries(STRINGS, STRINGS | st.integers(), max_size=3)


@st.composite
def spread(draw: st.DrawFn, objects: st.SearchStrategy[dict[str, Any]]) -> bytes:
    """Write an object as JSON with any white space in it, and with strings that are escaped or as they are."""
    found = draw(objects)
    ascii_only = draw(st.booleans())
    members = [
        ":".join(draw(SPACE) + json.dumps(each, ensure_ascii=ascii_only) + draw(SPACE) for each in member)
        for member in found.items()
    ]
    text = draw(SPACE) + "{" + (",".join(members) or draw(SPACE)) + "}" + draw(SPACE)
    return text.encode("utf-8", "surrogatepass")


REPLIES = spread(OBJECTS.map(lambda more: {**more, "final_response": "Done."})) | st.binary(max_size=40)


class Parrot:
    """An agent that sends what it is given: a trace event, a call, a reply."""

    def __init__(self) -> None:
        self.event = self.arguments = self.reply = b""

    def __call__(self, dispatched: Dispatched) -> Answer:
        dispatched.post("/traces/custom", self.event)
        dispatched.post("/tools/list_orders", self.arguments)
        return Answer(200, self.reply)


@pytest.fixture(scope="module")
def parrot(platform: Platform) -> Iterator[tuple[Org, Parrot, dict[str, Any]]]:
    org, parrot = platform.new_org(), Parrot()
    server = ScriptedAgent(parrot)
    yield org, parrot, org.agent(server.url)
    server.stop()


@given(event=spread(OBJECTS), arguments=spread(OBJECTS), reply=REPLIES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_any_byte_an_agent_can_send_survives_the_stream(
    parrot: tuple[Org, Parrot, dict[str, Any]], event: bytes, arguments: bytes, reply: bytes
) -> None:
    org, agent, registered = parrot
    agent.event, agent.arguments, agent.reply = event, arguments, reply
    run = org.graded(org.run(registered)["id"])
    streamed = read_stream(org, run["id"])
    assert [json.loads(message["data"]) for message in streamed[:-1]] == org.trace(run["id"])
    assert [message["event"] for message in streamed][-1] == "end"


def read_stream(org: Org, run_id: int) -> list[dict[str, str]]:
    """Read a stream as the standard of server-sent events says."""
    text = org.get(f"/api/runs/{run_id}/events").content.decode()
    messages = []
    for block in re.split(r"(?:\r\n|\n|\r)(?:\r\n|\n|\r)+", text):
        message: dict[str, str] = {}
        for line in re.split(r"\r\n|\n|\r", block):
            name, _, value = line.partition(":")
            before = f"{message['data']}\n" if name == "data" and "data" in message else ""
            if name:
                message[name] = before + value.removeprefix(" ")
        if "data" in message:
            messages.append(message)
    return messages
