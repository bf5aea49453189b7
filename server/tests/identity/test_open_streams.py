"""A person may have twenty streams open, and none that outlives their way in."""

from contextlib import ExitStack

import httpx
import pytest
from support.agents import ScriptedAgent, final
from support.platform import Org
from support.streams import streaming
from support.waiting import wait_for

PATH = "/api/runs/events"


def opened(org: Org, **headers: str) -> int:
    """Open a stream and close it at once; returns how it was answered."""
    with org.client.stream("GET", PATH, headers=headers) as response:
        return response.status_code


def test_the_twenty_first_stream_of_a_person_is_refused_until_one_closes(org: Org, other_org: Org) -> None:
    second_key = org.ok(org.post("/api/keys", {"name": "second"}))["key"]
    with ExitStack() as all_but_one:
        for number in range(19):
            key = (org.api_key, second_key)[number % 2]
            all_but_one.enter_context(streaming(org.platform.url, key))
        with streaming(org.platform.url, org.api_key):
            refused = org.get(PATH)
            assert opened(other_org) == 200
        body = refused.json()
        assert (refused.status_code, body["code"], body["retryable"]) == (429, "too_many_streams", True)
        assert refused.headers["content-type"] == "application/problem+json"
        assert int(refused.headers["retry-after"]) > 0
        assert "20" in body["detail"]
        assert "Close one" in body["detail"]
        wait_for(lambda: opened(org), lambda status: status == 200)


def test_a_stream_that_ends_or_fails_gives_its_place_back(org: Org) -> None:
    agent = ScriptedAgent(lambda _: final())
    run = org.graded(org.run(org.agent(agent.url))["id"])
    agent.stop()
    for _ in range(21):
        assert org.get(f"/api/runs/{run['id']}/events").text.count("event: end") == 1
        assert org.get("/api/runs/999999999/events").status_code == 404
        assert org.get(PATH, params={"unknown": "x"}).status_code == 422


@pytest.mark.both_databases
def test_a_stream_ends_with_the_key_the_password_or_the_person_behind_it(org: Org) -> None:
    short_lived = org.ok(org.post("/api/keys", {"name": "short-lived"}))
    person = org.ok(
        org.post(
            "/api/people",
            {"email": f"{short_lived['id']}@x.org", "role": "viewer", "password": "first password"},
        )
    )
    url = org.platform.url

    def token(password: str) -> str:
        signed_in = httpx.post(
            f"{url}/api/auth/token", json={"email": person["email"], "password": password}, trust_env=False
        )
        return str(signed_in.json()["access_token"])

    with ExitStack() as streams:
        stays = streams.enter_context(streaming(url, org.api_key))
        of_key = streams.enter_context(streaming(url, short_lived["key"]))
        of_first = streams.enter_context(streaming(url, token("first password")))
        assert org.client.delete(f"/api/keys/{short_lived['id']}").status_code == 204
        of_key.to_its_end()
        org.ok(org.put(f"/api/people/{person['id']}", {"password": "second password"}))
        of_first.to_its_end()
        of_second = streams.enter_context(streaming(url, token("second password")))
        assert org.client.delete(f"/api/people/{person['id']}").status_code == 204
        of_second.to_its_end()
        agent = ScriptedAgent(lambda _: final())
        org.run(org.agent(agent.url))
        agent.stop()
        assert stays.event(lambda run: run["status"] == "completed")
