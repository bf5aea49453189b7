"""`odyssey.toml`: what it says, and what is said of one that is not right."""

from dataclasses import replace
from pathlib import Path

import pytest

from pipelines.odyssey.cli.failures import CommandFailedError
from pipelines.odyssey.cli.project import Project, find_project, read_project, write_project

WHOLE = """
[agent]
name = "Refunds desk"
app = "agent:app"
tools = "pkg.agent:build.it"
path = "/v1/dispatch"
mode = "http"
token_env = "DESK_TOKEN"
endpoint_url = "https://desk.example.com/v1/dispatch"
run_timeout_s = 120
[test]
dataset = "data/tasks.csv"
min_pass_rate = 0.9
repeats = 3
"""


def read(folder: Path, text: str) -> Project:
    (folder / "odyssey.toml").write_text(text, encoding="utf-8")
    return read_project(folder)


def fault(folder: Path, text: str) -> str:
    with pytest.raises(CommandFailedError) as failed:
        read(folder, text)
    said = str(failed.value)
    assert str(folder / "odyssey.toml") in said
    return said


def test_every_key_is_read(tmp_path: Path) -> None:
    project = read(tmp_path, WHOLE)
    assert project == Project(
        folder=tmp_path,
        name="Refunds desk",
        app="agent:app",
        tools="pkg.agent:build.it",
        path="/v1/dispatch",
        token_env="DESK_TOKEN",
        endpoint_url="https://desk.example.com/v1/dispatch",
        run_timeout_s=120,
        dataset="data/tasks.csv",
        min_pass_rate=0.9,
        repeats=3,
    )
    assert project.dataset_path == tmp_path / "data/tasks.csv"


def test_a_name_is_enough(tmp_path: Path) -> None:
    project = read(tmp_path, '[agent]\nname = "a"\n')
    assert (project.path, project.mode, project.token_env) == ("/dispatch", "http", "AGENT_TOKEN")
    assert (project.dataset_path, project.min_pass_rate, project.repeats) == (None, 1.0, 1)


def test_an_agent_may_let_everybody_in(tmp_path: Path) -> None:
    assert read(tmp_path, '[agent]\nname = "a"\ntoken_env = ""\n').token_env is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "agent.name is missing"),
        ("[agent\n", "is not TOML"),
        ('[agents]\nname = "a"\n', "agents is not known; did you mean 'agent'?"),
        ('agent = "a"\n', "agent must be a table; write [agent]"),
        ('[agent]\nname = "a"\nendpoint-url = "x"\n', "agent.endpoint-url is not known; did you mean 'endpoint_url'?"),
        ('[agent]\nname = "a"\nzzz = 1\n', "agent.zzz is not known; known are name, app,"),
        ('[agent]\nname = "a"\n[test]\nmin_passrate = 1\n', "did you mean 'min_pass_rate'?"),
        ('[agent]\nname = ""\n', "agent.name must be a text of 1 to 255"),
        ("[agent]\nname = 3\n", "agent.name must be a text"),
        ('[agent]\nname = "a"\napp = "agent.py"\n', 'agent.app must name a module and what is in it'),
        ('[agent]\nname = "a"\ntools = "a b:c"\n', "agent.tools must name a module"),
        ('[agent]\nname = "a"\npath = "dispatch"\n', 'agent.path must be a path that begins with "/"'),
        ('[agent]\nname = "a"\nmode = "grpc"\n', 'agent.mode must be "http" or "code"'),
        ('[agent]\nname = "a"\ntoken_env = "A-B"\n', "agent.token_env must name a variable"),
        ('[agent]\nname = "a"\nendpoint_url = "desk:80"\n', "agent.endpoint_url must be an address"),
        ('[agent]\nname = "a"\nrun_timeout_s = true\n', "agent.run_timeout_s must be a whole number from 1 to 1800"),
        ('[agent]\nname = "a"\n[test]\nmin_pass_rate = 90\n', "test.min_pass_rate must be a number from 0 to 1"),
        ('[agent]\nname = "a"\n[test]\nrepeats = 0\n', "test.repeats must be a whole number from 1 to 100"),
        ('[agent]\nname = "a"\nentrypoint = "a:b"\n', "agent.entrypoint belongs to mode"),
        ('[agent]\nname = "a"\nmode = "code"\napp = "a:b"\n', "agent.app belongs to mode http"),
    ],
)  # fmt: skip
def test_a_fault_names_the_file_the_key_and_what_to_do(tmp_path: Path, text: str, said: str) -> None:
    assert said in fault(tmp_path, text)


def test_a_file_that_is_no_text_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "odyssey.toml").write_bytes(b'[agent]\nname = "\xff"\n')
    with pytest.raises(CommandFailedError, match="is not UTF-8"):
        read_project(tmp_path)


def test_where_there_is_none_the_way_to_one_is_named(tmp_path: Path) -> None:
    with pytest.raises(CommandFailedError, match="odyssey init"):
        read_project(tmp_path)
    assert find_project(tmp_path) is None


@pytest.mark.parametrize("name", ["a", 'with "quotes" and \\ and é and 🦉', "tab\\t"])
def test_what_is_written_is_read_again(tmp_path: Path, name: str) -> None:
    project = replace(read(tmp_path, WHOLE), name=name, token_env=None)
    assert read_project(write_project(project).parent) == project
    plain = Project(folder=tmp_path, name=name, mode="code", entrypoint="agent:run")
    assert read_project(write_project(plain).parent) == plain
