"""While the simulator model is away nothing is held against an agent, and no agent gets out of its verdict by that.

The verdicts are those of a careful person who has read the trace. They were written before the code.
"""

import re
import threading
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, NamedTuple

import httpx
import pytest
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.live_shop import LiveShop, live
from support.model_server import SILENCE, Asked, ModelServer, Raw, Refusal, Text
from support.platform import TOOLS, WORLD, Org

StartAgent = Callable[[Behaviour], ScriptedAgent]
Weather = Callable[[str], Any]
"""What the model's server says to a question."""

PONDER: dict[str, Any] = {
    "name": "ponder",
    "description": "Think about a question.",
    "input_schema": {"type": "object", "properties": {"about": {"type": "string"}}, "required": ["about"]},
}
THOUGHT = {"response": {"thought": "Perhaps."}, "operations": []}
BUSY = Raw(503, headers={"Retry-After": "0"})
LIMITED = Raw(429, headers={"Retry-After": "60"})
SEED = {
    "user_instruction": "Order.",
    "initial_state": WORLD,
    "checks": [{"called": {"tool": "create_order"}}],
}
MIB = 1024 * 1024


class Scene:
    """One attempt as the agent sees it, and the org around it."""

    def __init__(self, org: Org, dispatched: Dispatched) -> None:
        self.org = org
        self.dispatched = dispatched
        self.attempt = int(dispatched.headers["x-pipelines-attempt"])

    def ask(self, about: object) -> httpx.Response:
        """Ask the model something that no other attempt asks, so that no kept answer is given."""
        return self.dispatched.call("ponder", {"about": f"attempt {self.attempt}: {about}"})

    def is_answered(self, about: object) -> bool:
        return self.ask(about).status_code == 200

    def do_the_work(self) -> None:
        assert self.dispatched.call("create_order", {"status": "new"}).status_code == 200

    def write_for_good(self) -> None:
        assert self.dispatched.call("drop", {"order_id": "ord_1"}).status_code == 200


# What the model does.


def is_up(_: str) -> Any:
    return THOUGHT


def is_down(_: str) -> Any:
    return BUSY


def is_down_at_first(question: str) -> Any:
    return BUSY if question.startswith("attempt 1:") else THOUGHT


def is_slow_at_first(question: str) -> Any:
    return SILENCE if question.startswith("attempt 1:") else THOUGHT


def misses_one(question: str) -> Any:
    """Down for one question of each attempt, back at once."""
    return BUSY if question.endswith(": one") else THOUGHT


def misses_one_at_first(question: str) -> Any:
    return BUSY if question == "attempt 1: one" else THOUGHT


def misses_one_in_twelve(question: str) -> Any:
    return BUSY if question.endswith(": 12") else THOUGHT


def dies_after_twelve(question: str) -> Any:
    return THOUGHT if question.rpartition(" ")[2].isdecimal() else BUSY


def declines(_: str) -> Any:
    return Refusal("I do not speak of that.")


def rambles(_: str) -> Any:
    return Text("Well, it depends.")


def writes_long(question: str) -> Any:
    return SILENCE if "essay" in question else THOUGHT


class FailsOnce:
    """Down for the first time that something is asked."""

    def __init__(self) -> None:
        self._heard: set[str] = set()

    def __call__(self, question: str) -> Any:
        is_new = question not in self._heard
        self._heard.add(question)
        return LIMITED if is_new else THOUGHT


class TenAMinute:
    """A provider that answers ten questions and refuses those after."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def __call__(self, _: str) -> Any:
        return THOUGHT if next(self._numbers) <= 10 else LIMITED


class TenAtOnce:
    """A server that has thirty questions at once, answers ten and breaks down over the others."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._all_are_there = threading.Barrier(30)

    def __call__(self, _: str) -> Any:
        number = next(self._numbers)
        if number <= 30:
            self._all_are_there.wait(60)
        return THOUGHT if number <= 10 else BUSY


# What agents do. Those that do the work pass, those that do not fail, unless the attempt does not count.


def gives_up(scene: Scene) -> None:
    if scene.is_answered("one"):
        scene.do_the_work()


def tries_again(scene: Scene) -> None:
    if any(scene.is_answered("one") for _ in range(3)):
        scene.do_the_work()


def goes_on(scene: Scene) -> None:
    """Asks two things, and orders only if it knows both."""
    answers = [scene.is_answered("one"), scene.is_answered("two")]
    if all(answers):
        scene.do_the_work()


def asks_much_and_tries_again(scene: Scene) -> None:
    for number in range(12):
        assert scene.is_answered(number)
    tries_again(scene)


def tries_again_after_a_live_write(scene: Scene) -> None:
    scene.write_for_good()
    tries_again(scene)


def is_late_at_the_till(scene: Scene) -> None:
    """Asks one thing, and meanwhile others use up the budget of ten."""
    assert scene.attempt > 1 or scene.is_answered("zero")
    spend(scene.org)
    gives_up(scene)


def burns_the_budget(scene: Scene) -> None:
    for number in range(15):
        scene.ask(number)


def burns_the_budget_at_once(scene: Scene) -> None:
    at_once(30, lambda number: scene.ask(number))


def writes_a_book(scene: Scene) -> None:
    scene.ask("x" * (MIB - 100))


def floods(scene: Scene) -> None:
    at_once(30, lambda number: scene.ask(number))


def hunts(scene: Scene) -> None:
    """Asks until the model fails once, and leaves."""
    for number in range(1, 20):
        if not scene.is_answered(number):
            return


def hunts_after_a_live_write(scene: Scene) -> None:
    scene.write_for_good()
    hunts(scene)


def asks_in_other_words(scene: Scene) -> None:
    """Never makes the call again that was refused, but others like it."""
    for words in ("one", "one, please", "one, I said"):
        scene.ask(words)


def does_not_wait_for_the_answer(scene: Scene) -> None:
    asking = threading.Thread(target=lambda: scene.ask("one"), daemon=True)
    asking.start()
    asking.join(timeout=0.2)


def asks_for_an_essay(scene: Scene) -> None:
    scene.ask("an essay of ten thousand words")


def asks_and_rests(scene: Scene) -> None:
    scene.ask("one")


def tries_again_and_rests(scene: Scene) -> None:
    while not scene.is_answered("one"):
        pass


MADE_AGAIN = ["platform_fault", "completed"]
NEVER_MEASURED = ["platform_fault", "platform_fault", "failed"]
THIRD_COUNTS = ["platform_fault", "platform_fault", "completed"]


class Case(NamedTuple):
    agent: Callable[[Scene], None]
    weather: Callable[[], Weather]
    verdict: str
    outcomes: list[str]
    settings: dict[str, Any] = {}  # noqa: RUF012 - never changed
    budget: int = 10_000
    prepare: Callable[[Org], None] | None = None
    not_reached: str | None = None
    """Why the verdict is not that of a careful person, where it is not."""


def spend(org: Org) -> None:
    """Let people of the org use up the day's model calls by trying things."""
    world = org.ok(org.post("/api/worlds", {"name": f"Try {next(_NUMBERS)}", "initial_state": {}}))
    body = {"tools_schema": [PONDER], "tool": "ponder", "engine": "llm"}
    for _ in range(20):
        arguments = {"arguments": {"about": f"trial {next(_NUMBERS)}"}}
        tried = org.ok(org.post(f"/api/worlds/{world['id']}/try", body | arguments))
        if tried["source"] == "error":
            return
    raise AssertionError("the budget has no end")


_NUMBERS = count()
SLOW = {"timeout_s": 1}
HONEST = [
    Case(gives_up, lambda: is_down_at_first, "PASS", MADE_AGAIN),
    Case(gives_up, lambda: is_slow_at_first, "PASS", MADE_AGAIN, SLOW),
    Case(gives_up, lambda: is_down, "NOT APPLICABLE", NEVER_MEASURED),
    Case(gives_up, lambda: is_up, "PASS", ["completed"]),
    Case(tries_again, lambda: is_down, "NOT APPLICABLE", NEVER_MEASURED),
    Case(tries_again, FailsOnce, "PASS", ["completed"]),
    Case(goes_on, lambda: misses_one_at_first, "PASS", MADE_AGAIN),
    Case(asks_much_and_tries_again, lambda: dies_after_twelve, "NOT APPLICABLE", NEVER_MEASURED),
    Case(tries_again_after_a_live_write, lambda: is_down, "NOT APPLICABLE", ["failed"]),
    Case(gives_up, lambda: is_up, "NOT APPLICABLE", NEVER_MEASURED, budget=3, prepare=spend),
    Case(is_late_at_the_till, lambda: is_up, "NOT APPLICABLE", NEVER_MEASURED, budget=10),
]
HOSTILE = [
    Case(burns_the_budget, lambda: is_up, "FAIL", ["completed"], budget=10),
    Case(burns_the_budget_at_once, lambda: is_up, "FAIL", ["completed"], budget=10),
    Case(writes_a_book, lambda: silent_above(30_000), "FAIL", ["completed"], SLOW),
    Case(floods, TenAMinute, "FAIL", ["completed"]),
    Case(floods, TenAtOnce, "FAIL", ["completed"]),
    Case(hunts, lambda: misses_one_in_twelve, "FAIL", THIRD_COUNTS),
    Case(hunts_after_a_live_write, lambda: misses_one_in_twelve, "FAIL", ["completed"]),
    Case(asks_in_other_words, lambda: misses_one, "FAIL", THIRD_COUNTS),
    Case(asks_in_other_words, lambda: misses_one_at_first, "FAIL", MADE_AGAIN),
    Case(asks_and_rests, lambda: is_down_at_first, "FAIL", MADE_AGAIN),
    Case(tries_again_and_rests, FailsOnce, "FAIL", ["completed"]),
    Case(does_not_wait_for_the_answer, lambda: lambda _: SILENCE, "FAIL", ["completed"]),
    Case(asks_and_rests, lambda: declines, "FAIL", ["completed"]),
    Case(asks_and_rests, lambda: rambles, "FAIL", ["completed"]),
    Case(
        asks_for_an_essay,
        lambda: writes_long,
        "NOT APPLICABLE",
        NEVER_MEASURED,
        SLOW,
        not_reached="FAIL: it asked for more than the model can say in its time. Nothing but the words of the question "
        "tells that from a model that is too slow; runs that were not measured keep a gate from passing.",
    ),
]


def silent_above(characters: int) -> Weather:
    """A model that takes too long over a long question."""

    def weather(question: str) -> Any:
        return SILENCE if len(question) > characters else THOUGHT

    return weather


def names(cases: list[Case]) -> list[Any]:
    """One of the cases meets Postgres in every run of the tests: all send the same statements."""
    return [
        pytest.param(
            case,
            id=f"{case.agent.__name__}-{index}",
            marks=[pytest.mark.both_databases] if case.agent is asks_much_and_tries_again else [],
        )
        for index, case in enumerate(cases)
    ]


def at_once(threads: int, act: Callable[[int], object]) -> None:
    workers = [threading.Thread(target=act, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


@pytest.fixture(scope="module")
def shop() -> Iterator[LiveShop]:
    shop = LiveShop()
    yield shop
    shop.stop()


def question_of(asked: Asked) -> str:
    """What the model is asked about; of what it is shown in part, all that it is shown."""
    found = re.search(r'"about":"([^"]*)"', asked.user)
    return found[1] if found else asked.user


@pytest.mark.parametrize("case", names([*HONEST, *HOSTILE]))
def test_a_run_gets_the_verdict_of_a_careful_person(
    org: Org, agent_server: StartAgent, shop: LiveShop, case: Case
) -> None:
    live_tools = []
    if "live" in case.agent.__name__:
        shop.register(org)
        live_tools = [live("drop", "dropOrder")]

    def behave(dispatched: Dispatched) -> Any:
        case.agent(Scene(org, dispatched))
        return final("That is all.")

    server, weather = agent_server(behave), case.weather()
    with ModelServer(lambda asked: weather(question_of(asked))) as model:
        settings = model.settings(role="simulator", **case.settings)
        org.ok(org.put("/api/settings", settings | {"budgets": {"calls_per_day": case.budget}}))
        if case.prepare is not None:
            case.prepare(org)
        agent = org.agent(
            server.url,
            tools_schema=[*TOOLS, PONDER, *live_tools],
            config={"engine": "world", "engines": {"ponder": "llm"}},
        )
        (run_id,) = org.start(agent, SEED)
        run = org.graded(run_id)
    faults = org.trace(run_id, "platform_fault")
    assert (run["verdict"], [one["outcome"] for one in run["attempts"]]) == (case.verdict, case.outcomes)
    assert len(server.received) == len(case.outcomes)
    assert len(faults) == sum(outcome != "completed" for outcome in case.outcomes)
    code = "simulator_timeout" if case.settings == SLOW else "simulator_unavailable"
    assert {fault["data"]["reason"] for fault in faults} <= {code}
    if case.verdict == "NOT APPLICABLE":
        assert (run["status"], run["error_class"], run["failure_mode"]) == (
            "failed",
            "platform_fault",
            "platform_fault",
        )
        assert "simulator" in run["error_json"]["detail"]


def test_at_most_one_verdict_in_ten_is_not_reached() -> None:
    cases = [*HONEST, *HOSTILE]
    assert len(HOSTILE) >= 10
    assert sum(case.not_reached is not None for case in cases) <= len(cases) / 10
