"""Programs proposed by a scripted model over real HTTP, and given ones: replayed, reported, never saved."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from api.surface import UNUSED_URL, problem, snapshot
from support.model_server import INPUT_TOKENS, OUTPUT_TOKENS, ModelServer, Raw, Refusal, Text
from support.parcels import FORGETFUL, RIGHT, STATE, TOOLS, recorded
from support.platform import Org

KEY = "sk-canary-of-the-compiler"

StartModel = Callable[..., ModelServer]


@pytest.fixture
def model(org: Org) -> Iterator[StartModel]:
    """Start a model that answers by script, and make it the org's simulator."""
    started: list[ModelServer] = []

    def start(*script: Any, **members: Any) -> ModelServer:
        started.append(ModelServer(*script))
        settings = started[-1].settings(role="simulator", api_key=KEY, **members)
        org.ok(org.put("/api/settings", settings))
        return started[-1]

    yield start
    for server in started:
        server.stop()


class Desk:
    """An agent, a world, and the recorded calls."""

    def __init__(self, org: Org) -> None:
        self.org = org
        self.agent = org.agent(UNUSED_URL, tools_schema=TOOLS)
        self.world = org.ok(org.post("/api/worlds", {"name": "parcels", "initial_state": STATE}))
        self.body = {"tool": "redirect_parcel", "world_id": self.world["id"], "calls": recorded()}

    def ask(self, act: str, **members: Any) -> Any:
        return self.org.post(f"/api/agents/{self.agent['id']}/programs/{act}", self.body | members)

    def propose(self, **members: Any) -> Any:
        return self.org.ok(self.ask("propose", **members))

    def replay(self, program: Any, **members: Any) -> Any:
        return self.org.ok(self.ask("replay", program=program, **members))


@pytest.fixture
def desk(org: Org) -> Desk:
    return Desk(org)


def counts(report: Any) -> list[tuple[int, int, int]]:
    return [(len(one["errors"]), one["equal"], one["of"]) for one in report["attempts"]]


def test_a_wrong_program_is_mended_after_the_model_is_told_what_was_wrong(
    desk: Desk, model: StartModel
) -> None:
    server = model(FORGETFUL, RIGHT, input_usd_per_mtok=1, output_usd_per_mtok=10)
    before = snapshot(desk.org)
    report = desk.propose()
    assert (report["accepted"], report["program"], report["model"]) == (True, RIGHT, "scripted")
    assert counts(report) == [(0, 3, 9), (0, 9, 9)]
    assert report["shown"] == 9
    assert report["responses"] | {"interval": None} == {"share": 1.0, "interval": None, "equal": 9, "of": 9}
    assert 0.6 < report["responses"]["interval"][0] < report["responses"]["interval"][1] == 1.0
    assert (report["changes"]["equal"], report["changes"]["of"]) == (5, 5)
    assert (report["input_tokens"], report["output_tokens"]) == (2 * INPUT_TOKENS, 2 * OUTPUT_TOKENS)
    assert report["cost_usd"] == pytest.approx(2 * (INPUT_TOKENS + 10 * OUTPUT_TOKENS) / 1_000_000)
    first, second = server.asked
    assert first.headers["authorization"] == f"Bearer {KEY}"
    assert "faults_of_your_last_program" not in first.user
    assert "depot 'south' should change and does not" in second.user
    assert json.dumps(FORGETFUL["response"], separators=(",", ":")) in second.user
    after = snapshot(desk.org)
    spent = after["settings"].pop("spent_today")
    before["settings"].pop("spent_today")
    assert after == before
    assert spent == {"usd": pytest.approx(report["cost_usd"]), "calls": 2}


def test_the_model_sees_the_tool_the_shapes_and_some_calls_and_nothing_of_others(
    desk: Desk, model: StartModel
) -> None:
    server = model(RIGHT)
    desk.propose(examples=6)
    (asked,) = server.asked
    mark = asked.user.split()[0].removeprefix("<<")
    assert asked.user.count(f"<<{mark} ") == asked.user.count(f"<</{mark} ") == 3
    assert f"<<{mark} NAME>>" in asked.system
    for name in ("tool", "entity_types", "recorded_calls"):
        assert f"<<{mark} {name}>>" in asked.user
    assert all(words in asked.user for words in ("South is full", "It is on its way", "No such depot"))
    assert "There are 9 recorded calls of it, of which 6 are shown." in asked.user
    assert asked.schema["properties"].keys() == {
        "describe",
        "let",
        "require",
        "operations",
        "after",
        "response",
    }


def test_a_model_that_never_gets_it_right_is_reported_and_nothing_is_saved(
    desk: Desk, model: StartModel
) -> None:
    server = model({"response": {}}, FORGETFUL, {"response": "= args.depot_id"})
    before = snapshot(desk.org)["agents"]
    report = desk.propose()
    assert not report["accepted"]
    assert report["program"] == FORGETFUL
    assert counts(report) == [(0, 0, 9), (0, 3, 9), (0, 0, 9)]
    assert [len(one["mismatches"]) for one in report["attempts"]] == [5, 5, 5]
    assert (report["responses"]["equal"], report["changes"]["equal"]) == (8, 0)
    wrong = report["attempts"][1]["mismatches"][3]
    assert (wrong["task"], wrong["call"], wrong["args"]["parcel_id"]) == ("full", 3, "p3")
    assert wrong["problem"] == "it should be refused ('South is full') and is answered"
    assert wrong["expected"] == {"error": "South is full"}
    assert wrong["got"]["depot"] == "South"
    assert (wrong["expected_changes"], len(wrong["got_changes"])) == ([], 1)
    assert len(server.asked) == 3
    assert snapshot(desk.org)["agents"] == before


@pytest.mark.parametrize(
    "line",
    [
        Text("I would rather not."),
        [],
        {"respond": 1},
        {"program": RIGHT},
        {"response": "= ("},
        {"response": "= [" + "[" * 500},
        {"let": {"a": "b", "b": "a"}, "response": "= a"},
        {"describe": "x" * 70_000, "response": {}},
        {"operations": [{"op": "explode"}], "response": {}},
    ],
    ids=lambda line: str(line)[:30],
)
def test_what_is_no_program_is_told_and_asked_for_again(desk: Desk, model: StartModel, line: Any) -> None:
    server = model(line, RIGHT)
    report = desk.propose()
    assert report["accepted"]
    assert counts(report)[0][0] > 0
    assert counts(report)[1] == (0, 9, 9)
    assert report["attempts"][0]["errors"][0]["msg"] in server.asked[1].user


def test_attempts_are_as_many_as_were_asked_for(desk: Desk, model: StartModel) -> None:
    server = model(FORGETFUL)
    assert len(desk.propose(attempts=1)["attempts"]) == len(server.asked) == 1


def test_it_is_said_how_many_calls_the_model_saw(desk: Desk, model: StartModel) -> None:
    model(RIGHT, FORGETFUL, RIGHT)
    assert desk.propose(examples=2)["shown"] == 2
    told_of = {"one 1", "full 1", "full 2", "full 3", "wrong 3"}
    again = desk.propose(examples=0)
    told = {f"{one['task']} {one['call']}" for one in again["attempts"][0]["mismatches"]}
    assert (told, again["shown"]) == (told_of, 5)
    assert desk.replay(RIGHT)["shown"] == 0


def test_a_program_that_does_too_much_ends(desk: Desk, model: StartModel) -> None:
    walk = "range(1000).all(a, range(1000).all(b, range(1000).all(c, a + b + c >= 0)))"
    grow = {
        "op": "update",
        "entity_type": "depot",
        "id": "= 'd' + text(n)",
        "fields": {"all": "= entities('depot')"},
    }
    copies = {"operations": [{**grow, "each": {"n": "= range(1000)"}}] * 50, "response": {}}
    model({"response": f"= {walk}"}, copies, {"response": "= ['x'].map(x, " * 200 + "x" + ")" * 200})
    report = desk.propose(calls=recorded()[:1])
    assert not report["accepted"]
    assert [one["equal"] for one in report["attempts"]] == [0, 0, 0]
    assert all(one["errors"] or one["mismatches"] for one in report["attempts"])


def test_without_a_model_it_is_said_what_to_do(desk: Desk) -> None:
    found = problem(desk.ask("propose"), 409, "model_not_set")
    assert "models.simulator" in found["detail"]


@pytest.mark.parametrize(
    ("line", "status", "code"),
    [
        (Raw(401, b'{"error": {"message": "no such key"}}'), 409, "model_failed"),
        (Refusal("I cannot do that."), 409, "model_failed"),
        (Raw(200, b"<html>"), 409, "model_failed"),
        (Raw(503, b"", {"Retry-After": "3600"}), 503, "model_unavailable"),
    ],
    ids=["key refused", "declined", "no JSON", "overloaded"],
)
def test_a_model_that_gives_no_answer_is_a_problem_in_its_words(
    desk: Desk, model: StartModel, line: Any, status: int, code: str
) -> None:
    model(line)
    answer = desk.ask("propose")
    problem(answer, status, code, KEY)
    assert answer.headers.get("retry-after") == ("3600" if status == 503 else None)


def test_over_budget_nobody_is_asked(desk: Desk, model: StartModel) -> None:
    server = model(RIGHT)
    desk.org.ok(desk.org.put("/api/settings", {"budgets": {"calls_per_day": 0}}))
    assert "budgets.calls_per_day" in problem(desk.ask("propose"), 409, "over_budget")["detail"]
    assert server.asked == []


def test_a_model_that_fails_later_does_not_lose_what_was_found(desk: Desk, model: StartModel) -> None:
    model(FORGETFUL, Raw(401))
    report = desk.propose()
    assert report["program"] == FORGETFUL
    assert counts(report) == [(0, 3, 9), (1, 0, 9)]
    assert report["attempts"][1]["errors"][0]["loc"] == ["model"]


def test_a_given_program_is_replayed_without_a_model(desk: Desk) -> None:
    right = desk.replay(RIGHT)
    assert (right["accepted"], right["program"], right["model"]) == (True, RIGHT, None)
    assert (counts(right), right["cost_usd"]) == ([(0, 9, 9)], 0)
    wrong = desk.replay(FORGETFUL)
    assert (wrong["accepted"], counts(wrong)) == (False, [(0, 3, 9)])
    faulty = desk.replay({"response": "= nobody"})
    assert (faulty["accepted"], faulty["program"]) == (False, None)
    assert faulty["attempts"][0]["errors"][0]["loc"] == ["response"]
    assert faulty["responses"] == {"share": None, "interval": [0.0, 1.0], "equal": 0, "of": 0}


def test_the_newest_version_of_the_agent_says_which_tools_there_are(desk: Desk) -> None:
    path = f"/api/agents/{desk.agent['id']}"
    desk.org.ok(desk.org.put(path, {"tools_schema": TOOLS[:1]}, params={"draft": "true"}))
    answer = desk.ask("replay", program=RIGHT)
    assert problem(answer, 422, "validation_failed")["errors"][0]["loc"] == ["tool"]
    desk.org.ok(desk.org.put(path, {"tools_schema": TOOLS}, params={"draft": "true"}))
    assert desk.replay(RIGHT)["accepted"]


def test_what_cannot_be_replayed_is_refused_with_its_place(desk: Desk, other_org: Org) -> None:
    near = problem(desk.ask("replay", program=RIGHT, tool="redirect_parcels"), 422, "validation_failed")
    assert near["errors"] == [
        {
            "loc": ["tool"],
            "msg": "the agent has no tool 'redirect_parcels'; did you mean 'redirect_parcel'?",
        }
    ]
    reads = [{"task": 1, "calls": [{"tool": "get_parcel", "args": {"parcel_id": "p1"}}]}]
    none = problem(desk.ask("replay", program=RIGHT, calls=reads), 422, "validation_failed")
    assert none["errors"][0]["loc"] == ["calls"]
    many = [{"task": 1, "calls": [{"tool": "get_parcel", "args": {}}] * 10_001}] * 2
    assert "at most 20000" in problem(desk.ask("propose", calls=many), 422, "validation_failed")["detail"]
    other = {**STATE, "depot": {**STATE["depot"], "south": {**STATE["depot"]["south"], "room": 7}}}
    path = f"/api/worlds/{desk.world['id']}"
    desk.org.ok(desk.org.put(path, {"initial_state": other}))
    misfit = problem(desk.ask("propose"), 422, "validation_failed")["errors"]
    assert [fault["loc"] for fault in misfit] == [
        ["calls", task, "calls", call, "changes"] for task, call in ((0, 0), (1, 0), (3, 3))
    ]
    assert misfit[0]["msg"] == (
        "task 'one', call 1: 'depot' 'south' was another before it, at $.room: expected 2, got 7; "
        "do the tasks start from this world?"
    )
    desk.org.ok(desk.org.put(path, {"initial_state": {"depot": STATE["depot"]}}))
    gone = problem(desk.ask("replay", program=RIGHT), 422, "validation_failed")["detail"]
    assert "'parcel' 'p1' was there before it, and is not here" in gone
    foreign = other_org.ok(other_org.post("/api/worlds", {"name": "theirs", "initial_state": STATE}))
    for world_id in (foreign["id"], 2**62, 2**63):
        problem(desk.ask("replay", program=RIGHT, world_id=world_id), 404, "not_found")
