"""`odyssey dev`: an agent served here, registered, reloaded, followed and ended."""

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from support.commands import AGENT, PROJECT, Desk
from support.platform import WORLD, Org
from support.ports import free_port


@pytest.fixture(autouse=True)
def project(desk: Desk) -> None:
    desk.write(agent_py=AGENT, odyssey_toml=PROJECT)


def only_agent(org: Org) -> dict[str, Any]:
    (agent,) = org.ok(org.get("/api/agents"))["items"]
    found: dict[str, Any] = agent
    return found


@contextmanager
def saving(desk: Desk, **files: str) -> Iterator[None]:
    """Save files now and again, as a person does who sees no effect: the server misses what is saved as it starts."""
    done = threading.Event()

    def save() -> None:
        desk.write(**files)
        while not done.wait(5):
            desk.write(**files)

    thread = threading.Thread(target=save)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def is_served(url: str) -> bool:
    try:
        httpx.post(url, json={"ping": True}, trust_env=False, timeout=None)
    except httpx.TransportError:
        return False
    return True


def test_an_agent_is_served_registered_followed_reloaded_and_ended(desk: Desk, org: Org) -> None:
    terminal = desk.terminal("dev", "--port", str(free_port()))
    terminal.wait_for("Ctrl-C ends it.")
    agent = only_agent(org)
    where = agent["config"]["endpoint_url"]
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/dispatch", where)
    assert (agent["published_version"], agent["auth_header_set"]) == (1, True)
    assert httpx.post(where, json={"ping": True}, trust_env=False, timeout=None).status_code == 401

    check = [{"ledger": {"$.order.ord_2.status": "cancelled"}}]
    run_id = org.run(agent, user_instruction="cancel ord_2", initial_state=WORLD, checks=check)["id"]
    terminal.wait_for(f"Run {run_id}  completed  PASS")
    failed = org.run(agent, user_instruction="nonsense", initial_state=WORLD)["id"]
    terminal.wait_for(f"Run {failed}  failed")

    desk.write(agent_py="raise ValueError('half written')")
    terminal.wait_for("cannot be imported: ValueError: half written")
    desk.write(agent_py=AGENT.replace('"update_order", "Ch', '"alter_order", "Ch'))
    terminal.wait_for("tools removed  update_order")
    terminal.wait_for("version 2.")
    while only_agent(org)["published_version"] != 2:
        time.sleep(0.02)

    terminal.interrupt()
    assert terminal.end() == 0
    assert b"Ended." in terminal.said
    assert not is_served(where)


def test_an_agent_that_does_not_start_is_told_of_and_may_be_mended(desk: Desk, org: Org) -> None:
    desk.write(odyssey_toml=PROJECT.replace("agent:app", "agent:application"))
    terminal = desk.terminal("dev", "--port", str(free_port()), AGENT_TOKEN="a token of ours")
    terminal.wait_for('Attribute "application" not found in module "agent"')
    with saving(desk, agent_py=AGENT + "\napplication = app\n"):
        terminal.wait_for("Ctrl-C ends it.")
    where = only_agent(org)["config"]["endpoint_url"]
    ours = {"Authorization": "Bearer a token of ours"}
    assert httpx.post(where, json={"ping": True}, headers=ours, trust_env=False, timeout=None).json() == {
        "ok": True
    }
    terminal.process.terminate()
    assert terminal.end() == 0
    assert not is_served(where)


def test_a_platform_elsewhere_needs_a_way_to_this_machine(desk: Desk) -> None:
    refused = desk.type("dev", "--url", "https://odyssey.example", "--api-key", "pk_live_" + "1" * 40, code=2)
    assert "open a tunnel to it, and give its address as --public-url" in refused.stderr
    assert "--public-url" in desk.type("dev", "--public-url", "tunnel.example", code=2).stderr


def test_what_a_project_lacks_is_said_before_anything_starts(desk: Desk) -> None:
    desk.write(odyssey_toml=PROJECT.replace('app = "agent:app"', ""))
    assert "agent.app is missing" in desk.type("dev", code=2).stderr
    desk.write(agent_py="raise ValueError('broken')")
    assert "ValueError: broken" in desk.type("dev", code=2).stderr
