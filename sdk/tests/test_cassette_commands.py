"""Cassettes from the command line: recorded of a live service, replayed without it, held against it again."""

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.agents import ScriptedAgent
from support.cassettes import READING, keep_cassette
from support.order_service import OrderService, do_as_told
from support.platform import Org, Platform
from support.process import ODYSSEY

NOTHING = "6f0e4b0e-3a1c-4d2f-9b0a-0123456789ab"

Cli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    platform = Platform(f"sqlite+aiosqlite:///{tmp_path_factory.mktemp('data') / 'odyssey.db'}")
    yield platform
    platform.stop()


class Desk(NamedTuple):
    org: Org
    service: OrderService
    agent: dict[str, Any]
    run_id: int
    """Of a run that read an order, refunded another and asked for one that is not there."""


@pytest.fixture
def desk(platform: Platform) -> Iterator[Desk]:
    org, service, agent = platform.new_org(), OrderService(), ScriptedAgent(do_as_told)
    registered = org.agent(agent.url, tools_schema=service.bind(org))
    story = "get_order ord_1\nrefund_order ord_2\nget_order ord_9"
    yield Desk(org, service, registered, org.run(registered, user_instruction=story)["id"])
    org.client.close()
    agent.stop()
    service.close()


@pytest.fixture
def cli(desk: Desk, tmp_path: Path) -> Cli:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ODYSSEY_")}
    environment = {**kept, "COLUMNS": "200", "ODYSSEY_URL": desk.org.platform.url}
    environment["ODYSSEY_API_KEY"] = desk.org.api_key

    def run(*arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [ODYSSEY, *arguments], env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return run


def record(cli: Cli, desk: Desk) -> str:
    said = cli("cassettes", "record", str(desk.run_id), "--name", "orders\x1b[2J").stdout
    found = re.match(rf"Cassette (\S{{36}}): 3 calls of run {desk.run_id}\.\n", said)
    assert found
    return found[1]


def test_a_cassette_is_recorded_shown_replayed_and_deleted(desk: Desk, cli: Cli) -> None:
    assert cli("cassettes", "list").stdout == "No cassettes.\n"
    cassette = record(cli, desk)
    heading, row = cli("cassettes", "list").stdout.splitlines()
    assert heading.split() == ["id", "name", "run", "agent", "calls", "created"]
    assert row.split()[:6] == [cassette, r"orders\x1b[2J", str(desk.run_id), str(desk.agent["id"]), "v1", "3"]
    shown = cli("cassettes", "show", cassette).stdout.splitlines()
    numbers = [int(line.split()[0]) for line in shown[4::3]]
    assert shown == [
        rf'Cassette {cassette}  "orders\u001b[2J"',
        f"  run       {desk.run_id} attempt 1",
        f"  agent     {desk.agent['id']} version 1",
        "  calls     3",
        f"{numbers[0]}  get_order  passthrough 200, read only",
        '      arguments  {"order_id": "ord_1"}',
        '      response   {"id": "ord_1", "state": "shipped", "lines": [{"sku": "A", "price": 12.5}]}',
        f"{numbers[1]}  refund_order  passthrough 200",
        '      arguments  {"order_id": "ord_2"}',
        '      response   {"id": "ord_2", "state": "open", "lines": [], "refunds": 1}',
        f"{numbers[2]}  get_order  passthrough 404, error, read only",
        '      arguments  {"order_id": "ord_9"}',
        '      response   {"error": "no such order"}',
    ]
    desk.service.stop()
    start = ["runs", "start", "--agent", str(desk.agent["id"]), "--wait", "--json", "--cassette", cassette]
    strict = json.loads(cli(*start, "--instruction", "get_order ord_1").stdout)["run"]
    assert '"shipped"' in strict["final_response"]
    assert strict["cassette"] | {"last_number": 0} == {
        "id": cassette,
        "match": "strict",
        "on_miss": "fail",
        "last_number": 0,
    }
    told = ["--match", "lenient", "--on-miss", "capture", "--instruction", "get_order ord_9"]
    lenient = json.loads(cli(*start, *told).stdout)["run"]
    assert (lenient["cassette"]["match"], lenient["cassette"]["on_miss"]) == ("lenient", "capture")
    assert "no such order" in lenient["final_response"]
    assert desk.service.connects_since_stopped() == 0
    assert cli("cassettes", "delete", cassette).stdout == f"Cassette {cassette} is deleted.\n"
    assert cli("cassettes", "list").stdout == "No cassettes.\n"


def test_diff_tells_by_path_and_by_its_exit_code(desk: Desk, cli: Cli) -> None:
    cassette = record(cli, desk)
    assert cli("cassettes", "diff", cassette).stdout == "3 calls: 2 same, 1 skipped.\n"
    desk.service.orders["ord_1"] |= {"state": "lost", "note": "at sea"}
    del desk.service.orders["ord_1"]["lines"]
    changed = cli("cassettes", "diff", cassette, code=1).stdout.splitlines()
    number = changed[0].split()[0]
    assert changed == [
        f"{number}  get_order  changed",
        '      $.state  "shipped" → "lost"',
        '      $.lines  - [{"sku": "A", "price": 12.5}]',
        '      $.note  + "at sea"',
        "3 calls: 1 same, 1 changed, 1 skipped.",
    ]
    everything = json.loads(cli("cassettes", "diff", cassette, "--include-changing", "--json", code=1).stdout)
    assert (everything["compared"], everything["changed"], everything["skipped"]) == (3, 2, 0)
    assert [one["state"] for one in everything["interactions"]] == ["changed", "changed", "same"]
    desk.service.stop()
    desk.service.close()
    gone = cli("cassettes", "diff", cassette, code=2).stdout
    assert "get_order  failed  upstream_unreachable: " in gone
    assert gone.endswith("3 calls: 1 skipped, 2 failed.\n")


def test_a_long_cassette_is_compared_in_portions(desk: Desk, cli: Cli) -> None:
    upstream = READING["upstream"] | {"read_only": False}
    cassette = keep_cassette(desk.org, desk.run_id, *[READING | {"upstream": upstream}] * 23)
    done = cli("cassettes", "diff", cassette, code=2)
    assert done.stdout == "23 calls: 23 skipped.\n"
    assert done.stderr.splitlines() == [f"{so_far} of 23 calls asked again" for so_far in (10, 20, 23)]


def test_what_is_not_there_is_said_in_a_sentence(desk: Desk, cli: Cli) -> None:
    missing = f"odyssey: There is no cassette {NOTHING}.\n"
    for command in ("show", "diff", "delete"):
        assert cli("cassettes", command, NOTHING, code=2).stderr == missing
    never = cli("cassettes", "record", str(2**40), "--name", "x", code=2).stderr
    assert never == f"odyssey: There is no run {2**40}.\n"
    start = ["runs", "start", "--agent", str(desk.agent["id"]), "--instruction", "get_order ord_1"]
    alone = cli(*start, "--match", "lenient", code=2).stderr
    assert alone == "odyssey: --match and --on-miss say how a cassette is played; give --cassette too.\n"
    absent = cli(*start, "--cassette", NOTHING, code=2).stderr
    assert absent == f"odyssey: There is no agent {desk.agent['id']}, or no cassette {NOTHING}.\n"
