"""What calls and runs cost, counted without a clock: it neither rises nor falls unseen.

Lines are those of Python that the platform's threads execute, in its own modules and in libraries; statements are those
that SQLite runs. `benchmarks/` measures how long it all takes.
"""

import asyncio
import json
import queue
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from benchmarks.calls import READ, TOOLS_SCHEMA, UPDATE, orders
from benchmarks.echo import bare
from benchmarks.passthrough.live_platform import DOCUMENT, live_tool
from support.asgi import Served
from support.counting import Cost, Counter
from support.evals import RUNS, scenario
from support.experiments import start_matrix
from support.platform import Org, Platform

from pipelines.odyssey import Envelope, dispatch_app

RECORDED_ON = (3, 11)
NEAR, NEAR_ELSEWHERE = 0.03, 0.06
"""Shares that lines may differ by; Python 3.12 and 3.13 count up to 5 % fewer, as they inline comprehensions."""
RECORDED = {
    "a simulated read": Cost(lines=1316, statements=4),
    "a simulated write": Cost(lines=3781, statements=5),
    "an answer by a failure rule": Cost(lines=616, statements=4),
    "a passthrough call": Cost(lines=2464, statements=9),
    "a run of a matrix": Cost(lines=28263, statements=39),
}
TIMERS = {
    "odyssey.evals.eval_runs.observe._PAUSE_S": 0.0,
    "odyssey.runs.verdicts.graders._PAUSE_S": 0.0,
    "odyssey.campaigns.loop._WHILE_RUNNING_S": 3600.0,
}
"""Set so that what is done depends on what has happened, and not on how long it took."""
LIVE = "update_live_order"
REFUSED = {"tool": READ, "args": {"order_id": "ord_13"}, "response": {"error": "out of order"}}
TIMES = 8


class Held(NamedTuple):
    """A run whose agent has not answered yet."""

    dispatched: Envelope
    answer: Callable[[], object]


class Agent:
    """Hands out every run and answers when it is told to."""

    def __init__(self) -> None:
        self.runs: queue.Queue[Held] = queue.Queue()
        self._served = Served(dispatch_app(self._hold, None))
        self.url, self.stop = self._served.url, self._served.stop

    async def _hold(self, dispatched: Envelope) -> str:
        told = asyncio.Event()
        self.runs.put(Held(dispatched, partial(asyncio.get_running_loop().call_soon_threadsafe, told.set)))
        await told.wait()
        return '{"decision": "refuse"}'

    def next(self) -> Held:
        return self.runs.get(timeout=60)


class Watched:
    """A platform whose work is counted, with an agent and a run that is open."""

    def __init__(self, counter: Counter, platform: Platform, org: Org, agent: Agent, run: Held) -> None:
        self.org = org
        self.agent = agent
        self._counter = counter
        self._platform = platform
        self._run = run.dispatched

    def call(self, tool: str, **arguments: Any) -> Any:
        """Make a tool call of the open run, with no socket between."""
        proxy = urlsplit(self._run.proxy_url)
        headers = {
            "host": proxy.netloc,
            "content-type": "application/json",
            "x-pipelines-run-token": self._run.run_token,
        }
        body = json.dumps(arguments).encode()
        posting = post(self._platform.front, f"{proxy.path}/tools/{tool}", headers, body)
        status, answer = self._platform.do(posting)
        assert status == 200, answer
        return json.loads(answer)

    def least(self, act: Callable[[], None]) -> Cost:
        """Count several times over, all of it warm: what the platform does beside only ever adds."""

        def act_to_the_end() -> None:
            act()
            self._platform.do(self._counter.quiet(self._platform.database))

        for _ in range(2):
            act_to_the_end()
        costs = [self._counter.cost(act_to_the_end) for _ in range(TIMES)]
        return Cost(*map(min, zip(*costs, strict=True)))


async def post(app: Any, path: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
    """Send a request to an ASGI application; returns the status and the body of its answer."""
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "server": ("127.0.0.1", 80),
        "client": ("127.0.0.1", 1),
    }
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return sent[0]["status"], b"".join(message["body"] for message in sent[1:])


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    database = f"sqlite+aiosqlite:///{tmp_path_factory.mktemp('costs') / 'odyssey.db'}"
    with ExitStack() as stack:
        clocks = stack.enter_context(pytest.MonkeyPatch.context())
        for name, seconds in TIMERS.items():
            clocks.setattr(name, seconds)
        # The agent and the service are there before anything is counted, so their threads are not.
        agent, service = Agent(), stack.enter_context(Served(bare))
        stack.callback(agent.stop)
        counter = stack.enter_context(Counter().watching())
        platform = Platform(database, rate_limit=10**9, lease_seconds=3600)
        stack.callback(platform.stop)
        org = platform.new_org()
        config = {"base_url": service.url, "spec": DOCUMENT, "auth": {"type": "none"}}
        endpoint = {"name": "orders", "type": "http_openapi", "config": config}
        live = live_tool(LIVE, org.ok(org.post("/api/tool-endpoints", endpoint))["id"])
        registered = org.agent(agent.url, tools_schema=[*TOOLS_SCHEMA, live])
        world = {"order": {order["order_id"]: order for order in orders()}}
        org.start(
            registered, {"user_instruction": "Wait.", "initial_state": world, "failure_rules": [REFUSED]}
        )
        run = agent.next()
        yield Watched(counter, platform, org, agent, run)
        run.answer()


def check(what: str, found: Cost) -> None:
    """Compare with what is recorded; less is not let pass either, or the next rise would hide in it."""
    recorded, near = RECORDED[what], NEAR if sys.version_info[:2] == RECORDED_ON else NEAR_ELSEWHERE
    advice = (
        f"{what} takes {found.lines} lines and {found.statements} statements; recorded are {recorded.lines} and "
        f"{recorded.statements}. If the change is meant, write it into RECORDED ({__file__}) and say why in the commit."
    )
    assert found.statements == recorded.statements, advice
    assert abs(found.lines - recorded.lines) <= near * recorded.lines, advice


def test_a_simulated_read(watched: Watched) -> None:
    def read() -> None:
        assert watched.call(READ, order_id="ord_17")["response"]["customer"] == "cus_17"

    check("a simulated read", watched.least(read))


def test_a_simulated_write(watched: Watched) -> None:
    statuses = iter(["shipped", "pending"] * TIMES)

    def write() -> None:
        status = next(statuses)
        assert watched.call(UPDATE, order_id="ord_17", status=status)["response"]["status"] == status

    check("a simulated write", watched.least(write))


def test_an_answer_by_a_failure_rule(watched: Watched) -> None:
    def read() -> None:
        assert watched.call(READ, order_id="ord_13")["matched_rule_index"] == 0

    check("an answer by a failure rule", watched.least(read))


def test_a_passthrough_call(watched: Watched) -> None:
    def write() -> None:
        assert watched.call(LIVE, order_id="ord_17", status="shipped")["source"] == "passthrough"

    check("a passthrough call", watched.least(write))


def test_a_run_of_a_matrix(watched: Watched) -> None:
    """One run at a time: from the answer of its agent, over what is observed of it, to the dispatch of the next."""
    runs = {"repeats": 4, "baseline_repeats": TIMES, "max_concurrency": 1}
    start_matrix(watched.org, [scenario(watched.org)["id"]], "time_pressure", **runs)
    held = [watched.agent.next()]

    def answer() -> None:
        held.pop().answer()
        held.append(watched.agent.next())

    found = watched.least(answer)
    shown = watched.org.ok(watched.org.get(RUNS, params={"limit": 200}))["items"]
    ended = [run["observed_at"] for run in shown if run["status"] == "completed"]
    assert len(ended) == TIMES + 2
    assert None not in ended
    check("a run of a matrix", found)


@pytest.mark.parametrize(("lines", "statements"), [(1.1, 0), (0.9, 0), (1.0, 1), (1.0, -1)])
def test_a_cost_that_rises_or_falls_is_named(lines: float, statements: int) -> None:
    recorded = RECORDED["a simulated read"]
    check("a simulated read", recorded)
    found = Cost(int(recorded.lines * lines), recorded.statements + statements)
    with pytest.raises(AssertionError, match="write it into RECORDED"):
        check("a simulated read", found)
