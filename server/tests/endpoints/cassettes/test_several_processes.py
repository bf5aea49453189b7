"""Two servers on one Postgres play one cassette as one server would: each answer once, in its order."""

import threading
import time
from collections.abc import Callable
from typing import Any

import httpx
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.order_service import OrderService, do_as_told
from support.platform import Platform
from support.postgres import new_postgres_database

StartAgent = Callable[[Behaviour], ScriptedAgent]
REFUNDS = 20


def test_a_strict_replay_keeps_its_order_across_processes(
    postgres_server: str, agent_server: StartAgent
) -> None:
    url = new_postgres_database(postgres_server, f"replay_{time.monotonic_ns()}")
    first, second, service = Platform(url), Platform(url), OrderService()
    org = first.new_org()
    tools = service.bind(org)
    agent = org.agent(agent_server(do_as_told).url, tools_schema=tools)
    live = org.run(agent, user_instruction="\n".join(["refund_order ord_2"] * REFUNDS))
    cassette = org.ok(org.post("/api/cassettes", {"name": "refunds", "run_id": live["id"]}))
    service.stop()
    told: list[int] = []

    def behave(d: Dispatched) -> Any:
        def hammer(platform: Platform) -> None:
            address = f"{platform.url}/api/odyssey-proxy/tools/refund_order"
            headers = {"X-Pipelines-Run-Token": d.token}
            order = {"order_id": "ord_2"}
            with httpx.Client(headers=headers, timeout=60, trust_env=False) as client:
                answers = [client.post(address, json=order).json() for _ in range(REFUNDS // 4)]
            told.extend(answer["response"]["refunds"] for answer in answers)

        threads = [threading.Thread(target=hammer, args=(one,)) for one in (first, second) * 2]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return final()

    hasty = org.agent(agent_server(behave).url, tools_schema=tools)
    body = {"agent_id": hasty["id"], "seeds": [{"user_instruction": "x"}], "cassette": {"id": cassette["id"]}}
    run = org.wait(org.ok(org.post("/api/runs", body))["runs"][0]["id"])
    assert run["status"] == "completed"
    assert sorted(told) == list(range(1, REFUNDS + 1))
    calls = [event["data"] for event in org.trace(run["id"], "tool_call")]
    assert [call["response"]["refunds"] for call in calls] == list(range(1, REFUNDS + 1))
    assert service.connects_since_stopped() == 0
    second.stop()
    first.stop()
    service.close()
