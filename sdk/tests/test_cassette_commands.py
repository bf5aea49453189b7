"""Cassettes from the command line: recorded of a live service, replayed without it, held against it again."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from support.agents import ScriptedAgent
from support.cassettes import READING, keep_cassette
from support.commands import Desk
from support.order_service import OrderService, do_as_told
from support.platform import Org

NOTHING = "6f0e4b0e-3a1c-4d2f-9b0a-0123456789ab"


class Shop(NamedTuple):
    org: Org
    service: OrderService
    agent: dict[str, Any]
    run_id: int
    """Of a run that read an order, refunded another and asked for one that is not there."""


@pytest.fixture
def shop(org: Org) -> Iterator[Shop]:
    service, agent = OrderService(), ScriptedAgent(do_as_told)
    registered = org.agent(agent.url, tools_schema=service.bind(org))
    story = "get_order ord_1\nrefund_order ord_2\nget_order ord_9"
    yield Shop(org, service, registered, org.run(registered, user_instruction=story)["id"])
    agent.stop()
    service.close()


def record(desk: Desk, shop: Shop) -> str:
    said = desk.type("cassettes", "record", str(shop.run_id), "--name", "orders\x1b[2J").stdout
    found = re.match(rf"Cassette (\S{{36}}): 3 calls of run {shop.run_id}\.\n", said)
    assert found
    return found[1]


def test_a_cassette_is_recorded_shown_replayed_and_deleted(desk: Desk, shop: Shop) -> None:
    assert desk.type("cassettes", "list").stdout == "No cassettes.\n"
    cassette = record(desk, shop)
    heading, row = desk.type("cassettes", "list").stdout.splitlines()
    assert heading.split() == ["id", "name", "run", "agent", "calls", "created"]
    assert row.split()[:6] == [cassette, r"orders\x1b[2J", str(shop.run_id), str(shop.agent["id"]), "v1", "3"]
    shown = desk.type("cassettes", "show", cassette).stdout.splitlines()
    numbers = [int(line.split()[0]) for line in shown[4::3]]
    assert shown == [
        rf'Cassette {cassette}  "orders\u001b[2J"',
        f"  run       {shop.run_id} attempt 1",
        f"  agent     {shop.agent['id']} version 1",
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
    shop.service.stop()
    start = ["runs", "start", "--agent", str(shop.agent["id"]), "--wait", "--json", "--cassette", cassette]
    strict = json.loads(desk.type(*start, "--instruction", "get_order ord_1").stdout)["run"]
    assert '"shipped"' in strict["final_response"]
    assert strict["cassette"] | {"last_number": 0} == {
        "id": cassette,
        "match": "strict",
        "on_miss": "fail",
        "last_number": 0,
    }
    told = ["--match", "lenient", "--on-miss", "capture", "--instruction", "get_order ord_9"]
    lenient = json.loads(desk.type(*start, *told).stdout)["run"]
    assert (lenient["cassette"]["match"], lenient["cassette"]["on_miss"]) == ("lenient", "capture")
    assert "no such order" in lenient["final_response"]
    assert shop.service.connects_since_stopped() == 0
    assert desk.type("cassettes", "delete", cassette).stdout == f"Cassette {cassette} is deleted.\n"
    assert desk.type("cassettes", "list").stdout == "No cassettes.\n"


def test_diff_tells_by_path_and_by_its_exit_code(desk: Desk, shop: Shop) -> None:
    cassette = record(desk, shop)
    assert desk.type("cassettes", "diff", cassette).stdout == "3 calls: 2 same, 1 skipped.\n"
    shop.service.orders["ord_1"] |= {"state": "lost", "note": "at sea"}
    del shop.service.orders["ord_1"]["lines"]
    changed = desk.type("cassettes", "diff", cassette, code=1).stdout.splitlines()
    number = changed[0].split()[0]
    assert changed == [
        f"{number}  get_order  changed",
        '      $.state  "shipped" → "lost"',
        '      $.lines  - [{"sku": "A", "price": 12.5}]',
        '      $.note  + "at sea"',
        "3 calls: 1 same, 1 changed, 1 skipped.",
    ]
    everything = json.loads(
        desk.type("cassettes", "diff", cassette, "--include-changing", "--json", code=1).stdout
    )
    assert (everything["compared"], everything["changed"], everything["skipped"]) == (3, 2, 0)
    assert [one["state"] for one in everything["interactions"]] == ["changed", "changed", "same"]
    shop.service.stop()
    shop.service.close()
    gone = desk.type("cassettes", "diff", cassette, code=2).stdout
    assert "get_order  failed  upstream_unreachable: " in gone
    assert gone.endswith("3 calls: 1 skipped, 2 failed.\n")


def test_a_long_cassette_is_compared_in_portions(desk: Desk, shop: Shop) -> None:
    upstream = READING["upstream"] | {"read_only": False}
    cassette = keep_cassette(shop.org, shop.run_id, *[READING | {"upstream": upstream}] * 23)
    done = desk.type("cassettes", "diff", cassette, code=2)
    assert done.stdout == "23 calls: 23 skipped.\n"
    assert done.stderr.splitlines() == [f"{so_far} of 23 calls asked again" for so_far in (10, 20, 23)]


def test_what_is_not_there_is_said_in_a_sentence(desk: Desk, shop: Shop) -> None:
    missing = f"odyssey: There is no cassette {NOTHING}.\n"
    for command in ("show", "diff", "delete"):
        assert desk.type("cassettes", command, NOTHING, code=2).stderr == missing
    never = desk.type("cassettes", "record", str(2**40), "--name", "x", code=2).stderr
    assert never == f"odyssey: There is no run {2**40}.\n"
    start = ["runs", "start", "--agent", str(shop.agent["id"]), "--instruction", "get_order ord_1"]
    alone = desk.type(*start, "--match", "lenient", code=2).stderr
    assert alone == "odyssey: --match and --on-miss say how a cassette is played; give --cassette too.\n"
    absent = desk.type(*start, "--cassette", NOTHING, code=2).stderr
    assert absent == f"odyssey: There is no agent {shop.agent['id']}, or no cassette {NOTHING}.\n"
