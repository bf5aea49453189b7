"""`odyssey push` and `odyssey publish`: a project's code becomes an agent of the platform."""

import json
from typing import Any

import pytest
from support.agents import Dispatched, ScriptedAgent
from support.commands import AGENT, PROJECT, Desk
from support.platform import Org

TOKEN = "a-token-that-nobody-guesses"
WHERE = "http://127.0.0.1:9999/dispatch"


@pytest.fixture(autouse=True)
def project(desk: Desk) -> None:
    desk.write(agent_py=AGENT, odyssey_toml=PROJECT)
    (desk.folder / ".env").write_text(f"AGENT_TOKEN={TOKEN}\n")


def agents(org: Org) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = org.ok(org.get("/api/agents"))["items"]
    return found


def test_an_agent_is_created_changed_as_a_draft_and_published(desk: Desk, org: Org) -> None:
    first = desk.type("push", "--endpoint-url", WHERE)
    (agent,) = agents(org)
    told, readings = first.stdout.split("How its tools are simulated")
    assert told.splitlines() == [
        f'Agent {agent["id"]} "Orders desk": created, version 1.',
        "  tools added    get_order, update_order",
        "It is a draft; `odyssey publish` lets it run.",
    ]
    read, _ = readings.splitlines()[2:]
    assert read.split("  ")[1] == "get_order"
    assert "reads order by order_id" in read
    assert (agent["status"], agent["auth_header_set"]) == ("draft", True)
    assert agent["config"]["endpoint_url"] == WHERE
    published = desk.type("publish").stdout
    assert published.startswith(f'Agent {agent["id"]} "Orders desk": version 1 is published.\n')
    assert "reads order by order_id" in published

    changed = AGENT.replace("Read an order.", "Look an order up.").replace(
        '"update_order", "Ch', '"alter_order", "Ch'
    )
    desk.write(agent_py=changed)
    second = desk.type("push", "--endpoint-url", WHERE).stdout.partition("How its tools")[0].splitlines()
    assert second == [
        f'Agent {agent["id"]} "Orders desk": changed, version 2.',
        "  tools added    alter_order",
        "  tools removed  update_order",
        "  tools changed  get_order",
        "Runs go on with version 1; `odyssey publish` makes this one theirs.",
    ]
    third = (
        desk.type("push", "--endpoint-url", WHERE, "--publish").stdout.partition("How its")[0].splitlines()
    )
    assert third == [f'Agent {agent["id"]} "Orders desk": unchanged, version 2.', "Version 2 is published."]
    assert [each["published_version"] for each in agents(org)] == [2]


def test_what_programs_read_names_the_changes_and_no_secret(desk: Desk, org: Org) -> None:
    desk.write(
        odyssey_toml=PROJECT.replace("[test]", f'endpoint_url = "{WHERE}"\nrun_timeout_s = 60\n[test]')
    )
    said = desk.type("push", "--json", "--publish")
    told = json.loads(said.stdout)
    assert told["created"] is True
    assert told["tools"] == {"added": ["get_order", "update_order"], "removed": [], "changed": []}
    assert told["agent"]["published_version"] == 1
    assert told["agent"]["config"]["run_timeout_s"] == 60
    assert TOKEN not in said.stdout + said.stderr
    again = json.loads(desk.type("push", "--json", "--endpoint-url", WHERE + "2").stdout)
    assert (again["created"], again["settings"]) == (False, ["endpoint_url"])
    named = json.loads(desk.type("publish", "Orders desk", "--json").stdout)
    assert (named["id"], named["published_version"]) == (told["agent"]["id"], 2)
    assert desk.type("publish", str(named["id"])).returncode == 0


def test_the_token_opens_the_agent(desk: Desk, org: Org) -> None:
    """What is registered is what the agent wants to see."""
    seen: list[str | None] = []

    def behave(dispatched: Dispatched) -> Any:
        seen.append(dispatched.headers.get("authorization"))
        return {"final_response": "Done."}

    agent = ScriptedAgent(behave)
    try:
        desk.type("push", "--endpoint-url", agent.url, "--publish")
        org.run(agents(org)[0])
    finally:
        agent.stop()
    assert seen
    assert set(seen) == {f"Bearer {TOKEN}"}


def test_two_agents_of_one_name_are_told_apart_by_their_numbers(desk: Desk, org: Org) -> None:
    ids = [org.agent(WHERE, name="Orders desk", publish=False)["id"] for _ in range(2)]
    refused = desk.type("push", "--endpoint-url", WHERE, code=2).stderr
    assert f"{ids[1]}, {ids[0]}" in refused
    assert "Several agents" in desk.type("publish", code=2).stderr
    org.agent(WHERE, name="Orders desk 2", publish=False)
    assert "version 1 is published" in desk.type("publish", "Orders desk 2").stdout


def project_with(**changes: str) -> dict[str, str]:
    text = PROJECT
    for name, value in changes.items():
        text = text.replace(f'{name} = "agent:{name}"', value)
    return {"odyssey_toml": text}


@pytest.mark.parametrize(
    ("change", "where", "sentence"),
    [
        ({}, None, "Give --endpoint-url, or write endpoint_url into odyssey.toml"),
        ({}, "http://nowhere", "config.endpoint_url"),
        (project_with(tools=""), WHERE, "agent.tools is missing"),
        (project_with(tools='tools = "agent:tolls"'), WHERE, "agent has no 'tolls'"),
        (project_with(tools='tools = "nowhere:tools"'), WHERE, "ModuleNotFoundError"),
        ({"agent_py": "raise ValueError('so\\nsad')"}, WHERE, "ValueError: so sad (agent.py, line 1)"),
        ({"agent_py": "print('hello')\ntools = 3"}, WHERE, "agent:tools: int is neither a list"),
        ({"agent_py": "def tools():\n    return {}['x']"}, WHERE, "KeyError: 'x' (agent.py, line 2)"),
        ({"agent_py": "tools = [{'name': 'a', 'input_schema': {'type': 'strange'}}]"}, WHERE, "tools_schema"),
    ],
)
def test_what_cannot_be_pushed_is_said_in_a_sentence(
    desk: Desk, org: Org, change: dict[str, str], where: str | None, sentence: str
) -> None:
    desk.write(**change)
    refused = desk.type("push", *(() if where is None else ("--endpoint-url", where)), code=2)
    assert sentence in refused.stderr
    assert "Traceback" not in refused.stderr
    assert refused.stdout == ""
    assert agents(org) == []


@pytest.mark.parametrize("command", ["push", "dev"])
def test_a_code_project_is_told_that_the_platform_does_not_run_code_yet(desk: Desk, command: str) -> None:
    desk.write(**project_with(app='mode = "code"\nentrypoint = "agent:run"'))
    refused = desk.type(command, code=2).stderr
    assert "does not run code agents yet" in refused
    assert "--endpoint-url" not in refused


def test_a_token_that_is_not_set_is_named(desk: Desk) -> None:
    refused = desk.type("--no-dotenv", "push", "--endpoint-url", WHERE, code=2).stderr
    assert "AGENT_TOKEN is not set" in refused


def test_an_agent_that_is_not_there_cannot_be_published(desk: Desk) -> None:
    assert "`odyssey push` registers it" in desk.type("publish", code=2).stderr
    assert "There is no agent 77." in desk.type("publish", "77", code=2).stderr
    (desk.folder / "odyssey.toml").unlink()
    assert "odyssey init" in desk.type("publish", code=2).stderr
