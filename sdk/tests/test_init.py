"""`odyssey init`: every scaffold is complete, runs at once and passes `doctor`."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from support.in_process import run_here
from support.programs import need_frameworks

ROOT = Path(__file__).resolve().parents[2]
SCAFFOLDS = ROOT / "sdk/pipelines/odyssey/cli/scaffolds"
OTHERS = ("anthropic", "langchain", "strands")
EXAMPLES = {
    "openai-agents": "openai-agents",
    "anthropic": "anthropic",
    "langchain": "langgraph",
    "strands": "strands",
}
MAIN = "from pipelines.odyssey.cli.app import main; main()"


def odyssey(folder: Path, *arguments: str, python: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command here, or by the interpreter of another environment."""
    kept = ("PATH", "HOME", "LANG")
    env = {name: os.environ[name] for name in kept if name in os.environ}
    env |= {"XDG_CONFIG_HOME": str(folder / "no-login")}
    if python is None:
        return run_here(*arguments, environment=env, folder=folder)
    command = [python, "-c", MAIN, *arguments]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)


def check(folder: Path, python: str | None = None) -> dict[str, str]:
    done = odyssey(folder, "doctor", "--json", python=python)
    assert done.stdout, done.stderr
    findings = json.loads(done.stdout)["findings"]
    wrong = [found for found in findings if found["state"] in ("failed", "warned")]
    assert (done.returncode, wrong) == (0, [])
    return {found["name"]: found["state"] for found in findings}


def test_the_plain_scaffold_runs_at_once(tmp_path: Path) -> None:
    done = odyssey(tmp_path, "init", "desk", "--name", "My desk")
    assert done.returncode == 0, done.stderr
    written = sorted(path.name for path in (tmp_path / "desk").iterdir())
    assert written == [
        ".env", ".gitignore", "README.md", "agent.py", "odyssey.toml", "requirements.txt", "tasks.csv",
    ]  # fmt: skip
    after = done.stdout.partition("Next:\n")[2].splitlines()
    assert after == ["  cd desk && pip install -r requirements.txt", "  odyssey doctor", "  odyssey dev"]
    assert 'name = "My desk"' in (tmp_path / "desk/odyssey.toml").read_text(encoding="utf-8")
    assert check(tmp_path / "desk")["two runs at once"] == "passed"


def test_the_token_is_secret_and_new_each_time(tmp_path: Path) -> None:
    tokens = set()
    for name in ("one", "two"):
        done = odyssey(tmp_path, "init", "--dir", name)
        path = tmp_path / name / ".env"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        tokens.add(path.read_text(encoding="utf-8"))
        assert path.read_text(encoding="utf-8").strip().partition("=")[2] not in done.stdout
        assert ".env" in (tmp_path / name / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert len(tokens) == 2


def test_the_code_scaffold_runs_under_the_local_driver_and_passes_doctor(tmp_path: Path) -> None:
    assert odyssey(tmp_path, "init", "--mode", "code").returncode == 0
    assert not (tmp_path / ".env").exists()
    states = check(tmp_path)
    assert states["tool calls"] == states["429 is retried"] == "passed"
    command = [
        sys.executable,
        "-m",
        "pipelines.odyssey.local",
        "agent:run",
        "--without-sdk",
        "--answers",
        "answers.json",
    ]
    for instruction, said in (
        ("Refund ord_1.", "I refunded 79.50"),
        ("Refund ord_9.", "could not find ord_9"),
    ):
        done = subprocess.run(
            [*command, "--instruction", instruction], cwd=tmp_path, capture_output=True, text=True, timeout=60
        )
        assert (done.returncode, said in done.stdout) == (0, True), done.stdout


# The scaffolds are the examples, which are examined in their own tests.
@pytest.mark.parametrize(
    "framework", ["openai-agents", *(pytest.param(name, marks=pytest.mark.full) for name in OTHERS)]
)
def test_a_framework_scaffold_passes_doctor_without_any_key(tmp_path: Path, framework: str) -> None:
    python = str(need_frameworks() / "python")
    assert odyssey(tmp_path, "init", "--framework", framework).returncode == 0
    states = check(tmp_path, python)
    assert states["tool calls"] == states["system injection"] == states["actor labels"] == "passed"
    assert (tmp_path / "requirements.txt").read_text(encoding="utf-8") == f"odyssey-agents-sdk[{framework}]\n"


@pytest.mark.parametrize(("framework", "example"), EXAMPLES.items())
def test_a_framework_scaffold_is_the_example(framework: str, example: str) -> None:
    folder = ROOT / "examples" / example
    told = "the scaffolds are not what the examples are; run python scripts/scaffolds.py"
    for name in ("agent.py", "scripted_model.py"):
        scaffold = SCAFFOLDS / framework / f"{name}.template"
        assert scaffold.read_bytes() == (folder / name).read_bytes(), told
    assert (SCAFFOLDS / "tasks.csv").read_bytes() == (folder / "tasks.csv").read_bytes(), told


def test_nothing_is_overwritten_unless_forced(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text("mine", encoding="utf-8")
    (tmp_path / ".env").write_text("AGENT_TOKEN=mine\n", encoding="utf-8")
    refused = odyssey(tmp_path, "init")
    assert refused.returncode == 2
    assert "agent.py, .env are there already" in refused.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == [".env", "agent.py"]
    assert odyssey(tmp_path, "init", "--force").returncode == 0
    assert "refunds desk" in (tmp_path / "agent.py").read_text(encoding="utf-8")
    assert (tmp_path / ".env").read_text(encoding="utf-8") == "AGENT_TOKEN=mine\n"


def test_json_names_the_files_and_the_next_commands(tmp_path: Path) -> None:
    document = json.loads(odyssey(tmp_path, "init", "here", "--json").stdout)
    assert document["folder"] == str(tmp_path / "here")
    assert "agent.py" in document["files"]
    assert document["next"][1:] == ["odyssey doctor", "odyssey dev"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--mode", "code", "--framework", "strands"), "needs no framework"),
        (("--name", "x" * 256), "255"),
        (("--framework", "django"), "django"),
    ],
)
def test_what_cannot_be_made_ends_with_2(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    done = odyssey(tmp_path, "init", *arguments)
    assert done.returncode == 2
    assert said in done.stdout + done.stderr
    assert list(tmp_path.iterdir()) == []
