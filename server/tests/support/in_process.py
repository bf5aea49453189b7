"""Commands that run to their end in the process of the tests, as a process of their own would run them."""

import io
import logging
import os
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, chdir, contextmanager
from importlib import invalidate_caches
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

from pipelines.odyssey.cli.app import main as odyssey_main

_REMEMBERS_THE_ENVIRONMENT = ("keyring",)
"""Packages that read a variable once and keep what it named for as long as the process lasts."""


def run_here(
    *arguments: str,
    environment: Mapping[str, str],
    folder: Path | None = None,
    said: str = "",
    main: Callable[[], None] = odyssey_main,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end in this process, which has loaded already what takes a new one a second or more.

    The command has these variables and no others, this folder to work in, `said` on its standard input, and pipes for
    its output. It ends with the code and the words that the interpreter would end with. What it imports of the folder,
    and what it changes in this process, is undone.

    The rule: every command runs here, unless the process itself is what a test is about. That is the console scripts,
    what is loaded and what is not, Ctrl-C and signals, a terminal with its colours and bars, and the commands that
    serve until they are stopped (`odyssey up`, `odyssey dev`).
    """
    streams = {
        "stdin": _pipe(said.encode()),
        "stdout": _pipe(),
        "stderr": _pipe(errors="backslashreplace"),
    }
    with ExitStack() as stack:
        stack.enter_context(_variables(environment))
        stack.enter_context(_imports(folder, environment))
        stack.enter_context(_logging())
        stack.enter_context(_signals())
        if folder is not None:
            stack.enter_context(chdir(folder))
        stack.enter_context(patch.object(sys, "argv", ["odyssey", *arguments]))
        for name, stream in streams.items():
            stack.enter_context(patch.object(sys, name, stream))
            stack.enter_context(patch.object(sys, f"__{name}__", stream))  # who asks how wide a terminal is
        code = _exit_code(main)
    return subprocess.CompletedProcess(arguments, code, _text(streams["stdout"]), _text(streams["stderr"]))


def _pipe(content: bytes = b"", errors: str = "strict") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", errors=errors)


def _text(stream: io.TextIOWrapper) -> str:
    """Read what was written, with the line ends that `subprocess` gives."""
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return io.TextIOWrapper(io.BytesIO(stream.buffer.getvalue()), encoding="utf-8").read()


def _exit_code(main: Callable[[], None]) -> int:
    try:
        main()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return (end.code or 0) & 0xFF
        sys.stderr.write(f"{end.code}\n")
        return 1
    except Exception:  # noqa: BLE001 - the interpreter shows any
        traceback.print_exc()
        return 1
    return 0


@contextmanager
def _variables(wanted: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    _set_variables(wanted)
    try:
        yield
    finally:
        _set_variables(before)


def _set_variables(wanted: Mapping[str, str]) -> None:
    """Make these the environment, which is at no moment empty: threads of the tests read it too."""
    os.environ.update(wanted)
    for name in os.environ.keys() - wanted.keys():
        del os.environ[name]


@contextmanager
def _imports(folder: Path | None, environment: Mapping[str, str]) -> Iterator[None]:
    """Let modules of the folder be found afresh, and forget them: another folder has an `agent` of its own."""
    path, loaded = sys.path[:], dict(sys.modules)
    own = set() if folder is None else {file.stem for file in folder.glob("*.py")}
    for name in loaded:
        if name.partition(".")[0] in own.union(_REMEMBERS_THE_ENVIRONMENT):
            del sys.modules[name]
    sys.path[:0] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    invalidate_caches()
    try:
        # A file that is changed twice within a second would be taken for what its bytecode says.
        with patch.object(sys, "dont_write_bytecode", True):
            yield
    finally:
        added = {Path(place) for place in sys.path if place not in path}
        sys.path[:] = path
        for name, module in list(sys.modules.items()):
            if loaded.get(name) is not module and added.intersection(_home_of(module)):
                del sys.modules[name]
        sys.modules.update(loaded)


def _home_of(module: ModuleType | None) -> list[Path]:
    file = getattr(module, "__file__", None)
    return list(Path(file).parents) if file else []


@contextmanager
def _logging() -> Iterator[None]:
    """Undo what `odyssey up` does to the loggers, and keep out of its log what other threads have to say meanwhile.

    Those are servers that other tests still use.
    """
    loggers = [logging.getLogger(), *map(logging.getLogger, list(logging.root.manager.loggerDict))]
    before = [(each, each.handlers[:], each.level, each.propagate) for each in loggers]
    others = {thread.ident for thread in threading.enumerate()} - {threading.get_ident()}
    handlers, call_handlers = logging.root.handlers[:], logging.Logger.callHandlers

    def call_their_own(logger: logging.Logger, record: logging.LogRecord) -> None:
        if record.thread not in others:
            call_handlers(logger, record)
            return
        for handler in handlers:
            if record.levelno >= handler.level:
                handler.handle(record)

    try:
        with patch.object(logging.Logger, "callHandlers", call_their_own):
            yield
    finally:
        for logger, handlers, level, propagate in before:
            logger.handlers, logger.propagate = handlers, propagate
            if logger.level != level:
                logger.setLevel(level)


@contextmanager
def _signals() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
