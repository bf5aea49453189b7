"""Databases of earlier states are migrated, opened and read: every answer recorded then is still given."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from datetime import datetime, timedelta
from typing import NamedTuple

import httpx
import pytest
from sqlalchemy import select
from support.batches import ended
from support.clocks import GivenClock
from support.experiments import MATRIX, wait_until
from support.platform import Org, Platform
from support.recorded import (
    PUBLIC_URL,
    Recording,
    read_everything,
    read_recording,
    restore,
    states,
    unwanted_differences,
)
from support.waiting import wait_for

from odyssey.identity.credentials import open_credential
from odyssey.identity.models import Credential
from odyssey.identity.vault import Vault

pytestmark = pytest.mark.both_databases


class Reopened(NamedTuple):
    """A recorded database in a platform whose clock stands still."""

    recording: Recording
    platform: Platform

    def org(self, name: str) -> Org:
        return Org(self.platform, self.recording.orgs[name].api_key)


Reopen = Callable[..., Reopened]


@pytest.fixture(params=states())
def reopen(request: pytest.FixtureRequest, empty_database: Callable[[], str]) -> Iterator[Reopen]:
    """Open a recorded database as if no time had passed: what was under way belongs to the process that is gone."""
    url = empty_database()
    kind = "sqlite" if url.startswith("sqlite") else "postgres"
    restore(request.param, kind, url)
    recording = read_recording(request.param, kind)
    with ExitStack() as stack:

        def start(later: timedelta = timedelta(0)) -> Reopened:
            def clock() -> datetime:
                return recording.moment + later

            platform = Platform(url, clock=GivenClock(clock), public_url=PUBLIC_URL)
            stack.callback(platform.stop)
            return Reopened(recording, platform)

        yield start


def test_everything_is_read_back(reopen: Reopen) -> None:
    reopened = reopen()
    for name, recorded in reopened.recording.orgs.items():
        with closing(reopened.org(name).client) as client:
            found = unwanted_differences(recorded.answers, read_everything(client))
        assert found == [], f"{name}: {len(found)} differences, of which the first are {found[:20]}"


def test_agents_from_before_keep_the_empty_answer_for_what_nobody_understands(reopen: Reopen) -> None:
    reopened = reopen()
    found = 0
    for name in reopened.recording.orgs:
        org = reopened.org(name)
        with closing(org.client):
            for agent in org.ok(org.get("/api/agents"))["items"]:
                assert agent["config"]["unknown_tools"] == "empty"
                changed = org.ok(org.put(f"/api/agents/{agent['id']}", {"description": "Changed since."}))
                assert changed["config"]["unknown_tools"] == "empty"
                found += 1
    assert found > 0


def test_secrets_are_opened(reopen: Reopen) -> None:
    reopened = reopen()
    vault, database = reopened.platform.part(Vault), reopened.platform.database

    async def open_all() -> dict[str, str]:
        async with database.read() as session:
            kept = (await session.scalars(select(Credential))).all()
            return {each.name: await open_credential(session, vault, each) for each in kept}

    assert reopened.platform.do(open_all()) == {
        name: secret
        for recorded in reopened.recording.orgs.values()
        for name, secret in recorded.secrets.items()
    }


def test_a_run_in_flight_goes_on_calling(reopen: Reopen) -> None:
    reopened = reopen()
    answer = httpx.post(
        f"{reopened.platform.url}/api/odyssey-proxy/tools/get_order",
        json={"order_id": "ord_2"},
        headers={"Authorization": f"Bearer {reopened.recording.run_token}"},
    )
    assert (answer.status_code, answer.json()["response"]["status"]) == (200, "packed")
    with closing(reopened.org("Underway").client) as client:
        trace = client.get(f"/api/runs/{reopened.recording.run_in_flight}/trace").json()["items"]
    assert [(event["kind"], event["data"].get("tool_name")) for event in trace[-2:]] == [
        ("tool_call", "update_order"),
        ("tool_call", "get_order"),
    ]


def test_what_was_under_way_is_taken_over(reopen: Reopen) -> None:
    """A day later nobody holds it any more: the batch comes to its end, what was cancelled can go on."""
    reopened = reopen(timedelta(days=1))
    recording, org = reopened.recording, reopened.org("Underway")
    with closing(org.client):
        run = wait_for(lambda: org.read_run(recording.run_in_flight), lambda run: len(run["attempts"]) > 1)
        assert run["attempts"][0]["attempt"] == 1
        org.ok(org.post(f"{MATRIX}/{recording.running_matrix}/cancel"))
        wait_until(org, recording.running_matrix, lambda shown: shown["status"] == "cancelled")
        resumed = org.ok(org.post(f"{MATRIX}/{recording.cancelled_matrix}/resume"))
        assert resumed["status"] == "running"
        assert ended(org, {"id": recording.running_batch})["status"] == "completed"
