"""Ways to take the database away from a server: a wire to Postgres that breaks as told, and a disk that is full."""

import asyncio
import contextlib
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal
from urllib.parse import parse_qs, urlsplit

_COMMIT = b"COMMIT;"
"""What the driver sends at the end of a transaction."""

CommitFault = Literal["before", "after"]


class DatabaseWire:
    """A relay in front of a real Postgres, in a thread of its own. `url` leads through it."""

    def __init__(self, postgres_url: str) -> None:
        parts = urlsplit(postgres_url)
        query = parse_qs(parts.query)
        self._socket = f"{query['host'][0]}/.s.PGSQL.{parts.port or 5432}"
        self._loop = asyncio.new_event_loop()
        self._links: set[asyncio.StreamWriter] = set()
        self._open = asyncio.Event()
        self._is_cut = False
        self._commit_fault: CommitFault | None = None
        self._written = b""
        self._stays_cut = False
        self._over = asyncio.Event()
        ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(ready,), daemon=True)
        self._thread.start()
        ready.wait(60)
        self.url = f"postgresql://{parts.username}@127.0.0.1:{self.port}{parts.path}"

    def cut(self) -> None:
        """Break every connection and take no new one, as if Postgres had been killed."""
        self._call(self._cut)

    def mend(self) -> None:
        self._call(self._mend)

    def pause(self) -> None:
        """Let nothing through, but keep the connections."""
        self._call(self._open.clear)

    @contextmanager
    def away(self) -> Iterator[None]:
        self.cut()
        try:
            yield
        finally:
            self.mend()

    def lose_commit(self, moment: CommitFault, written: str, *, stay_cut: bool = False) -> None:
        """Break the connection that commits these words: before Postgres hears of it, or after it has committed.

        The server's loops commit as well, so the words must be those of the one transaction that is meant.
        """
        self._commit_fault, self._stays_cut, self._written = moment, stay_cut, written.encode()

    def stop(self) -> None:
        self._call(self._over.set)
        self._thread.join(timeout=10)

    def _call(self, act: object) -> None:
        done = threading.Event()

        def run() -> None:
            assert callable(act)
            act()
            done.set()

        self._loop.call_soon_threadsafe(run)
        done.wait(10)

    def _cut(self) -> None:
        self._is_cut = True
        for link in tuple(self._links):
            link.transport.abort()

    def _mend(self) -> None:
        self._is_cut = False
        self._open.set()

    def _run(self, ready: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve(ready))
        self._loop.close()

    async def _serve(self, ready: threading.Event) -> None:
        self._open.set()
        server = await asyncio.start_server(self._relay, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        await self._over.wait()
        server.close()
        self._cut()
        await asyncio.sleep(0.05)
        for task in asyncio.all_tasks():
            if task is not asyncio.current_task():
                task.cancel()

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_cut:
            writer.transport.abort()
            return
        back, forth = await asyncio.open_unix_connection(self._socket)
        ends = {writer, forth}
        self._links |= ends
        with contextlib.suppress(OSError, asyncio.CancelledError):
            await asyncio.gather(self._to_postgres(reader, forth, writer), self._pass(back, writer))
        self._links -= ends
        for end in ends:
            end.transport.abort()

    async def _to_postgres(
        self, reader: asyncio.StreamReader, forth: asyncio.StreamWriter, client: asyncio.StreamWriter
    ) -> None:
        sent = b""
        while data := await reader.read(65536):
            await self._open.wait()
            sent += data
            if _COMMIT not in data:
                pass
            elif self._commit_fault is None or self._written not in sent:
                sent = b""
            else:
                fault, self._commit_fault = self._commit_fault, None
                if self._stays_cut:
                    self._is_cut = True
                if fault == "after":
                    client.transport.abort()  # first, so that the answer cannot come back
                    forth.write(data)
                    await forth.drain()
                    await asyncio.sleep(0.05)  # until it is committed; then Postgres sees the connection end
                else:
                    client.transport.abort()
                raise ConnectionResetError
            forth.write(data)
            await forth.drain()
        forth.close()

    async def _pass(self, back: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        while data := await back.read(65536):
            await self._open.wait()
            client.write(data)
            await client.drain()
        client.close()


@contextmanager
def full_disk(pid: int) -> Iterator[None]:
    """Let a process write to no file, as if the disk were full. It must not be the process of the tests."""
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (1, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)
