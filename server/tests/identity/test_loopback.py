"""Which servers may reach their own machine: one organisation's own, and those whose operator says so."""

import logging
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from conftest import NewDatabase
from support.agents import Behaviour, ScriptedAgent, final
from support.platform import Org, Platform

from odyssey.core.settings import Settings
from odyssey.identity.bootstrap import is_open_unasked

SETTING = "ODYSSEY_ALLOW_LOOPBACK=true"


@pytest.fixture
def start(new_database: NewDatabase) -> Iterator[Callable[..., Platform]]:
    """Start servers that listen on loopback without a word on it, all on one database."""
    database, started = new_database(), list[Platform]()

    def platform(**changes: Any) -> Platform:
        started.append(Platform(database, **{"allow_loopback": None, **changes}))
        return started[-1]

    yield platform
    for one in started:
        one.stop()


def saved(org: Org, url: str) -> list[httpx.Response]:
    """Try to save a loopback address for everything that is reached by one."""
    model = {"provider": "openai", "base_url": url, "model": "m", "api_key": "sk-of-nobody"}
    endpoint = {"name": "live", "type": "mcp_server", "config": {"url": url}}
    return [
        org.post("/api/agents", {"name": "b", "config": {"endpoint_url": url}}),
        org.put("/api/settings", {"models": {"simulator": model}}),
        org.post("/api/tool-endpoints", endpoint),
    ]


@pytest.mark.both_databases
def test_a_second_organisation_closes_loopback(
    start: Callable[..., Platform], agent_server: Callable[[Behaviour], ScriptedAgent]
) -> None:
    agent = agent_server(lambda _: final())
    platform = start()
    first = platform.new_org()
    registered = first.agent(agent.url)
    for answer in saved(first, agent.url)[:2]:
        first.ok(answer)
    assert first.run(registered)["status"] == "completed"
    asked = len(agent.received)
    second = platform.new_org()  # as `odyssey orgs create` makes it: beside the running server
    ended = first.run(registered)
    assert (ended["status"], ended["error_class"]) == ("failed", "agent_unreachable")
    assert "several organisations" in ended["error_json"]["detail"]
    for org in (first, second):
        for answer in saved(org, agent.url):
            assert answer.status_code == 422
            assert "several organisations" in answer.text
            assert SETTING in answer.text
    assert len(agent.received) == asked


def test_a_server_that_starts_with_several_organisations_says_that_loopback_is_closed(
    start: Callable[..., Platform], caplog: pytest.LogCaptureFixture
) -> None:
    told = start(allow_loopback=True)
    orgs = told.new_org(), told.new_org()
    assert {
        org.post("/api/agents", {"name": "b", "config": {"endpoint_url": told.url}}).status_code
        for org in orgs
    } == {201}
    assert "Loopback is closed" not in caplog.text
    start()
    (line,) = [record for record in caplog.records if "Loopback is closed" in record.message]
    assert line.levelno == logging.WARNING
    assert SETTING in line.message


def test_a_public_address_closes_loopback(start: Callable[..., Platform]) -> None:
    org = start(public_url="https://odyssey.example").new_org()
    for answer in saved(org, "http://127.0.0.1:9/"):
        assert answer.status_code == 422
        assert "ODYSSEY_PUBLIC_URL is not a loopback address" in answer.text
        assert SETTING in answer.text


def test_a_public_address_on_loopback_does_not() -> None:
    settings = Settings()
    for url in (
        "http://localhost:8200",
        "https://odyssey.localhost",
        "http://[::1]:8200",
        "http://127.1.2.3/x",
    ):
        assert is_open_unasked(settings, url), url
    for url in ("http://localhost.example", "http://127.0.0.1.example", "http://10.0.0.1", "http://[::2]"):
        assert not is_open_unasked(settings, url), url
