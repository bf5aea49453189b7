"""`odyssey compile` on a real platform: programs proposed or given, replayed, told of, written, saved, exported."""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from support.commands import Desk
from support.model_server import ModelServer, Raw
from support.parcels import FORGETFUL, GET, RIGHT, STATE, TOOLS, recorded, write_recording
from support.platform import Org

from pipelines.odyssey.cli.compiling import (
    merged,
    portions,
    read_recordings,
    tasks_of,
    without_recordings,
)
from pipelines.odyssey.cli.failures import CommandFailedError
from pipelines.odyssey.cli.yaml_text import document_text, read_document

Compile = Callable[..., subprocess.CompletedProcess[str]]


class Parcels(NamedTuple):
    org: Org
    agent: dict[str, Any]

    def stored(self) -> dict[str, Any]:
        agent: dict[str, Any] = self.org.ok(self.org.get(f"/api/agents/{self.agent['id']}"))
        return agent


@pytest.fixture
def parcels(org: Org, desk: Desk) -> Iterator[Parcels]:
    write_recording(desk.folder)
    yield Parcels(org, org.agent("http://127.0.0.1:9/dispatch", name="Parcels", tools_schema=TOOLS))
    assert org.ok(org.get("/api/worlds"))["items"] == []  # whatever happened, nothing is left behind


@pytest.fixture
def run_compile(desk: Desk, parcels: Parcels) -> Compile:
    return lambda *arguments, code=0: desk.type("compile", *arguments, code=code)


@pytest.fixture
def model(parcels: Parcels) -> Iterator[Callable[..., ModelServer]]:
    started: list[ModelServer] = []

    def start(*script: Any) -> ModelServer:
        started.append(ModelServer(*script))
        settings = started[-1].settings(role="simulator", input_usd_per_mtok=10, output_usd_per_mtok=10)
        parcels.org.ok(parcels.org.put("/api/settings", settings))
        return started[-1]

    yield start
    for server in started:
        server.stop()


ON = ("--calls", "calls.jsonl", "--state", "state.json")


def tasks_recorded() -> Any:
    return recorded()


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


def test_a_model_proposes_until_calls_replay_and_what_is_accepted_is_saved(
    parcels: Parcels, run_compile: Compile, model: Callable[..., ModelServer], desk: Desk
) -> None:
    server = model(FORGETFUL, RIGHT, GET)
    done = run_compile("Parcels", *ON, "--write", "programs.yaml", "--save")
    assert done.stderr.splitlines() == ["1 of 2  redirect_parcel  accepted", "2 of 2  get_parcel  accepted"]
    heading, redirect, get, _, *rest = done.stdout.splitlines()
    assert cells(heading) == [
        "tool",
        "accepted",
        "calls",
        "responses",
        "changes",
        "same words",
        "attempts",
        "shown",
    ]
    assert cells(redirect) == [
        "redirect_parcel", "yes", "9", "9 of 9", "5 of 5", "4 of 4", "2", "9",
    ]  # fmt: skip
    assert cells(get) == ["get_parcel", "yes", "2", "2 of 2", "–", "–", "1", "2"]
    assert rest == [
        "2 of 2 programs accepted.",
        "The model cost 0.0315 USD.",
        "programs.yaml: 2 programs.",
        f"Agent {parcels.agent['id']}: version 2 is a draft; `odyssey publish {parcels.agent['id']}` has runs use it.",
    ]
    assert yaml.safe_load((desk.folder / "programs.yaml").read_text("utf-8")) == {
        "redirect_parcel": RIGHT,
        "get_parcel": GET,
    }
    stored = parcels.stored()
    assert stored["config"]["programs"] == {"redirect_parcel": RIGHT, "get_parcel": GET}
    assert stored["config"]["endpoint_url"] == "http://127.0.0.1:9/dispatch"
    assert (stored["version"], stored["published_version"]) == (2, 1)
    assert len(server.asked) == 3


def test_what_a_program_gets_wrong_is_told_and_not_saved(
    parcels: Parcels, run_compile: Compile, model: Callable[..., ModelServer], desk: Desk
) -> None:
    model(FORGETFUL)
    done = run_compile(
        str(parcels.agent["id"]), *ON, "--tool", "redirect_parcel", "--write", "p.json", "--publish", code=1
    )
    wrong = "call 1 of task one: the changes differ: depot 'south' should change and does not"
    assert done.stderr == f"1 of 1  redirect_parcel  not accepted: {wrong}\n"
    assert done.stdout.splitlines()[2:] == ["", f"redirect_parcel: {wrong}", "", "0 of 1 program accepted.",
                                            "The model cost 0.0315 USD."]  # fmt: skip
    assert not (desk.folder / "p.json").exists()
    assert parcels.stored()["version"] == 1


def test_programs_of_a_file_are_tried_without_a_model_and_exported(
    parcels: Parcels, run_compile: Compile, desk: Desk
) -> None:
    programs = {"redirect_parcel": RIGHT, "get_parcel": {**GET, "require": []}}
    (desk.folder / "mine.yaml").write_text(document_text(programs, Path("mine.yaml")), "utf-8")
    said = json.loads(run_compile("Parcels", *ON, "--from", "mine.yaml", "--publish", "--json").stdout)
    assert (said["accepted"], said["version"], said["published"]) == (
        ["redirect_parcel", "get_parcel"],
        2,
        True,
    )
    assert [report["cost_usd"] for report in said["reports"]] == [0, 0]
    (desk.folder / "mine.json").write_text(json.dumps({"get_parcel": GET}), "utf-8")
    said = json.loads(run_compile("Parcels", *ON, "--from", "mine.json", "--save", "--json").stdout)
    assert (said["version"], said["published"]) == (3, False)
    kept = {"redirect_parcel": RIGHT, "get_parcel": GET}
    assert parcels.stored()["config"]["programs"] == kept
    assert run_compile("Parcels", "--export", "out.yaml").stdout == "out.yaml: 2 programs of version 3.\n"
    assert read_document(desk.folder / "out.yaml") == kept
    assert json.loads(run_compile("Parcels", "--export", "out.json", "--json").stdout)["exported"] == list(
        kept
    )
    assert read_document(desk.folder / "out.json") == kept
    assert yaml.safe_load(run_compile("Parcels", "--export", "-").stdout) == kept


def test_some_accepted_and_some_not_is_1_and_keeps_those_that_were(
    parcels: Parcels, run_compile: Compile, desk: Desk
) -> None:
    programs = {"redirect_parcel": {"response": "= nobody"}, "get_parcel": GET}
    (desk.folder / "mine.json").write_text(json.dumps(programs), "utf-8")
    world = parcels.org.ok(parcels.org.post("/api/worlds", {"name": "parcels", "initial_state": STATE}))["id"]
    done = run_compile(
        "Parcels", "--calls", "calls.jsonl", "--world", str(world), "--from", "mine.json", "--save", code=1
    )
    assert "redirect_parcel: response: " in done.stdout
    assert "1 of 2 programs accepted." in done.stdout
    assert parcels.stored()["config"]["programs"] == {"get_parcel": GET}
    parcels.org.client.delete(f"/api/worlds/{world}")


def test_a_tool_without_recorded_calls_cannot_be_accepted(
    parcels: Parcels, run_compile: Compile, desk: Desk
) -> None:
    tasks = tasks_of(tasks_recorded(), "redirect_parcel")[1:2]
    (desk.folder / "few.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks), "utf-8")
    (desk.folder / "mine.json").write_text(json.dumps({"get_parcel": GET}), "utf-8")
    done = run_compile(
        "Parcels", "--calls", "few.jsonl", "--state", "state.json", "--from", "mine.json", code=1
    )
    assert "get_parcel: there is no recorded call of it" in done.stdout


def test_a_model_that_fails_at_the_second_tool_does_not_lose_the_first(
    parcels: Parcels, run_compile: Compile, model: Callable[..., ModelServer]
) -> None:
    model(RIGHT, Raw(401, b'{"error": {"message": "no such key"}}'))
    done = run_compile("Parcels", *ON, "--save", code=2)
    assert "1 of 1 program accepted." in done.stdout
    assert done.stderr.splitlines()[-1] == "odyssey: The model's server answered 401: no such key"
    assert parcels.stored()["config"]["programs"] == {"redirect_parcel": RIGHT}


def test_what_cannot_be_done_is_said_in_a_sentence(
    parcels: Parcels, run_compile: Compile, desk: Desk
) -> None:
    (desk.folder / "mine.json").write_text('{"send_parcel": {}}', "utf-8")
    (desk.folder / "list.json").write_text("[]", "utf-8")
    (desk.folder / "words.jsonl").write_text('{"task": 1, "calls": []}\n{"task": 2}\n', "utf-8")
    (desk.folder / "state2.json").write_text('{"order": []}', "utf-8")
    calls = ("--calls", "calls.jsonl")
    for arguments, sentence in (
        (("Parcels",), "Which recorded calls? Give --calls FILE."),
        (("Parcels", *calls), "Where do the tasks start? Give either --state FILE or --world ID."),
        (("Parcels", *ON, "--world", "1"), "Where do the tasks start? Give either --state FILE or --world ID."),
        (("Parcels", *ON), "The org has no simulator model; an admin can set models.simulator in the settings. "
                           "A program written by hand is replayed without one."),
        (("Parcels", *ON, "--tool", "send"), "The agent Parcels has no tool send."),
        (("Parcels", *ON, "--from", "mine.json"), "The agent Parcels has no tool send_parcel."),
        (("Parcels", *ON, "--from", "list.json"), "list.json is not an object with a program for each tool."),
        (("Parcels", *ON, "--from", "no.yaml"), "no.yaml cannot be read: No such file or directory."),
        (("Parcels", "--calls", "words.jsonl", "--world", "1"),
         'words.jsonl, line 2: a task is an object with "calls", a list.'),
        (("Parcels", *calls, "--state", "no.json"), "no.json cannot be read: No such file or directory."),
        (("Parcels", *calls, "--state", "calls.jsonl"),
         "calls.jsonl is not JSON: something follows the value at line 2 column 1."),
        (("Parcels", *calls, "--world", str(2**40)), f"There is no agent {parcels.agent['id']}, or no world {2**40}."),
        (("Nobody", *ON), "There is no agent called Nobody."),
        (("Parcels", "--export", "x.yaml"), "The agent Parcels has no programs."),
    ):  # fmt: skip
        assert run_compile(*arguments, code=2).stderr.splitlines()[0] == f"odyssey: {sentence}"
    faulty = run_compile("Parcels", *calls, "--state", "state2.json", code=2).stderr
    assert "initial_state" in faulty


def test_only_what_one_tool_needs_is_sent() -> None:
    (task,) = tasks_of(tasks_recorded(), "get_parcel")[:1]
    first, second = task["calls"]
    assert first.keys() == {"tool", "args", "changes"}
    assert [change["id"] for change in first["changes"]] == ["p1", "south"]
    assert second["response"]["depot_id"] == "south"
    assert [len(one["calls"]) for one in tasks_of(tasks_recorded(), "redirect_parcel")] == [1, 3, 2, 4]


def test_recordings_beyond_one_request_are_sent_in_portions_of_whole_tasks() -> None:
    tasks = tasks_of(tasks_recorded(), "redirect_parcel")
    sizes = [len(json.dumps(task, separators=(",", ":"))) + 1 for task in tasks]
    assert list(portions(tasks)) == [tasks]
    assert [len(part) for part in portions(tasks, most_bytes=max(sizes))] == [1, 1, 1, 1]
    assert [len(part) for part in portions(tasks, most_bytes=sum(sizes[:3]))] == [3, 1]
    assert [len(part) for part in portions(tasks, most_calls=4)] == [2, 1, 1]
    with pytest.raises(CommandFailedError, match="The recorded task wrong is too large to be replayed"):
        list(portions(tasks, most_bytes=max(sizes) - 1))
    with pytest.raises(CommandFailedError, match="4 calls in"):
        list(portions(tasks, most_calls=3))


def test_reports_on_portions_are_added_up(parcels: Parcels) -> None:
    org, agent = parcels
    world = org.ok(org.post("/api/worlds", {"name": "parcels", "initial_state": STATE}))["id"]

    def report(tasks: list[Any], program: Any) -> Any:
        body = {"tool": "redirect_parcel", "world_id": world, "program": program, "calls": tasks}
        return org.ok(org.post(f"/api/agents/{agent['id']}/programs/replay", body))

    for program in (RIGHT, FORGETFUL):
        whole = report(recorded(), program)
        parts = [
            report(recorded()[:1], program),
            report(recorded()[1:2], program),
            report(recorded()[2:], program),
        ]
        added = merged(parts)
        for share in ("responses", "changes", "refusal_texts"):
            assert added[share] | {"interval": None} == whole[share] | {"interval": None}
            assert added[share]["interval"] == pytest.approx(whole[share]["interval"])
        assert (added["accepted"], added["attempts"]) == (whole["accepted"], whole["attempts"])
    assert without_recordings("x").keys() == whole.keys()
    org.client.delete(f"/api/worlds/{world}")


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("{", "Expecting property name"),
        ("[]", 'a task is an object with "calls", a list'),
        ('{"calls": [5]}', 'call 1 is not an object with "tool", a text'),
        ('{"calls": [{"tool": "x"}]}', 'call 1 has no "args", an object'),
        ('{"calls": [{"tool": "x", "args": {}, "changes": {}}]}', '"changes" of call 1 is not a list'),
        ("", "holds no task"),
    ],
)
def test_a_recording_that_is_none_is_named_with_its_line(tmp_path: Path, line: str, fault: str) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_text(f"\n{line}\n", "utf-8")
    with pytest.raises(CommandFailedError, match=fault) as caught:
        read_recordings(path)
    assert str(caught.value).startswith(f"{path}, line 2: " if line else f"{path} holds")


@pytest.mark.parametrize("name", ["p.yaml", "p.json"])
def test_programs_are_read_back_as_they_were_written(tmp_path: Path, name: str) -> None:
    strange = {
        "no": ["1e5", "0o7", "1:30", "~", "null", "= x", "a\r\nb", "two\nlines\n", " x", "2026-01-31", ""]
    }
    value = {
        "get": RIGHT,
        "odd": {"response": strange, "describe": None, "let": {"200": "1.50", "x": 1.5e300}},
    }
    path = tmp_path / name
    path.write_bytes(document_text(value, path).encode())
    assert read_document(path) == value


def test_of_many_mismatches_five_are_told() -> None:
    shares = {
        name: {"share": 0.0, "equal": 0, "of": 4, "interval": None}
        for name in ("responses", "changes", "refusal_texts")
    }

    def report(first: int) -> Any:
        mismatches = [{"call": number} for number in range(first, first + 4)]
        attempt = {"errors": [], "equal": 0, "of": 4, "mismatches": mismatches}
        return {**without_recordings("x"), "attempts": [attempt], **shares}

    (attempt,) = merged([report(0), report(4)])["attempts"]
    assert [one["call"] for one in attempt["mismatches"]] == [0, 1, 2, 3, 4]
    assert (attempt["equal"], attempt["of"]) == (0, 8)
