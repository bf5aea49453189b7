"""`odyssey up`: the whole platform in one process."""

import asyncio
import gc
import re
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import uvicorn
from cyclopts import Parameter
from pydantic import ValidationError
from uvicorn.supervisors import ChangeReload

from odyssey.api.front import Front
from odyssey.api.receipt import with_deadline
from odyssey.commands.data_directory import (
    DataDirectory,
    SecretKey,
    StartRefusedError,
    choose_secret_key,
)
from odyssey.commands.signin_link import browser_address, link_address, local_address
from odyssey.core.clock import PlatformClock
from odyssey.core.database import Database
from odyssey.core.depends import part_of
from odyssey.core.logging import configure_logging
from odyssey.core.migrate import DatabaseUnusableError, check_file, check_tables, explained, migrate
from odyssey.core.settings import Settings
from odyssey.core.signals import Signals
from odyssey.identity.bootstrap import bootstrap, check_api_key_shape
from odyssey.identity.browser_sessions import create_signin_link
from odyssey.identity.keys import MasterKey
from odyssey.identity.repository import find_first_admin
from odyssey.identity.vault import UnsealError, Vault
from odyssey.main import create_app
from odyssey.runs.executor import Executor

_DATABASE_URL = re.compile(r"postgres(?:ql)?(?:\+\w+)?://")


def up(
    *,
    host: str | None = None,
    port: int | None = None,
    data: Path | None = None,
    database_url: str | None = None,
    reload: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Start the platform and stay up until stopped.

    Parameters
    ----------
    host
        Address to listen on (default 127.0.0.1).
    port
        Port to listen on (default 8200); 0 takes a free one.
    data
        Directory of the embedded database and the secret key (default ./.odyssey).
    database_url
        A Postgres database instead of the embedded one; needs ODYSSEY_SECRET_KEY.
    reload
        Start anew when the code changes (for work on Odyssey itself).
    """
    given = {"host": host, "port": port, "data": data, "database_url": database_url}
    chosen = {name: value for name, value in given.items() if value is not None}
    if reload:
        _run_reloading(chosen)
        return
    try:
        serve(_settings(chosen))
    except StartRefusedError as error:
        sys.exit(f"odyssey: {error}")


def _settings(chosen: dict[str, Any]) -> Settings:
    try:
        settings = Settings(**chosen)
        if settings.bootstrap_api_key is not None:
            check_api_key_shape(settings.bootstrap_api_key.get_secret_value())
    except ValidationError as error:
        faults = "; ".join(f"ODYSSEY_{str(item['loc'][0]).upper()}: {item['msg']}" for item in error.errors())
        raise StartRefusedError(f"A setting is not valid: {faults}.") from None
    except ValueError as error:
        raise StartRefusedError(f"{error}.") from None
    if settings.database_url is not None and not _DATABASE_URL.match(settings.database_url):
        raise StartRefusedError(
            "--database-url must begin with postgresql://; leave it out for the embedded database."
        )
    return settings


def serve(settings: Settings) -> None:
    configure_logging(settings.log_level)
    if settings.database_url is not None:
        _serve_from(settings.database_url, None, settings)
        return
    directory = DataDirectory(settings.data)
    with directory.held():
        directory.check_database_file()
        _serve_from(directory.database_url, directory, settings)


def _serve_from(url: str, directory: DataDirectory | None, settings: Settings) -> None:
    secret_key = choose_secret_key(settings, directory)
    with _listen(settings.host, settings.port) as listener:
        port = listener.getsockname()[1]
        public_url = settings.public_url or local_address(settings.host, port)
        try:
            app = create_app(settings, database_url=url, secret_key=secret_key.text, public_url=public_url)
        except ValueError as error:
            raise StartRefusedError(f"{error}.") from None
        first_secrets = asyncio.run(_prepare(url, settings, secret_key))
        if directory is not None:
            directory.keep_address(browser_address(settings, port))
        _serve_until_stopped(app, listener, settings, _greeting(settings, port, *first_secrets))


async def _prepare(url: str, settings: Settings, secret_key: SecretKey) -> tuple[str | None, str | None]:
    """Make the database fit to serve; returns the first API key, where it is new, and a link to sign in."""
    database = Database(url)
    wanted = settings.bootstrap_api_key
    clock = PlatformClock()
    vault = Vault(MasterKey(secret_key.text), clock)
    try:
        with explained(database):
            await check_file(database)
            await migrate(database)
            await check_tables(database)
            await clock.begin(database)  # by which the server will judge the link's age
            async with database.write() as session:
                await vault.check_key(session)
                secret_key.keep()  # before anything is sealed with it
                given = None if wanted is None else wanted.get_secret_value()
                new_key = await bootstrap(session, clock, given)
                admin = await find_first_admin(session)
                if admin is None:
                    return new_key, None
                await vault.ensure_data_key(session, admin.org_id)
                return new_key, await create_signin_link(session, clock, admin)
    except UnsealError as error:
        raise StartRefusedError(
            f"{secret_key.origin} the key that the secrets in this database were sealed with: {error}. "
            'If it is lost, see "If the secret key is lost" in docs/guides/operate.md.'
        ) from None
    except DatabaseUnusableError as error:
        raise StartRefusedError(str(error)) from error
    finally:
        await database.close()


def _greeting(settings: Settings, port: int, new_key: str | None, link: str | None) -> str:
    """Say where it is. Key and link go to standard output and nowhere near the logger."""
    lines = [f"Odyssey is up at {local_address(settings.host, port)}"]
    if new_key is not None and settings.bootstrap_api_key is None:
        lines.append(f"API key of admin@localhost, shown this once: {new_key}")
    if link is not None:
        address = link_address(browser_address(settings, port), link)
        lines.append(f"Sign in (once, within 15 minutes): {address}")
    return "\n".join(lines)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with ExitStack() as refused:
            listener = socket.socket(
                family, socket.SOCK_STREAM, socket.IPPROTO_TCP
            )  # named, or asyncio keeps Nagle on
            refused.callback(listener.close)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
            listener.listen(2048)
            refused.pop_all()
    except OSError as error:
        raise StartRefusedError(
            f"Cannot listen on {host}:{port}: {error.strerror}. Choose another --port."
        ) from error
    listener.setblocking(False)
    return listener


def _serve_until_stopped(app: Front, listener: socket.socket, settings: Settings, greeting: str) -> None:
    config = uvicorn.Config(
        app,
        http=with_deadline(settings.receipt_seconds),
        loop="uvloop",
        ws="none",
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=max(1, int(settings.drain_seconds)),
    )
    server = _GreetingServer(config, part_of(app.app, Executor), part_of(app.app, Signals), greeting)
    server.run(sockets=[listener])


class _GreetingServer(uvicorn.Server):
    """A server for which being asked to stop is a normal end: runs first, while the proxy still serves them."""

    def __init__(self, config: uvicorn.Config, executor: Executor, signals: Signals, greeting: str) -> None:
        super().__init__(config)
        self._executor = executor
        self._signals = signals
        self._greeting = greeting

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            gc.collect()
            gc.freeze()  # what is there now stays: a full collection need not walk it again, which calls would wait for
            print(self._greeting, flush=True)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        with super().capture_signals():
            yield
            self._captured_signals.clear()  # or uvicorn would now die of the signal it has obeyed

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._executor.stop()
        self._signals.close()
        await super().shutdown(sockets)


def _run_reloading(chosen: dict[str, Any]) -> None:
    """Let uvicorn watch the code and start the server anew in a child on every change."""
    config = uvicorn.Config(
        "odyssey.main:create_app", reload=True, reload_dirs=[str(Path(__file__).parents[1])], log_config=None
    )
    ChangeReload(config, target=partial(_serve_child, chosen), sockets=[]).run()


def _serve_child(chosen: dict[str, Any], sockets: list[socket.socket]) -> None:
    serve(_settings(chosen))
