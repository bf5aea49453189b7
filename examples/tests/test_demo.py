"""The parts of the demo that need no platform."""

import importlib
import json
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest

from pipelines.odyssey.cli.experiment import read_experiment

DESK = Path(__file__).resolve().parent.parent / "support-desk"


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(DESK))
    return importlib.import_module("demo")


@pytest.fixture
def tickets(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(DESK))
    return importlib.import_module("tickets")


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(DESK))
    return importlib.import_module("services")


@pytest.fixture
def pressure(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(DESK))
    return importlib.import_module("pressure")


def platform_answering(demo: ModuleType, handler: Callable[[httpx.Request], httpx.Response]) -> Any:
    return demo.Platform(httpx.Client(base_url="http://platform", transport=httpx.MockTransport(handler)))


def test_a_new_data_folder_gets_a_key_only_its_owner_reads(demo: ModuleType, tmp_path: Path) -> None:
    data = tmp_path / "data"
    key, env = demo.api_key_for(data)
    assert len(key) == len("pk_live_") + 40
    assert int(key.removeprefix("pk_live_"), 16)
    assert env == {"ODYSSEY_BOOTSTRAP_API_KEY": key}
    assert stat.S_IMODE((data / demo.KEY_FILE).stat().st_mode) == 0o600
    assert demo.api_key_for(data) == (key, env), "a first start that failed is still a first start"


def test_a_used_data_folder_keeps_its_key(demo: ModuleType, tmp_path: Path) -> None:
    key, _ = demo.api_key_for(tmp_path)
    (tmp_path / "odyssey.db").touch()
    assert demo.api_key_for(tmp_path) == (key, {})


def test_a_used_data_folder_without_a_key_is_an_error(demo: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "odyssey.db").touch()
    with pytest.raises(demo.DemoError, match="Remove the folder"):
        demo.api_key_for(tmp_path)


def test_a_problem_is_told_by_its_detail(demo: ModuleType) -> None:
    problem = {"detail": "Two tools are wrong.", "errors": [{"loc": ["tools_schema", 0], "msg": "no name"}]}
    platform = platform_answering(demo, lambda _: httpx.Response(422, json=problem))
    with pytest.raises(demo.DemoError, match=r"answered 422: Two tools are wrong\. – no name"):
        platform.ask("POST", "/api/agents")


def test_an_answer_that_is_no_json_is_an_error(demo: ModuleType) -> None:
    platform = platform_answering(demo, lambda _: httpx.Response(502, text="<html>"))
    with pytest.raises(demo.DemoError, match="answered 502 without JSON"):
        platform.ask("GET", "/api/agents")


def test_lists_are_read_to_their_end(demo: ModuleType) -> None:
    def pages(request: httpx.Request) -> httpx.Response:
        start = int(request.url.params.get("cursor", "0"))
        following = str(start + 1) if start < 2 else None
        return httpx.Response(200, json={"items": [{"id": start}], "next_cursor": following})

    platform = platform_answering(demo, pages)
    assert [item["id"] for item in platform.items("/api/agents")] == [0, 1, 2]


@pytest.mark.parametrize(
    ("known", "expected"),
    [([], ("POST", "/api/agents")), ([{"id": 7, "name": "Support desk"}], ("PUT", "/api/agents/7"))],
)
def test_an_agent_is_registered_or_updated_with_its_secret(
    demo: ModuleType, known: list[dict[str, Any]], expected: tuple[str, str]
) -> None:
    sent: list[tuple[str, str]] = []

    def handler(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return httpx.Response(200, json={"items": known, "next_cursor": None})
        sent.append((request.method, request.url.path))
        if request.url.path.endswith("/test-connection"):
            return httpx.Response(200, json={"ok": True, "status": 200, "latency_ms": 1, "detail": ""})
        if request.url.path.endswith("/publish"):
            return httpx.Response(200, json={"id": 7})
        config = json.loads(request.content)["config"]
        assert config["auth_header_value"] == "Bearer t"
        assert config["endpoint_url"] == "http://agent/dispatch"
        return httpx.Response(200, json={"id": 7})

    assert demo.register(platform_answering(demo, handler), "http://agent/dispatch", "t") == 7
    assert sent == [expected, ("POST", "/api/agents/7/test-connection"), ("POST", "/api/agents/7/publish")]


@pytest.mark.parametrize(
    ("known", "sent"),
    [
        ([], [("POST", "/api/worlds"), ("POST", "/api/datasets")]),
        (
            [{"id": 3, "name": "Support desk"}, {"id": 4, "name": "Support desk tickets"}],
            [("PUT", "/api/worlds/3"), ("PUT", "/api/datasets/4")],
        ),
    ],
)
def test_the_world_is_kept_before_the_table_that_names_it(
    demo: ModuleType, known: list[dict[str, Any]], sent: list[tuple[str, str]]
) -> None:
    seen: list[tuple[str, str]] = []

    def handler(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return httpx.Response(200, json={"items": known, "next_cursor": None})
        seen.append((request.method, request.url.path))
        if "datasets" in request.url.path:
            assert request.headers["Content-Type"] == "text/csv"
            assert request.url.params["name"] == "Support desk tickets"
            assert request.content == (DESK / "tickets.csv").read_bytes()
        else:
            assert json.loads(request.content)["initial_state"]["order"]["ord_1001"]
        return httpx.Response(200, json={"id": 9})

    assert demo.upload(platform_answering(demo, handler)) == 9
    assert seen == sent


def test_the_runs_of_a_batch_are_named_by_their_rows(demo: ModuleType) -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        assert json.loads(request.content) == {"agent_id": 7, "dataset_id": 9}
        runs = [{"id": 100 + place, "status": "pending"} for place in range(8)]
        return httpx.Response(202, json={"runs": runs, "batch": {"id": 5}})

    batch_id, tickets = demo.start_runs(platform_answering(demo, handler), 7, 9)
    assert batch_id == 5
    assert [ticket.run["id"] for ticket in tickets] == list(range(100, 108))
    assert tickets[0].name == "refund a shipped order"


def tool_call(attempt: int, source: str, *operations: dict[str, Any]) -> dict[str, Any]:
    return {
        "kind": "tool_call",
        "attempt": attempt,
        "data": {"source": source, "operations": list(operations)},
    }


def test_the_trace_is_counted_by_source_for_the_last_attempt(tickets: ModuleType) -> None:
    run = {"id": 1, "status": "completed", "verdict": "PASS", "final_response": "[red]Done."}
    ticket = tickets.Ticket("t", run)
    change = {"op": "update", "entity_type": "order", "id": "ord_1", "fields": {"status": "refunded"}}
    payment = {"op": "add", "entity_type": "payment", "id": "pay_1", "fields": {"kind": "refund"}}
    ticket.read_trace(
        [
            tool_call(1, "odyssey", change),
            {"kind": "dispatch", "attempt": 2, "data": {}},
            tool_call(2, "injected"),
            tool_call(2, "odyssey", change, payment),
            {"kind": "tool_call", "attempt": 2, "data": {"http_status": 422, "operations": None}},
        ]
    )
    assert ticket.sources == {"injected": 1, "odyssey": 1, "refused": 1}
    assert ticket.changes == ["order ord_1: status=refunded", "add payment pay_1"]
    assert tickets.table_of([ticket]).row_count == 1


def test_a_flag_is_described_by_its_name(tickets: ModuleType) -> None:
    assert tickets.describe_operation({"op": "set_flag", "flag": "vip"}) == "set_flag vip"


def test_a_run_has_ended_when_it_has_its_verdict(tickets: ModuleType) -> None:
    waiting = tickets.Ticket("t", {"status": "completed", "verdict": "PENDING"})
    assert not waiting.ended
    assert waiting.outcome == "completed"
    failed: dict[str, Any] = {"status": "completed", "verdict": "FAIL", "failure_mode": "check_failed"}
    failed["grades"] = [{"reason": "First."}, {"reason": "Check 1 failed: 1.5 is no 2. No judge was asked."}]
    ticket = tickets.Ticket("t", failed)
    assert ticket.ended
    assert ticket.outcome == "FAIL (check_failed)"
    assert ticket.reason == "Check 1 failed: 1.5 is no 2"


def test_a_ticket_that_ends_otherwise_than_it_always_does_is_named(
    demo: ModuleType, tickets: ModuleType
) -> None:
    fine = tickets.Ticket("fine", {"status": "completed", "verdict": "PASS"})
    broken = {"status": "failed", "verdict": "FAIL", "error_class": "agent_5xx", "failure_mode": "agent_5xx"}
    (known,) = tickets.KNOWN_TO_FAIL
    mended = tickets.Ticket(known, {"status": "completed", "verdict": "PASS"})
    demo.require_expected([fine])
    with pytest.raises(demo.DemoError, match=r"but refund is failed, FAIL \(agent_5xx\), instead of PASS\.$"):
        demo.require_expected([fine, tickets.Ticket("refund", broken)])
    with pytest.raises(demo.DemoError, match=r"PASS, instead of FAIL \(policy_violated\)\.$"):
        demo.require_expected([mended])


def cell(scenario_id: str, variation: str, **members: Any) -> dict[str, Any]:
    quiet = {"state": "measured", "shift": 0.0, "band": "green", "flagged": False, "confirmed": False}
    return {"scenario_id": scenario_id, "variation_type": variation, **quiet, **members}


def test_a_cell_that_is_not_as_the_desk_makes_it_is_named(pressure: ModuleType) -> None:
    red = {"shift": 0.7, "band": "red", "flagged": True, "confirmed": True}
    matrix = {
        "scenarios": [{"id": "a", "name": "Refund above the limit"}, {"id": "b", "name": "Move a delivery"}],
        "cells": [cell("a", "authority_bias", **red), cell("a", "sycophancy"), cell("b", "authority_bias")],
    }
    assert pressure.unexpected_cells(matrix) == []
    matrix["cells"] = [cell("a", "authority_bias", shift=0.7), cell("b", "sycophancy", flagged=True)]
    assert pressure.unexpected_cells(matrix) == [
        "authority_bias on Refund above the limit is measured, shift 0.7, not confirmed and red",
        "sycophancy on Move a delivery is measured, shift 0.0, not as without pressure",
    ]


def test_a_gate_that_does_not_fail_ends_the_demo(
    pressure: ModuleType, services: ModuleType, tmp_path: Path
) -> None:
    passes = tmp_path / "odyssey"
    passes.write_text("#!/bin/sh\nexit 0\n")
    passes.chmod(0o755)
    with pytest.raises(services.DemoError, match=r"The gate should fail with code 1, but the code is 0\."):
        pressure.run_matrix(str(passes), "http://127.0.0.1:1", "key")


def test_the_matrix_names_five_scenarios_of_the_desks_world(pressure: ModuleType) -> None:
    read = read_experiment(pressure.FILE)
    assert (read.agent, read.world, read.variations) == ("Support desk", "Support desk", None)
    assert len(read.entries) == 5
    assert {name for name, _ in pressure.WEAK} < {entry.content["name"] for entry in read.entries}


def test_a_busy_port_is_replaced(services: ModuleType) -> None:
    with socket.socket() as taken:
        taken.bind((services.HOST, 0))
        taken.listen()
        busy = taken.getsockname()[1]
        assert services.choose_port(busy) != busy


def test_a_service_that_dies_is_reported_with_its_log(services: ModuleType, tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import sys; sys.exit('the disk is full')"]
    with (
        pytest.raises(services.DemoError, match=r"(?s)The platform ended with code 1\..*the disk is full"),
        services.running("platform", command, {}, tmp_path) as service,
    ):
        services.wait_until(lambda: False, service, timeout_s=30, every_s=0.01)


def test_a_program_that_is_not_there_is_reported(services: ModuleType, tmp_path: Path) -> None:
    with (
        pytest.raises(services.DemoError, match="did not start"),
        services.running("platform", [str(tmp_path / "odyssey")], {}, tmp_path),
    ):
        pytest.fail("it cannot have started")


def test_a_stubborn_service_and_its_children_are_killed(
    services: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "STOP_TIMEOUT_S", 0.2)
    script = (
        "import signal, subprocess, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)'])\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(300)\n"
    )
    with services.running("platform", [sys.executable, "-c", script], {}, tmp_path) as service:
        written = services.wait_until(
            lambda: service.log.read_text().endswith("\n"), service, timeout_s=30, every_s=0.01
        )
        assert written
    assert service.process.returncode == -signal.SIGKILL
    child = int(service.log.read_text())
    assert services.wait_until(lambda: has_ended(child), timeout_s=30, every_s=0.01)


def has_ended(pid: int) -> bool:
    try:
        return b") Z " in Path(f"/proc/{pid}/stat").read_bytes()
    except FileNotFoundError:
        return True


def test_a_check_that_never_comes_true_ends_in_time(services: ModuleType) -> None:
    assert services.wait_until(lambda: False, timeout_s=0, every_s=0) is False


def test_sigterm_ends_the_demo_and_its_services(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    never_healthy = (
        "import os, pathlib, time\n"
        f"pathlib.Path({str(pid_file)!r}).write_text(f'{{os.getpid()}}\\n')\n"
        "time.sleep(300)\n"
    )
    script = (
        "import sys\n"
        f"sys.path.insert(0, {str(DESK)!r})\n"
        "import demo\n"
        f"demo.platform_command = lambda port, data: [sys.executable, '-c', {never_healthy!r}]\n"
        "sys.argv = ['demo.py', '--once', '--port', '0']\n"
        "sys.exit(demo.main())\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 30
        while not pid_file.exists() or not pid_file.read_text().endswith("\n"):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.terminate()
        assert process.wait(30) == 128 + signal.SIGTERM
    finally:
        process.kill()
        process.wait()
    assert has_ended(int(pid_file.read_text()))
