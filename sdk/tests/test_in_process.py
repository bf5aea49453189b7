"""Commands in the process of the tests: they end as a process does, and leave nothing behind."""

import importlib
import logging
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.in_process import run_here


@pytest.mark.parametrize(
    "end",
    [
        "pass",
        "sys.exit()",
        "sys.exit(0)",
        "sys.exit(3)",
        "sys.exit(-1)",
        "sys.exit('No.')",
        "sys.exit(['x'])",
    ],
)
def test_it_ends_as_the_interpreter_does(end: str) -> None:
    code = f"import sys; print('é\\r\\n'); sys.stderr.write('\\ud800'); {end}"
    apart = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    here = run_here(environment={}, main=lambda: exec(code))
    assert (here.returncode, here.stdout, here.stderr) == (apart.returncode, apart.stdout, apart.stderr)


def test_what_is_raised_is_shown_and_ends_with_1() -> None:
    def main() -> None:
        raise LookupError("gone")

    ended = run_here(environment={}, main=main)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("Traceback")
    assert ended.stderr.endswith("LookupError: gone\n")


def test_a_command_has_its_own_place_and_this_process_keeps_its(tmp_path: Path) -> None:
    def state() -> tuple[object, ...]:
        root = logging.getLogger()
        streams = sys.stdin, sys.stdout, sys.stderr, sys.argv
        handler = signal.getsignal(signal.SIGTERM)
        return Path.cwd(), dict(os.environ), sys.path[:], root.handlers[:], root.level, handler, *streams

    def main() -> None:
        assert Path.cwd() == tmp_path
        assert dict(os.environ) == {"A": "1"}
        assert sys.argv == ["odyssey", "x"]
        assert [each.isatty() for each in (sys.stdin, sys.stdout, sys.stderr)] == [False] * 3
        sys.stdout.buffer.write(sys.stdin.read().upper().encode())
        sys.path.insert(0, str(tmp_path))
        os.environ["B"] = "2"
        logging.getLogger().handlers = []
        logging.getLogger().setLevel("DEBUG")
        signal.signal(signal.SIGTERM, signal.SIG_IGN)

    before = state()
    ended = run_here("x", environment={"A": "1"}, folder=tmp_path, said="told", main=main)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "TOLD", "")
    assert state() == before


def test_a_module_of_one_folder_is_not_that_of_another(tmp_path: Path) -> None:
    def main() -> None:
        sys.path.insert(0, str(Path.cwd()))
        sys.stdout.write(f"{importlib.import_module('agent').NAME}\n")

    before = sys.modules.get("agent")
    for name in ("one", "two", "one"):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / "agent.py").write_text(f"NAME = {name!r}\n")
        assert run_here(environment={}, folder=folder, main=main).stdout == f"{name}\n"
        (folder / "agent.py").write_text("NAME = 'new'\n")  # as long as before, and within the same second
        assert run_here(environment={}, folder=folder, main=main).stdout == "new\n"
    assert sys.modules.get("agent") is before
