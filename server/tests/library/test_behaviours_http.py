"""Behaviours where they come in: lines or rules with seeds, worlds and datasets, and what is not understood of them."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.datasets import lint, post_csv, post_json, table, values_of
from support.platform import WORLD, Org
from support.worlds import errors, new_world, read_world

from odyssey.journal.contents import behaviour_of
from odyssey.journal.models import RunContext
from odyssey.library.behaviours import UnclearLine
from odyssey.simulation.behaviours import reading
from odyssey.simulation.behaviours.grammar import parse_line

StartAgent = Callable[[Behaviour], ScriptedAgent]

URL = "http://127.0.0.1:9/dispatch"
LINES = """# How the shop works
update_order only when order.status != "shipped" else "It was shipped already."
delete_order removes order
get_order returns order
"""
RULES: list[dict[str, Any]] = [
    {
        "tools": ["update_order"],
        "only_when": 'order.status != "shipped"',
        "else": {"code": "not_found", "message": "Gone."},
    },
    {"tools": ["delete_order"], "removes": "order"},
    {"tools": ["*"], "when": "args.order_id == 'ord_9'", "sets_flag": "asked for nine"},
]
AS_LINES = """update_order only when order.status != "shipped" else not_found "Gone."
delete_order removes order
* when args.order_id == 'ord_9' sets flag "asked for nine\""""
ODD = "Refunds take a day.\nupdate_ordr sets order.status = 'x'\n\nget_order returns ordr.status\n"
"""A sentence, a tool and a type that are not there, in lines 1, 2 and 4."""
FAULTS: list[tuple[Any, list[Any]]] = [
    (5, []),
    ({}, []),
    ([5], [0]),
    ([*RULES, {"tools": ["get_order"]}], [3]),
    ([{"tools": [], "returns": "1"}], [0, "tools"]),
    ([{"tools": ["a"], "returns": "1", "wen": "true"}], [0, "wen"]),
    ([{"tools": ["a"], "only_when": "true", "else": {"code": "gone", "message": "x"}}], [0, "else", "code"]),
    ([{"tools": ["a"], "sets": {"status": "1"}}], [0, "sets"]),
    ([{"tools": ["a"], "returns": "1 +"}], [0]),
    ([{"tools": ["a"], "returns": "1"}] * 501, []),
    ("x" * 65_537, []),
    ("get_order returns 1\n" * 501, []),
    ("get_order\0 returns 1", []),
]


def read(org: Org, behaviour: Any, **members: Any) -> dict[str, Any]:
    found: dict[str, Any] = org.ok(
        org.post("/api/behaviors/read", {"behavior_instructions": behaviour, **members})
    )
    return found


def context_of(org: Org, run_id: int) -> tuple[str, str]:
    """What a run carries of its own, and what its tools go by."""

    async def load() -> tuple[str, str]:
        async with org.platform.database.read() as session:
            context = await session.get_one(RunContext, run_id)
            return context.behavior_instructions, await behaviour_of(session, context)

    return org.platform.do(load())


def test_lines_are_read_as_rules_and_rules_as_lines(org: Org) -> None:
    lines = read(org, LINES)
    assert (lines["text"], lines["understood"]) == (LINES, True)
    assert [(line["number"], line["problem"]) for line in lines["lines"]] == [(2, None), (3, None), (4, None)]
    assert lines["rules"][1] == {"tools": ["delete_order"], "removes": "order"}
    rules = read(org, RULES)
    assert (rules["text"], rules["rules"], rules["understood"]) == (AS_LINES, RULES, True)
    assert read(org, AS_LINES) == rules
    assert read(org, "") == {"text": "", "lines": [], "rules": [], "understood": True}


def test_a_line_that_is_not_understood_is_told_with_a_hint(org: Org) -> None:
    agent, world = org.agent(URL), new_world(org)
    alone = read(org, ODD)
    assert [line["problem"] is None for line in alone["lines"]] == [False, True, True]
    found = read(org, ODD, agent_id=agent["id"], world_id=world["id"])
    assert (found["understood"], found["rules"]) == (False, [])
    assert [line["number"] for line in found["lines"]] == [1, 2, 4]
    assert "did you mean 'update_order'?" in found["lines"][1]["hint"]
    assert "did you mean 'order'?" in found["lines"][2]["hint"]
    assert found["lines"][2]["column"] == len("get_order returns o")
    tools = [{"name": "update_ordr", "input_schema": {"type": "object"}}]
    by_tools = read(org, ODD, tools_schema=tools, world_id=world["id"])
    assert [line["problem"] is None for line in by_tools["lines"]] == [False, True, False]


def test_the_types_an_agent_declares_are_known(org: Org) -> None:
    schema = {"entities": [{"type": "invoice", "id_field": "invoice_id"}]}
    agent = org.agent(URL, ledger_schema=schema)
    found = read(org, "get_order returns invoice\nget_order returns order", agent_id=agent["id"])
    assert [line["problem"] is None for line in found["lines"]] == [True, False]


def test_anothers_agent_and_world_are_not_there(org: Org, other_org: Org) -> None:
    for members in ({"agent_id": other_org.agent(URL)["id"]}, {"world_id": new_world(other_org)["id"]}):
        answer = org.post("/api/behaviors/read", {"behavior_instructions": "", **members})
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize(("behaviour", "place"), FAULTS, ids=lambda value: str(value)[:40])
def test_what_is_neither_lines_nor_rules_is_located_wherever_it_is_given(
    org: Org, behaviour: Any, place: list[Any]
) -> None:
    agent, world = org.agent(URL), new_world(org)
    seed = {"user_instruction": "x", "behavior_instructions": behaviour}
    member = ["behavior_instructions", *place]
    for answer, before in (
        (org.post("/api/behaviors/read", {"behavior_instructions": behaviour}), []),
        (org.post("/api/worlds", {"name": "x", "behavior_instructions": behaviour}), []),
        (org.put(f"/api/worlds/{world['id']}", {"behavior_instructions": behaviour}), []),
        (org.post("/api/runs", {"agent_id": agent["id"], "seeds": [seed]}), ["seeds", 0]),
        (post_json(org, [{"user_instruction": "x"}, seed]), ["rows", 1]),
    ):
        assert errors(answer)[0][0] == [*before, *member]
    assert read_world(org, world) == world


def test_a_world_keeps_lines_and_tells_which_are_not_understood(org: Org) -> None:
    world = new_world(org, behavior_instructions=RULES)
    assert (world["behavior_instructions"], world["behavior_problems"]) == (AS_LINES, [])
    path = f"/api/worlds/{world['id']}"
    odd = org.ok(org.put(path, {"behavior_instructions": ODD}))
    assert odd["behavior_instructions"] == ODD
    assert [(one["line"], one["text"]) for one in odd["behavior_problems"]] == [
        (1, "Refunds take a day."),
        (4, "get_order returns ordr.status"),
    ]
    assert "did you mean 'order'?" in odd["behavior_problems"][1]["hint"]
    assert odd == read_world(org, world) == org.ok(org.put(path, {"behavior_instructions": None}))
    state = {"initial_state": {"ordr": {"1": {"status": "x"}}}}
    assert [one["line"] for one in org.ok(org.put(path, state))["behavior_problems"]] == [1, 2]
    assert org.ok(org.put(path, {"behavior_instructions": []}))["behavior_instructions"] == ""


def test_a_run_warns_of_each_line_that_is_not_understood(org: Org, agent_server: StartAgent) -> None:
    agent = org.agent(agent_server(lambda d: final()).url)
    run = org.run(agent, initial_state=WORLD, behavior_instructions=ODD)
    told = run["soft_warnings"]
    assert [text.split(": ")[:2] for text in told if text.startswith("behavior")] == [
        ["behavior_not_understood", f"line {number}"] for number in (1, 2, 4)
    ]
    assert told[1].endswith("did you mean 'update_order'?")
    assert run["odyssey_seed"]["behavior_instructions"] == ODD
    world = new_world(org, behavior_instructions=ODD)
    assert org.run(agent, world_id=world["id"])["soft_warnings"] == told
    clear = org.run(agent, initial_state=WORLD, behavior_instructions=LINES)
    assert [text for text in clear["soft_warnings"] if text.startswith("behavior")] == []


def test_a_run_warns_of_the_first_ten_lines_and_counts_the_rest(org: Org) -> None:
    (run_id,) = org.start(
        org.agent(URL), {"user_instruction": "x", "behavior_instructions": "Be kind.\n" * 12}
    )
    told = org.ok(org.get(f"/api/runs/{run_id}"))["soft_warnings"]
    assert len(told) == 11
    assert told[-1] == "behavior_not_understood: and 2 more lines"


def test_a_world_that_changed_is_read_by_what_it_held(org: Org) -> None:
    agent = org.agent(URL)
    world = new_world(org, behavior_instructions="get_order returns order")
    dataset = org.ok(post_json(org, [{"user_instruction": "x", "world_id": world["id"]}]))
    org.ok(
        org.put(f"/api/worlds/{world['id']}", {"initial_state": {"book": {}}, "behavior_instructions": ODD})
    )
    body = {"agent_id": agent["id"], "dataset_id": dataset["id"]}
    (run,) = org.ok(org.post("/api/runs", body))["runs"]
    assert run["soft_warnings"] == []
    (later,) = org.ok(
        org.post(
            "/api/runs",
            {"agent_id": agent["id"], "seeds": [{"user_instruction": "x", "world_id": world["id"]}]},
        )
    )["runs"]
    assert len(later["soft_warnings"]) == 3


def test_a_run_goes_by_its_own_behaviour_or_by_its_worlds(org: Org) -> None:
    agent = org.agent(URL)
    world = new_world(org, behavior_instructions=LINES)
    own, named, none = org.start(
        agent,
        {"user_instruction": "x", "behavior_instructions": RULES},
        {"user_instruction": "x", "world_id": world["id"]},
        {"user_instruction": "x"},
    )
    org.ok(org.put(f"/api/worlds/{world['id']}", {"behavior_instructions": "Be kind."}))
    assert context_of(org, own) == (AS_LINES, AS_LINES)
    assert context_of(org, named) == ("", LINES)
    assert context_of(org, none) == ("", "")


def test_checking_a_request_tells_what_its_runs_would_warn_of(org: Org) -> None:
    agent, world = org.agent(URL), new_world(org, behavior_instructions=ODD)
    seeds = [
        {"user_instruction": "x"},
        {"user_instruction": "x", "world_id": world["id"]},
        {"user_instruction": "x", "initial_state": WORLD, "behavior_instructions": ODD},
    ]
    dataset = org.ok(post_json(org, seeds))
    for members in ({"seeds": seeds}, {"dataset_id": dataset["id"]}):
        found = org.ok(org.post("/api/runs/validate", {"agent_id": agent["id"], **members}))
        problems = found["behavior_problems"]
        assert [(one["row"], one["line"]) for one in problems] == [(r, n) for r in (1, 2) for n in (1, 2, 4)]
        assert problems[0].keys() == {"row", "line", "text", "problem", "hint"}
    plain = {"agent_id": agent["id"], "seeds": seeds[:1]}
    assert org.ok(org.post("/api/runs/validate", plain))["behavior_problems"] == []


def test_rules_in_a_dataset_are_kept_as_lines(org: Org) -> None:
    in_json = org.ok(post_json(org, [{"user_instruction": "a", "behavior_instructions": RULES}]))
    content = table({"user": "a", "behavior": RULES}, {"user": "b", "behavior": "[not JSON"}, {"user": "c"})
    in_csv = org.ok(post_csv(org, content))
    assert values_of(org, in_json)[0]["behavior"] == AS_LINES
    assert [row.get("behavior") for row in values_of(org, in_csv)] == [AS_LINES, "[not JSON", None]
    again = org.ok(post_csv(org, org.get(f"/api/datasets/{in_csv['id']}/export").content))
    assert values_of(org, again) == values_of(org, in_csv)
    assert (in_json["warnings"], len(in_csv["warnings"])) == ([], 1)
    assert in_csv["warnings"][0].startswith("row 1: line 1 of the behaviour is not understood: ")
    faulty = table({"user": "a"}, {"user": "b", "behavior": [{"tools": ["a"], "returns": 1}]})
    ((loc, message),) = errors(post_csv(org, faulty))
    assert loc == ["rows", 1, "behavior", 0, "returns"]
    assert message.startswith("line 3: ")


def test_lint_names_row_and_line_of_what_is_not_understood(org: Org) -> None:
    agent, world = org.agent(URL), new_world(org, behavior_instructions="Be kind.")
    content = table(
        {"user": "a", "behavior": LINES, "state": WORLD},
        {"user": "b", "behavior": ODD, "state": WORLD},
        {"user": "c", "world": world["id"]},
    )
    plain = lint(org, content)
    assert plain["valid"]
    assert [(one["row"], one["column"]) for one in plain["warnings"]] == [(1, "behavior")] * 2 + [
        (2, "world")
    ]
    found = lint(org, content, agent_id=agent["id"])["warnings"]
    assert [(one["row"], one["column"]) for one in found] == [(1, "behavior")] * 3 + [(2, "world")]
    assert found[1]["msg"].startswith("line 2 of the behaviour is not understood: ")
    assert found[1]["msg"].endswith("did you mean 'update_order'?")
    assert f"line 1 of the behaviour of world {world['id']} is not understood" in found[3]["msg"]
    rows = [{"user_instruction": "a", "behavior_instructions": "Be kind."}]
    (warning,) = org.ok(post_json(org, rows, "/lint"))["warnings"]
    assert warning["loc"] == ["rows", 0, "behavior_instructions"]


def test_rows_that_behave_alike_are_read_once(org: Org, monkeypatch: pytest.MonkeyPatch) -> None:
    line = f"get_order returns '{uuid4()}'"
    parsed: list[str] = []

    def watch(source: str, *rest: Any) -> Any:
        parsed.append(source)
        return parse_line(source, *rest)

    monkeypatch.setattr(reading, "parse_line", watch)
    rows = [{"user_instruction": str(n), "behavior_instructions": line} for n in range(500)]
    assert org.ok(post_json(org, rows, "/lint"))["warnings"] == []
    dataset = org.ok(post_json(org, rows))
    assert parsed.count(line) == 1
    org.ok(org.post("/api/runs", {"agent_id": org.agent(URL)["id"], "dataset_id": dataset["id"]}))
    assert parsed.count(line) == 2  # once more with the agent's tools


def test_tools_behave_as_the_seed_says(org: Org, agent_server: StartAgent) -> None:
    heard: list[Any] = []

    def behave(d: Dispatched) -> Any:
        heard.extend(
            d.call("update_order", {"order_id": order, "status": "paid"}).json()["response"]
            for order in ("ord_1", "ord_2")
        )
        return final()

    org.run(org.agent(agent_server(behave).url), initial_state=WORLD, behavior_instructions=LINES)
    assert heard[0] == {"error": {"code": "conflict", "message": "It was shipped already."}}
    assert heard[1]["status"] == "paid"


def test_what_is_told_of_a_line_is_cut_off() -> None:
    assert UnclearLine(1, "line", "p" * 400, "h" * 98).told() == f"{'p' * 400}; {'h' * 98}"
    told = UnclearLine(1, "line", "p" * 400, "h" * 99).told()
    assert (len(told), told[-1]) == (500, "…")
