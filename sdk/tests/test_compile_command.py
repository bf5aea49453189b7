"""`odyssey compile` on a real platform: programs proposed or given, replayed, told of, written, saved, exported."""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from support.model_server import ModelServer, Raw
from support.parcels import FORGETFUL, GET, RIGHT, STATE, TOOLS, recorded, write_recording
from support.platform import Org, Platform
from support.process import odyssey, odyssey_here

from pipelines.odyssey.cli.compiling import merged, without_recordings
from pipelines.odyssey.cli.failures import CommandFailedError
from pipelines.odyssey.cli.recordings import portions, read_recordings, tasks_of
from pipelines.odyssey.cli.yaml_text import document_text, read_document

Cli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    platform = Platform(f"sqlite+aiosqlite:///{tmp_path_factory.mktemp('data') / 'odyssey.db'}")
    yield platform
    platform.stop()


class Desk(NamedTuple):
    org: Org
    agent: dict[str, Any]

    def stored(self) -> dict[str, Any]:
        agent: dict[str, Any] = self.org.ok(self.org.get(f"/api/agents/{self.agent['id']}"))
        return agent


@pytest.fixture
def desk(platform: Platform, tmp_path: Path) -> Iterator[Desk]:
    org = platform.new_org()
    write_recording(tmp_path)
    yield Desk(org, org.agent("http://127.0.0.1:9/dispatch", name="Parcels", tools_schema=TOOLS))
    assert org.ok(org.get("/api/worlds"))["items"] == []  # whatever happened, nothing is left behind
    org.client.close()


@pytest.fixture
def cli(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Type the command: as a process of its own where the test is about that, else in this one, which is quicker."""
    monkeypatch.chdir(tmp_path)
    place = {"ODYSSEY_URL": desk.org.platform.url, "ODYSSEY_API_KEY": desk.org.api_key}

    def run(*arguments: str, code: int = 0, apart: bool = False) -> subprocess.CompletedProcess[str]:
        done = (odyssey if apart else odyssey_here)("compile", *arguments, **place)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return run


@pytest.fixture
def model(desk: Desk) -> Iterator[Callable[..., ModelServer]]:
    started: list[ModelServer] = []

    def start(*script: Any) -> ModelServer:
        started.append(ModelServer(*script))
        settings = started[-1].settings(role="simulator", input_usd_per_mtok=10, output_usd_per_mtok=10)
        desk.org.ok(desk.org.put("/api/settings", settings))
        return started[-1]

    yield start
    for server in started:
        server.stop()


ON = ("--calls", "calls.jsonl", "--state", "state.json")


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


def test_a_model_proposes_until_calls_replay_and_what_is_accepted_is_saved(
    desk: Desk, cli: Cli, model: Callable[..., ModelServer], tmp_path: Path
) -> None:
    server = model(FORGETFUL, RIGHT, GET)
    done = cli("Parcels", *ON, "--write", "programs.yaml", "--save", apart=True)
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
        f"Agent {desk.agent['id']}: version 2 is a draft; `odyssey publish {desk.agent['id']}` has runs use it.",
    ]
    assert yaml.safe_load((tmp_path / "programs.yaml").read_text("utf-8")) == {
        "redirect_parcel": RIGHT,
        "get_parcel": GET,
    }
    stored = desk.stored()
    assert stored["config"]["programs"] == {"redirect_parcel": RIGHT, "get_parcel": GET}
    assert stored["config"]["endpoint_url"] == "http://127.0.0.1:9/dispatch"
    assert (stored["version"], stored["published_version"]) == (2, 1)
    assert len(server.asked) == 3


def test_what_a_program_gets_wrong_is_told_and_not_saved(
    desk: Desk, cli: Cli, model: Callable[..., ModelServer], tmp_path: Path
) -> None:
    model(FORGETFUL)
    done = cli(
        str(desk.agent["id"]), *ON, "--tool", "redirect_parcel", "--write", "p.json", "--publish", code=1
    )
    wrong = "call 1 of task one: the changes differ: depot 'south' should change and does not"
    assert done.stderr == f"1 of 1  redirect_parcel  not accepted: {wrong}\n"
    assert done.stdout.splitlines()[2:] == ["", f"redirect_parcel: {wrong}", "", "0 of 1 program accepted.",
                                            "The model cost 0.0315 USD."]  # fmt: skip
    assert not (tmp_path / "p.json").exists()
    assert desk.stored()["version"] == 1


def test_programs_of_a_file_are_tried_without_a_model_and_exported(
    desk: Desk, cli: Cli, tmp_path: Path
) -> None:
    programs = {"redirect_parcel": RIGHT, "get_parcel": {**GET, "require": []}}
    (tmp_path / "mine.yaml").write_text(document_text(programs, Path("mine.yaml")), "utf-8")
    said = json.loads(cli("Parcels", *ON, "--from", "mine.yaml", "--publish", "--json").stdout)
    assert (said["accepted"], said["version"], said["published"]) == (
        ["redirect_parcel", "get_parcel"],
        2,
        True,
    )
    assert [report["cost_usd"] for report in said["reports"]] == [0, 0]
    (tmp_path / "mine.json").write_text(json.dumps({"get_parcel": GET}), "utf-8")
    said = json.loads(cli("Parcels", *ON, "--from", "mine.json", "--save", "--json").stdout)
    assert (said["version"], said["published"]) == (3, False)
    kept = {"redirect_parcel": RIGHT, "get_parcel": GET}
    assert desk.stored()["config"]["programs"] == kept
    assert cli("Parcels", "--export", "out.yaml").stdout == "out.yaml: 2 programs of version 3.\n"
    assert read_document(tmp_path / "out.yaml") == kept
    assert json.loads(cli("Parcels", "--export", "out.json", "--json").stdout)["exported"] == list(kept)
    assert read_document(tmp_path / "out.json") == kept
    assert yaml.safe_load(cli("Parcels", "--export", "-", apart=True).stdout) == kept


def test_some_accepted_and_some_not_is_1_and_keeps_those_that_were(
    desk: Desk, cli: Cli, tmp_path: Path
) -> None:
    programs = {"redirect_parcel": {"response": "= nobody"}, "get_parcel": GET}
    (tmp_path / "mine.json").write_text(json.dumps(programs), "utf-8")
    world = desk.org.ok(desk.org.post("/api/worlds", {"name": "parcels", "initial_state": STATE}))["id"]
    done = cli(
        "Parcels", "--calls", "calls.jsonl", "--world", str(world), "--from", "mine.json", "--save", code=1
    )
    assert "redirect_parcel: response: " in done.stdout
    assert "1 of 2 programs accepted." in done.stdout
    assert desk.stored()["config"]["programs"] == {"get_parcel": GET}
    desk.org.client.delete(f"/api/worlds/{world}")


def test_a_tool_without_recorded_calls_cannot_be_accepted(desk: Desk, cli: Cli, tmp_path: Path) -> None:
    tasks = tasks_of(recorded(), "redirect_parcel")[1:2]
    (tmp_path / "few.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks), "utf-8")
    (tmp_path / "mine.json").write_text(json.dumps({"get_parcel": GET}), "utf-8")
    done = cli("Parcels", "--calls", "few.jsonl", "--state", "state.json", "--from", "mine.json", code=1)
    assert "get_parcel: there is no recorded call of it" in done.stdout


def test_a_model_that_fails_at_the_second_tool_does_not_lose_the_first(
    desk: Desk, cli: Cli, model: Callable[..., ModelServer]
) -> None:
    model(RIGHT, Raw(401, b'{"error": {"message": "no such key"}}'))
    done = cli("Parcels", *ON, "--save", code=2)
    assert "1 of 1 program accepted." in done.stdout
    assert done.stderr.splitlines()[-1] == "odyssey: The model's server answered 401: no such key"
    assert desk.stored()["config"]["programs"] == {"redirect_parcel": RIGHT}


def test_what_cannot_be_done_is_said_in_a_sentence(desk: Desk, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text('{"send_parcel": {}}', "utf-8")
    (tmp_path / "list.json").write_text("[]", "utf-8")
    (tmp_path / "words.jsonl").write_text('{"task": 1, "calls": []}\n{"task": 2}\n', "utf-8")
    (tmp_path / "state2.json").write_text('{"order": []}', "utf-8")
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
        (("Parcels", *calls, "--world", str(2**40)), f"There is no agent {desk.agent['id']}, or no world {2**40}."),
        (("Nobody", *ON), "There is no agent called Nobody."),
        (("Parcels", "--export", "x.yaml"), "The agent Parcels has no programs."),
    ):  # fmt: skip
        assert cli(*arguments, code=2).stderr.splitlines()[0] == f"odyssey: {sentence}"
    faulty = cli("Parcels", *calls, "--state", "state2.json", code=2).stderr
    assert "initial_state" in faulty


def test_only_what_one_tool_needs_is_sent() -> None:
    (task,) = tasks_of(recorded(), "get_parcel")[:1]
    first, second = task["calls"]
    assert first.keys() == {"tool", "args", "changes"}
    assert [change["id"] for change in first["changes"]] == ["p1", "south"]
    assert second["response"]["depot_id"] == "south"
    assert [len(one["calls"]) for one in tasks_of(recorded(), "redirect_parcel")] == [1, 3, 2, 4]


def test_recordings_beyond_one_request_are_sent_in_portions_of_whole_tasks() -> None:
    tasks = tasks_of(recorded(), "redirect_parcel")
    sizes = [len(json.dumps(task, separators=(",", ":"))) + 1 for task in tasks]
    assert list(portions(tasks)) == [tasks]
    assert [len(part) for part in portions(tasks, most_bytes=max(sizes))] == [1, 1, 1, 1]
    assert [len(part) for part in portions(tasks, most_bytes=sum(sizes[:3]))] == [3, 1]
    assert [len(part) for part in portions(tasks, most_calls=4)] == [2, 1, 1]
    with pytest.raises(CommandFailedError, match="The recorded task wrong is too large to be replayed"):
        list(portions(tasks, most_bytes=max(sizes) - 1))
    with pytest.raises(CommandFailedError, match="4 calls in"):
        list(portions(tasks, most_calls=3))


def test_reports_on_portions_are_added_up(desk: Desk) -> None:
    org, agent = desk
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
