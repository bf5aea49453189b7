"""Two servers on one Postgres serve one run as one server would."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.evals import observed, scenario, start
from support.platform import WORLD, Platform
from support.postgres import new_postgres_database

StartAgent = Callable[[Behaviour], ScriptedAgent]


@pytest.fixture
def two_platforms(postgres_server: str) -> Iterator[tuple[Platform, Platform]]:
    url = new_postgres_database(postgres_server, f"pair_{time.monotonic_ns()}")
    first = Platform(url)
    second = Platform(url)
    yield first, second
    second.stop()
    first.stop()


def test_limit_sequence_ledger_and_rules_hold_across_processes(
    two_platforms: tuple[Platform, Platform], agent_server: StartAgent
) -> None:
    first, second = two_platforms
    org = first.new_org()
    answers: list[httpx.Response] = []

    def behave(d: Dispatched) -> Any:
        def hammer(platform: Platform, header: dict[str, str]) -> None:
            url = f"{platform.url}/api/odyssey-proxy/tools/create_order"
            with httpx.Client(headers=header, timeout=60, trust_env=False) as client:
                answers.extend(client.post(url, json={"status": "new"}) for _ in range(20))

        bearer = {"Authorization": f"Bearer {d.token}"}
        plain = {"X-Pipelines-Run-Token": d.token}
        threads = [
            threading.Thread(target=hammer, args=(platform, header))
            for platform in (first, second)
            for header in (bearer, plain)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return final()

    agent = org.agent(agent_server(behave).url)
    rules = [{"tool": "create_order", "call": {"every": 5}, "response": "every fifth"}]
    run = org.run(agent, initial_state={"order": {}}, failure_rules=rules)
    assert run["status"] == "completed"
    assert Counter(answer.status_code for answer in answers) == {200: 60, 429: 20}
    events = org.trace(run["id"])
    assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))
    served = [event["data"] for event in events if event["data"].get("http_status") == 200]
    assert [data["source"] for data in served] == (["odyssey"] * 4 + ["injected"]) * 12
    created = [data["response"]["order_id"] if "order_id" in data["response"] else data["response"]["id"]
               for data in served if data["source"] == "odyssey"]  # fmt: skip
    assert len(set(created)) == 48
    ledger = org.ok(org.get(f"/api/runs/{run['id']}/ledger"))
    assert set(ledger["state"]["order"]) == set(created)
    counted = [event["data"]["count"] for event in events if event["data"].get("http_status") == 429]
    assert sum(counted) == 20


def test_a_token_revoked_by_one_process_is_dead_at_the_other(
    two_platforms: tuple[Platform, Platform], agent_server: StartAgent
) -> None:
    first, second = two_platforms
    org = first.new_org()
    arrived, release = threading.Event(), threading.Event()
    received: list[Dispatched] = []

    def behave(d: Dispatched) -> Any:
        received.append(d)
        arrived.set()
        release.wait(60)
        return final()

    (run_id,) = org.start(org.agent(agent_server(behave).url))
    assert arrived.wait(60)
    urls = [f"{platform.url}/api/odyssey-proxy/tools/list_orders" for platform in (first, second)]
    headers = {"X-Pipelines-Run-Token": received[0].token}
    assert [
        httpx.post(url, json={}, headers=headers, trust_env=False, timeout=60).status_code for url in urls
    ] == [
        200,
        200,
    ]
    org.ok(org.post(f"/api/runs/{run_id}/cancel"))
    answers = [httpx.post(url, json={}, headers=headers, trust_env=False, timeout=60) for url in urls]
    release.set()
    assert [answer.json()["code"] for answer in answers] == ["run_token_revoked"] * 2


def test_a_text_in_a_tool_result_arrives_once_whoever_serves_the_calls(
    two_platforms: tuple[Platform, Platform], agent_server: StartAgent
) -> None:
    first, second = two_platforms
    org = first.new_org()
    answers: dict[int, list[Any]] = {}

    def behave(d: Dispatched) -> Any:
        urls = [f"{one.url}/api/odyssey-proxy/tools/get_order" for one in (first, second, first, second)]
        headers = {"X-Pipelines-Run-Token": d.token}
        made = [
            httpx.post(url, json={"order_id": "ord_1"}, headers=headers, trust_env=False, timeout=60)
            for url in urls
        ]
        answers[d.body["run_id"]] = ["notice" in one.json()["response"] for one in made]
        return final()

    org.agent(agent_server(behave).url)
    world = org.ok(org.post("/api/worlds", {"name": "shop", "initial_state": WORLD}))
    made = scenario(org, world_id=world["id"])
    _, run_id = start(org, made, variation_type="sycophancy", delivery="tool_result", step=2)
    assert observed(org, run_id)["delivered"] == "delivered"
    assert answers[run_id] == [False, True, False, False]
