"""Calls in large worlds and with long texts, as an agent makes them: nobody else waits for any of it."""

import random
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.platform import Org

from odyssey.worlds.field_index import FieldIndex, Path

StartAgent = Callable[[Behaviour], ScriptedAgent]
MIB = 1024 * 1024
HOSTILE = "(a|b[ab]{500}|[ab]{500}a)+[c-e]"


def tool(name: str, **argument: dict[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "properties": argument, "required": list(argument)}
    return {"name": name, "input_schema": schema}


def answers(
    org: Org, start: StartAgent, tools: list[dict[str, Any]], world: Any, *calls: tuple[str, dict[str, Any]]
) -> list[Any]:
    told: list[Any] = []

    def behave(dispatched: Dispatched) -> Any:
        told.extend(dispatched.call(name, arguments) for name, arguments in calls)
        return final()

    agent = org.agent(start(behave).url, tools_schema=tools)
    assert org.run(agent, initial_state=world)["status"] == "completed"
    return told


def test_the_first_look_up_by_a_field_of_a_large_world_leaves_the_event_loop(
    org: Org, agent_server: StartAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = FieldIndex.of
    built: list[tuple[str, int]] = []

    def watched(path: Path, entities: Iterable[tuple[str, Mapping[str, Any]]]) -> FieldIndex:
        listed = list(entities)
        built.append((threading.current_thread().name, len(listed)))
        return build(path, listed)

    monkeypatch.setattr(FieldIndex, "of", watched)
    loop = org.platform.do(_thread_name())
    parcels = {f"PX{n:05}": {"parcel_id": f"PX{n:05}", "postcode": f"P{n}"} for n in range(5_001)}
    found = answers(
        org,
        agent_server,
        [tool("find_parcel_by_postcode", postcode={"type": "string"})],
        {"parcel": parcels},
        ("find_parcel_by_postcode", {"postcode": "P4321"}),
        ("find_parcel_by_postcode", {"postcode": "P17"}),
    )
    assert [answer.json()["response"] for answer in found] == [parcels["PX04321"], parcels["PX00017"]]
    large = [thread for thread, size in built if size > 5_000]
    assert large
    assert loop not in large


async def _thread_name() -> str:
    return threading.current_thread().name


def test_a_hostile_pattern_does_not_get_a_long_text(org: Org, agent_server: StartAgent) -> None:
    text = "".join(random.Random(1).choices("ab", k=MIB - 100))
    free = {"type": "string", "pattern": "^[ab]*$"}
    refused, short, long = answers(
        org,
        agent_server,
        [tool("check_code", code={"type": "string", "pattern": HOSTILE}), tool("note", text=free)],
        {"note": {}},
        ("check_code", {"code": text}),
        ("check_code", {"code": text[:1_000] + "ac"}),
        ("note", {"text": text}),
    )
    assert (refused.status_code, refused.json()["code"]) == (422, "arguments_invalid")
    assert "too much text for the patterns of the schema" in refused.json()["detail"]
    assert [short.status_code, long.status_code] == [200, 200]
