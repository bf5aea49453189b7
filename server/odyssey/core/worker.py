"""A process beside the server that reads large documents: whoever sends one keeps nobody else waiting.

A thread would not do. What reads JSON, YAML and CSV holds the interpreter's lock, and the objects it makes are walked
by the garbage collector of the process they are in. So the document goes over as bytes, and what comes back should be
small or text. There is one such process, started when it is first needed; requests take turns. If it dies, the one
whose document it was reading is told so, and the next gets a new one.
"""

import asyncio
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar

from odyssey.core.errors import OdysseyError

ON_THE_SPOT = 256 * 1024
"""Bytes of a document up to which it is read on the event loop: going over would take longer."""

_LENGTH_BYTES = 8
_COMMAND = (sys.executable, "-P", "-m", "odyssey.core.worker_process")

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class ReaderFailedError(OdysseyError):
    status, code, title, retryable = 503, "reader_failed", "The document could not be read", True

    def __init__(self) -> None:
        super().__init__(
            "The process that reads large documents ended while it read this one, probably for want of memory. Nothing "
            "was saved; send less at once."
        )


class Worker:
    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_closed = False

    async def read(
        self,
        size: int,
        function: Callable[Parameters, Result],
        *arguments: Parameters.args,
        **named: Parameters.kwargs,
    ) -> Result:
        """Call a function of a module with documents of `size` bytes: here if they are small, else over there."""
        if size <= ON_THE_SPOT:
            return function(*arguments, **named)
        async with self._turn:
            answer = asyncio.ensure_future(asyncio.to_thread(self._exchange, function, arguments, named))
            try:
                did_return, outcome = await asyncio.shield(answer)
            except (EOFError, OSError) as error:
                self._end()
                raise ReaderFailedError from error
            except asyncio.CancelledError:
                self._kill()  # nobody waits for its answer, and the next must not get it
                with suppress(EOFError, OSError):
                    await answer
                raise
        if not did_return:
            raise outcome
        result: Result = outcome
        return result

    @property
    def pid(self) -> int | None:
        """Of the process, if there is one."""
        return None if self._process is None else self._process.pid

    @property
    def is_at_work(self) -> bool:
        return self._turn.locked()

    async def close(self) -> None:
        self._is_closed = True
        self._kill()
        async with self._turn:
            self._end()

    def _exchange(self, *call: object) -> tuple[bool, Any]:
        if self._is_closed:
            raise EOFError
        if self._process is None or self._process.poll() is not None:
            self._end()
            self._process = _start()
        wire_in, wire_out = self._process.stdin, self._process.stdout
        assert wire_in is not None
        assert wire_out is not None
        send(wire_in, call)
        answer: tuple[bool, Any] = receive(wire_out)
        return answer

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()

    def _end(self) -> None:
        """Forget the process. Only whoever has the turn may do so: a thread may be reading from it."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for wire in (process.stdin, process.stdout):
                if wire is not None:
                    wire.close()


def _start() -> subprocess.Popen[bytes]:
    # It reads what strangers wrote, so it is told none of the server's secrets.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ODYSSEY_")}
    return subprocess.Popen(  # noqa: S603 - our own module
        _COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, bufsize=0
    )


def send(wire: Any, message: object) -> None:
    packed = memoryview(pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL))
    rest = memoryview(len(packed).to_bytes(_LENGTH_BYTES))
    for part in (rest, packed):
        while part:
            part = part[wire.write(part) :]


def receive(wire: Any) -> Any:
    length = int.from_bytes(_read(wire, _LENGTH_BYTES))
    return pickle.loads(_read(wire, length))  # noqa: S301 - both ends are this program


def _read(wire: Any, length: int) -> bytearray:
    read = bytearray(length)
    rest = memoryview(read)
    while rest:
        count = wire.readinto(rest)
        if not count:
            raise EOFError
        rest = rest[count:]
    return read
