"""`odyssey runs` as a person uses it: it asks a platform about runs that really happened."""

import json
import re
import subprocess
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import pytest
from rich.cells import cell_len
from support.agents import Answer, Dispatched, ScriptedAgent
from support.in_process import run_here
from support.platform import WORLD, Org, Platform
from support.process import ODYSSEY, clean_environment
from support.terminal import Terminal

RULES = [
    {"tool": "never_called", "response": None},
    {"tool": "get_order", "args": {"order_id": "ord_2"}, "error": {"code": "down", "message": "Later."}},
]
HOSTILE = "\x1b[31m[red]evil[/red]\x9b2J\u202egnp.exe\x07\u2066 :smile:"
LIMIT = 210
AFTER = r"\+\d+\.\d{3}s"
TOOK = r"(?:\d+ ms|\d+\.\d\d s|\d+ min \d\d s)"
"""On a machine of any speed."""


def tell(dispatched: Dispatched, event_type: str, payload: dict[str, Any]) -> None:
    url = f"{dispatched.body['odyssey_proxy_url']}/traces/{event_type}"
    httpx.post(
        url,
        json=payload,
        headers={"Authorization": f"Bearer {dispatched.token}"},
        trust_env=False,
        timeout=None,
    )


class Behaviour:
    """Does what the instruction names."""

    def __init__(self) -> None:
        self.is_hanging = threading.Event()
        self.release = threading.Event()

    def __call__(self, dispatched: Dispatched) -> Any:
        return getattr(self, dispatched.body["input"]["user_instruction"])(dispatched)

    def work(self, dispatched: Dispatched) -> Any:
        actor = {"X-Pipelines-Actor-Id": "supervisor/refunds"}
        dispatched.call("get_order", {"order_id": "ord_1"})
        dispatched.call("get_order", {"order_id": "ord_2"}, **actor)
        dispatched.call("update_order", {"order_id": "ord_2", "status": "cancelled"})
        dispatched.call("update_order", {"order_id": "ord_2", "status": "refunded"})
        dispatched.call("create_order", {"status": "new", "total": 3})
        dispatched.call("delete_order", {"order_id": "ord_1"})
        return {"final_response": "It is cancelled.", "messages": "not a list"}

    def misuse(self, dispatched: Dispatched) -> Any:
        dispatched.call("no such tool", {"order_id": "ord_1"})
        dispatched.call("get_order", {"order": 1})
        tell(dispatched, "thinking", {"text": "What now?"})
        tell(dispatched, "dreaming", {})
        return {"final_response": "I tried."}

    def attack(self, dispatched: Dispatched) -> Any:
        dispatched.call("update_order", {"order_id": "ord_2", "status": HOSTILE, HOSTILE: 1})
        dispatched.call("get_order", {"order_id": HOSTILE})
        return {"final_response": f"First.\n{HOSTILE}\n{'長い' * 80}"}

    def hurry(self, dispatched: Dispatched) -> Any:
        url = f"{dispatched.body['odyssey_proxy_url']}/tools/list_orders"
        with httpx.Client(
            headers={"Authorization": f"Bearer {dispatched.token}"}, trust_env=False, timeout=None
        ) as client:
            for _ in range(LIMIT + 7):
                client.post(url, json={})
        return {"final_response": "Done."}

    def crash(self, dispatched: Dispatched) -> Any:
        return Answer(500, b"out of \x1b[1mpatience")

    def hang(self, dispatched: Dispatched) -> Any:
        dispatched.call("update_order", {"order_id": "ord_2", "status": "held"})
        self.is_hanging.set()
        self.release.wait(60)
        return {"final_response": "Late."}


class Runs(NamedTuple):
    org: Org
    agent_id: int
    by_name: dict[str, int]

    def environment(self, **more: str) -> dict[str, str]:
        """Without a width, as a pipe is."""
        where = {"ODYSSEY_URL": self.org.platform.url, "ODYSSEY_API_KEY": self.org.api_key}
        return clean_environment(**{**where, **more})

    def cli(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return run_here("runs", *arguments, environment=self.environment(**environment))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    behaviour = Behaviour()
    agent = ScriptedAgent(behaviour)
    database = f"sqlite+aiosqlite:///{tmp_path_factory.mktemp('data') / 'odyssey.db'}"
    platform = Platform(database, rate_limit=LIMIT, drain_seconds=0.1)
    org = platform.new_org()
    registered = org.agent(agent.url)

    def start(name: str) -> int:
        seed = {"user_instruction": name, "initial_state": WORLD, "failure_rules": RULES}
        (run_id,) = org.start(registered, seed)
        return run_id

    by_name = {"hang": start("hang")}
    by_name |= {name: start(name) for name in ("work", "misuse", "attack", "hurry", "crash")}
    for name in ("work", "misuse", "attack", "hurry", "crash"):
        org.wait(by_name[name])
    assert behaviour.is_hanging.wait(60)
    org.ok(org.post(f"/api/runs/{by_name['hang']}/cancel"))
    org.wait(by_name["hang"])
    yield Runs(org, registered["id"], by_name)
    behaviour.release.set()
    agent.stop()
    platform.stop()


def show(runs: Runs, name: str, *options: str, **environment: str) -> str:
    shown = runs.cli("show", str(runs.by_name[name]), *options, **environment)
    assert shown.returncode == 0, shown.stderr
    assert shown.stderr == ""
    return shown.stdout


def test_a_completed_run_is_told_in_order_with_sources_and_changes(runs: Runs) -> None:
    said = show(runs, "work")
    lines = said.splitlines()
    assert lines[0] == f"Run {runs.by_name['work']}  completed  verdict NOT APPLICABLE"
    for expected in (
        r"  agent +\d+ version 1",
        r"  attempts +1 completed",
        rf"  time +{TOOK}",
        rf"#1 +{AFTER}  dispatch +http://127\.0\.0\.1:\d+/dispatch",
        r'      user says +"work"',
        rf"#2 +{AFTER}  tool_call +get_order  odyssey  {TOOK}",
        r'      arguments +\{"order_id": "ord_1"\}',
        r'      response +\{"order_id": "ord_1", "status": "shipped", "total": 79.5\}',
        rf"#3 +{AFTER}  tool_call +get_order  injected  rule 1  {TOOK}  actor supervisor/refunds",
        r'      response +\{"error": \{"code": "down", "message": "Later."\}\}',
        r'      update order ord_2: status "pending" → "cancelled"',
        r'      update order ord_2: status "cancelled" → "refunded"',
        r'      add order \S+: .*status "new".*',
        r"      remove order ord_1: .*",
        rf"#8 +{AFTER}  reply +accepted",
        r'      agent says +"It is cancelled."',
        r"Calls: 5 odyssey, 1 injected",
        r"Ledger: 1 changed, 1 added, 1 removed",
        r'  changed order ord_2: status "pending" → "refunded"',
        r"  added order \S+: .*",
        r"  - messages_malformed: .*",
        r"Final response:",
        r"  It is cancelled\.",
    ):
        found = next((number for number, line in enumerate(lines) if re.fullmatch(expected, line)), None)
        assert found is not None, f"{expected}\n{said}"
        lines = lines[found + 1 :]


def test_refused_calls_say_why(runs: Runs) -> None:
    said = show(runs, "misuse")
    assert re.search(r'tool_call +"no.*such.*tool"  refused  HTTP 404 tool_unknown\n', said)
    assert re.search(r"tool_call +get_order  refused  HTTP 422 arguments_invalid\n", said)
    assert re.search(r'arguments +\{"order": 1\}\n +detail +"', said)
    assert re.search(r'trace_event +thinking\n +text +"What now\?"\n', said)
    assert re.search(r"trace_event +dreaming  refused  HTTP 400 trace_event_type_invalid\n", said)
    assert "Calls: 2 refused" in said
    assert "Ledger: unchanged" in said


def test_a_long_trace_is_read_page_by_page_and_surplus_calls_are_counted(runs: Runs) -> None:
    said = show(runs, "hurry")
    numbers = [int(number) for number in re.findall(r"^#(\d+)", said, re.MULTILINE)]
    assert numbers == list(range(1, LIMIT + 4))
    assert re.search(r"tool_call +×7 rate_limited  HTTP 429\n", said)
    assert f"Calls: {LIMIT} odyssey, 7 refused" in said


def test_a_failed_run_names_its_error(runs: Runs) -> None:
    said = show(runs, "crash")
    assert "failed  verdict" in said
    assert "  error     agent_5xx (HTTP 500): out of \\x1b[1mpatience" in said
    assert re.search(r"reply +agent_5xx  HTTP 500", said)
    assert "Final response" not in said


def test_a_cancelled_run_shows_what_it_had_done(runs: Runs) -> None:
    said = show(runs, "hang")
    assert "cancelled  verdict" in said
    assert "  attempts  1 cancelled\n" in said
    assert 'update order ord_2: status "pending" → "held"' in said
    assert "Ledger: 1 changed\n" in said
    assert "reply" not in said


def test_json_is_what_the_api_says(runs: Runs) -> None:
    for name in ("hurry", "attack"):
        run_id = runs.by_name[name]
        said = show(runs, name, "--json")
        path = f"/api/runs/{run_id}"
        assert json.loads(said) == {
            "run": runs.org.ok(runs.org.get(path)),
            "events": runs.org.trace(run_id),
            "difference": runs.org.ok(runs.org.get(f"{path}/ledger/diff")),
        }
        assert said.isascii()
        assert "\x1b" not in said


@pytest.mark.parametrize("options", [(), ("--full",)])
def test_hostile_text_is_shown_and_not_obeyed(runs: Runs, options: tuple[str, ...]) -> None:
    said = show(runs, "attack", *options, FORCE_COLOR="1")
    assert not [char for char in said if char != "\n" and not char.isprintable()]
    assert r'"pending" → "\u001b[31m[red]evil[/red]\x9b2J\u202egnp.exe\u0007\u2066 :smile:"' in said
    assert "\n  First.\n  \\x1b[31m[red]evil[/red]\\x9b2J\\u202egnp.exe\\x07\\u2066 :smile:\n" in said


def test_it_fits_a_narrow_width_and_full_cuts_nothing(runs: Runs) -> None:
    for name in ("work", "attack"):
        narrow = show(runs, name, COLUMNS="60")
        assert max(cell_len(line) for line in narrow.splitlines()) <= 60, narrow
    assert "What ends in … was cut; --full prints it whole." in narrow
    full = show(runs, "attack", "--full", COLUMNS="60")
    assert "…" not in full
    assert "長い" * 80 in full


@pytest.mark.parametrize(("no_color", "is_coloured"), [("", True), ("1", False)])
def test_colour_only_on_a_terminal_that_wants_it(runs: Runs, no_color: str, is_coloured: bool) -> None:
    environment = runs.environment(NO_COLOR=no_color, TERM="xterm-256color", COLUMNS="100")
    shown = Terminal(ODYSSEY, "runs", "show", str(runs.by_name["work"]), environment=environment)
    assert shown.end() == 0
    assert (b"\x1b[33minjected" in shown.said) is is_coloured
    assert (b"\x1b" in shown.said) is is_coloured


def test_the_list_filters_and_is_readable_by_programs(runs: Runs) -> None:
    listed = runs.cli("list")
    heading, *rows = listed.stdout.splitlines()
    columns = ["id", "status", "verdict", "failure mode", "agent", "created", "duration", "error class"]
    assert re.split(" {2,}", heading) == columns
    assert [int(row.split()[0]) for row in rows] == sorted(runs.by_name.values(), reverse=True)
    crashed = next(row for row in rows if row.startswith(f"{runs.by_name['crash']} "))
    assert re.fullmatch(
        rf"\d+ +failed +NOT APPLICABLE +\d+ v1 +[\d-]{{10}} [\d:]{{8}} +{TOOK} +agent_5xx", crashed
    )

    filters = ("--status", "completed", "--agent", str(runs.agent_id), "--limit", "2")
    found = runs.cli("list", "--json", *filters)
    query = {"status": "completed", "agent_id": runs.agent_id, "limit": 2}
    assert json.loads(found.stdout) == runs.org.ok(runs.org.get("/api/runs", params=query))
    cut = runs.cli("list", *filters)
    assert len(cut.stdout.splitlines()) == 4
    assert "--limit 4" in cut.stdout.splitlines()[-1]


def test_flags_win_over_the_environment_and_the_older_variable_works(runs: Runs) -> None:
    url, key = runs.org.platform.url, runs.org.api_key
    wrong = {"ODYSSEY_URL": "http://127.0.0.1:1", "ODYSSEY_API_KEY": "pk_live_wrong"}
    assert runs.cli("list", "--url", url, "--api-key", key, **wrong).returncode == 0
    older = clean_environment(ODYSSEY_URL=url, PIPELINES_API_KEY=key)
    assert run_here("runs", "list", environment=older).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "environment", "sentence"),
    [
        (["show", "123456", "--json"], {}, r"There is no run 123456\."),
        (["show", "1"], {"ODYSSEY_API_KEY": "pk_live_" + "0" * 40}, r"\S+ refused the API key: .+"),
        (["list"], {"ODYSSEY_URL": "http://me:pass@127.0.0.1:1"}, r"http://127\.0\.0\.1:1 cannot be .+"),
    ],
)
def test_a_failure_is_one_sentence(
    runs: Runs, arguments: list[str], environment: dict[str, str], sentence: str
) -> None:
    failed = runs.cli(*arguments, **environment)
    assert failed.returncode == 2
    assert failed.stdout == ""
    assert re.fullmatch(rf"odyssey: {sentence}\n", failed.stderr), failed.stderr
    assert "pk_live_0" not in failed.stderr
    assert runs.org.api_key not in failed.stderr
