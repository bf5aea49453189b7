"""Both distributions as a user gets them: built, installed into an empty environment, and put to work there."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from configparser import ConfigParser
from email.message import Message
from email.parser import Parser
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZipFile

import httpx
import pytest
from support.process import ServerScript, clean_environment

ROOT = Path(__file__).parents[3]
UV = str(Path(sys.executable).with_name("uv"))
AGENT = Path(__file__).with_name("first_run.py").read_text("utf-8")


class Wheel(NamedTuple):
    path: Path
    names: frozenset[str]
    metadata: Message
    scripts: dict[str, str]
    license: str


def built(folder: str, into: Path) -> Wheel:
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(into)]
    subprocess.run(build, cwd=ROOT / folder, check=True, capture_output=True)
    (path,) = into.glob(f"odyssey_agents_{folder}-*.whl")
    with ZipFile(path) as wheel:
        names = wheel.namelist()
        (info,) = {name.partition("/")[0] for name in names if ".dist-info/" in name}
        points = ConfigParser()
        points.read_string(wheel.read(f"{info}/entry_points.txt").decode())
        metadata = Parser().parsestr(wheel.read(f"{info}/METADATA").decode())
        license = wheel.read(f"{info}/licenses/LICENSE").decode()
    return Wheel(path, frozenset(names), metadata, dict(points["console_scripts"]), license)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Wheel]:
    into = tmp_path_factory.mktemp("wheels")
    return {folder: built(folder, into) for folder in ("sdk", "server")}


@pytest.fixture(scope="module")
def environment(wheels: dict[str, Wheel], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the two wheels, what they say they need in our versions, and nothing else."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([UV, "venv", "--quiet", "--python", sys.executable, str(folder)], check=True)
    install = [UV, "pip", "install", "--quiet", "--python", str(folder / "bin" / "python")]
    install += ["--constraint", str(ROOT / "requirements" / "dev.txt")]
    install += [str(wheel.path) for wheel in wheels.values()]
    # `make setup` has left everything in uv's cache; the index is asked only if somebody has cleared it since.
    if subprocess.run([*install, "--offline"], capture_output=True).returncode != 0:
        subprocess.run(install, check=True)
    return folder


def variables(**more: str) -> dict[str, str]:
    """The variables of a user, to whom this repository is no place to import from."""
    kept = clean_environment(COLUMNS="100", **more)
    return {name: value for name, value in kept.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}


def run(environment: Path, program: str, *arguments: str, cwd: Path, **more: str) -> str:
    command = [str(environment / "bin" / program), *arguments]
    done = subprocess.run(command, cwd=cwd, env=variables(**more), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def server(environment: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerScript]:
    class InstalledServer(ServerScript):
        @staticmethod
        def _start(
            arguments: list[str], environ: dict[str, str], out: int, errors: int
        ) -> subprocess.Popen[bytes]:
            command = [str(environment / "bin" / "odyssey"), *arguments]
            return subprocess.Popen(command, cwd=elsewhere, env=variables(), stdout=out, stderr=errors)

    elsewhere = tmp_path_factory.mktemp("elsewhere")
    started = InstalledServer("--data", str(elsewhere / "data"))
    yield started
    started.kill()


@pytest.mark.parametrize("folder", ["sdk", "server"])
def test_a_wheel_says_whose_it_is_and_under_which_license(folder: str, wheels: dict[str, Wheel]) -> None:
    metadata = wheels[folder].metadata
    assert metadata["Name"] == f"odyssey-agents-{folder}"
    assert (metadata["Author"], metadata["License-Expression"]) == ("Odyssey contributors", "Apache-2.0")
    assert wheels[folder].license == (ROOT / "LICENSE").read_text("utf-8")


def test_both_wheels_give_the_same_command(wheels: dict[str, Wheel]) -> None:
    """Pipx and uv expose only the scripts of the distribution they are asked for."""
    commands = {folder: wheel.scripts["odyssey"] for folder, wheel in wheels.items()}
    assert commands["server"] == commands["sdk"]


def test_one_task_runs_where_only_the_wheels_are(
    server: ServerScript, environment: Path, tmp_path: Path
) -> None:
    (tmp_path / "first_run.py").write_text(AGENT)
    access = {"ODYSSEY_URL": server.url, "ODYSSEY_API_KEY": server.first_key(), "AGENT_TOKEN": "t0ken"}
    said: dict[str, Any] = json.loads(run(environment, "python", "first_run.py", cwd=tmp_path, **access))
    assert (said["verdict"], said["final_response"]) == ("PASS", "It is shipped.")
    for file in said["imported_from"]:
        assert Path(file).is_relative_to(environment), file

    page = httpx.get(server.url, trust_env=False, timeout=None)
    (script,) = (part.split('"')[0] for part in page.text.split('type="module" crossorigin src="')[1:])
    assert httpx.get(server.url + script, trust_env=False, timeout=None).status_code == 200


def test_a_project_is_begun_by_the_installed_command(environment: Path, tmp_path: Path) -> None:
    run(environment, "odyssey", "init", "desk", cwd=tmp_path)
    assert {"agent.py", "tasks.csv", "odyssey.toml"} <= set(os.listdir(tmp_path / "desk"))
    assert "signin-link" in run(environment, "odyssey", "--help", cwd=tmp_path)


def test_whatever_is_no_python_is_in_the_wheels_too(wheels: dict[str, Wheel]) -> None:
    """Migrations are opened by their folder, the interface and the scaffolds by their names."""
    for folder, package in (("sdk", "pipelines"), ("server", "odyssey")):
        source = ROOT / folder
        files = {
            str(path.relative_to(source))
            for path in (source / package).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        assert files - wheels[folder].names == set()
