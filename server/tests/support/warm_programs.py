"""Programs as a shell finds them, without the seconds of loading: a process that has them loaded forks for each.

What is started so has a process, arguments, a folder, variables and files of its own, and ends with its caller.
"""

import gc
import importlib
import json
import os
import pkgutil
import runpy
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

import pytest
import uvicorn

import pipelines.odyssey.cli.commands
from pipelines.odyssey.cli.app import main


def python() -> None:
    """Be the interpreter for `python file …` and `python -m module …`."""
    del sys.argv[0]
    if sys.argv[0] != "-m":
        runpy.run_path(sys.argv[0], run_name="__main__")
        return
    del sys.argv[0]
    sys.path.insert(0, str(Path.cwd()))
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


PROGRAMS: dict[str, Callable[[], object]] = {
    "odyssey": main,
    "pytest": lambda: sys.exit(pytest.main()),
    "warm-python": python,  # by a name of its own: it is on the PATH of guides, and does not do all that python does
    "uvicorn": uvicorn.main,
}
CALLER = """\
#!{python} -IS
import json, os, socket, sys

with socket.socket(socket.AF_UNIX) as way:
    way.connect({address!r})
    asked = json.dumps([{program!r}, sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
    socket.send_fds(way, [len(asked).to_bytes(4, "big")], [0, 1, 2])
    way.sendall(asked)
    code = way.recv(1)
sys.exit(code[0] if code else "it was ended from outside")
"""


@contextmanager
def warm_programs(folder: Path, *modules: str, python: str = sys.executable) -> Iterator[Path]:
    """Give a folder for the PATH with the programs; they have these modules loaded, and this interpreter."""
    address = str(folder / "socket")
    for program in PROGRAMS:
        caller = folder / program
        text = CALLER.format(python=sys.executable, address=address, program=program)
        caller.write_text(text, encoding="utf-8")
        caller.chmod(0o755)
    # -P, or the modules beside this one would hide others of their names.
    with subprocess.Popen([python, "-P", __file__, address, *modules], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        try:
            yield folder
        finally:
            process.terminate()


def serve(address: str, modules: list[str]) -> None:
    commands = pkgutil.iter_modules(
        pipelines.odyssey.cli.commands.__path__, "pipelines.odyssey.cli.commands."
    )
    for name in (*modules, *(command.name for command in commands)):
        importlib.import_module(name)
    gc.freeze()  # or each of them looks for garbage in all that is loaded, and copies it by that
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # they say themselves how they ended
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        os.write(1, b"ready\n")
        while True:
            way, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                _become(way)
            way.close()


def _become(way: socket.socket) -> NoReturn:
    """Be the program that is asked for, to its end."""
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        program = _take_over(way)
        threading.Thread(target=_end_with, args=(way,), daemon=True).start()
        code = _run(program)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        with suppress(OSError):
            way.sendall(bytes([code]))
        os._exit(code)


def _take_over(way: socket.socket) -> str:
    size, files, _, _ = socket.recv_fds(way, 4, 3)
    with way.makefile("rb") as asked:
        program, arguments, folder, variables = json.loads(asked.read(int.from_bytes(size, "big")))
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    sys.argv = [program, *arguments]
    return str(program)


def _end_with(way: socket.socket) -> None:
    way.recv(1)
    os.kill(os.getpid(), signal.SIGTERM)


def _run(program: str) -> int:
    """Give the code that the interpreter would end with."""
    try:
        PROGRAMS[program]()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        sys.stderr.write(f"{end.code}\n")
        return 1
    except BaseException:  # noqa: BLE001 - as the interpreter does
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2:])
