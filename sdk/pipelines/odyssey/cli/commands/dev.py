"""`odyssey dev`: an agent served here with reload, registered, and its runs told of as they end."""

import os
import secrets
import signal
import sys
import time
from collections.abc import Iterator
from typing import Annotated, NoReturn

import httpx
from cyclopts import Parameter, validators

from pipelines.odyssey.adapters import Described
from pipelines.odyssey.cli.commands.options import Folder
from pipelines.odyssey.cli.connection import Connection, Server, UnreachableError, connected, failing
from pipelines.odyssey.cli.described import describe_afresh
from pipelines.odyssey.cli.failures import CommandFailedError
from pipelines.odyssey.cli.login import is_loopback
from pipelines.odyssey.cli.printing.figures import verdict_part
from pipelines.odyssey.cli.printing.screen import Part, Screen, clean, word
from pipelines.odyssey.cli.printing.timeline import duration, seconds_between
from pipelines.odyssey.cli.project import Project, read_http_project
from pipelines.odyssey.cli.registration import print_registered, publish_agent, register
from pipelines.odyssey.cli.serving import Fingerprint, fingerprint, free_port, served, wait_for_ping
from pipelines.odyssey.client import types as t
from pipelines.odyssey.client.waiting import run_is_done

Port = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=65535))]

_PAUSE_S = 0.5
_TOKEN_BYTES = 24


def dev(
    *,
    port: Port | None = None,
    public_url: str | None = None,
    folder: Folder = None,
    server: Server | None = None,
) -> None:
    """Serve the app of odyssey.toml with reload, register and publish it, and print a line for each run that ends.

    The agent is registered again when its tools change. Ctrl-C ends it.

    Parameters
    ----------
    port
        Where to serve; without it, on a free port.
    public_url
        Under which address the platform reaches this machine; needed if it runs elsewhere.
    folder
        Where odyssey.toml lies, if not here.
    server
        Which platform to ask.
    """
    signal.signal(signal.SIGTERM, _stop)
    with failing():
        project = read_http_project(folder)
        # Before it is described, or what is saved meanwhile would never be looked at.
        seen = fingerprint(project.folder)
        described = describe_afresh(project)
    with connected(server) as platform:
        number = port or free_port()
        here = f"http://127.0.0.1:{number}{project.path}"
        address = _address(platform, here, public_url, project)
        token, environ = _token(project)
        screen = Screen()
        try:
            with served(project, number, environ) as child:
                wait_for_ping(child, here, token)
                session = _Session(platform, screen, project, address, token)
                session.register(described)
                runs = session.runs_from_now()
                screen.line(clean(f"Serving {project.app} at {here}; Ctrl-C ends it."))
                _flush()
                session.follow(runs, seen)
        except KeyboardInterrupt:
            screen.line("Ended.")


class _EndedRuns:
    """What has ended since the last look."""

    def __init__(self, platform: Connection, agent_id: int) -> None:
        self._platform = platform
        self._agent_id = agent_id
        newest = platform.runs.page(limit=1, agent_id=agent_id)["items"]
        self._floor = newest[0]["id"] if newest else 0
        """All runs up to this number are told of, or were there before us."""
        self._told: set[int] = set()

    def look(self) -> Iterator[t.RunSummary]:
        """Give the runs that ended and have their verdict, the oldest first."""
        later = self._later()
        for run in later:
            if run["id"] not in self._told and run_is_done(run):
                self._told.add(run["id"])
                yield run
        while later and later[0]["id"] in self._told:
            self._floor = later.pop(0)["id"]
            self._told.discard(self._floor)

    def _later(self) -> list[t.RunSummary]:
        found: list[t.RunSummary] = []
        for run in self._platform.runs.list(agent_id=self._agent_id):
            if run["id"] <= self._floor:
                break
            found.append(run)
        return found[::-1]


class _Session:
    def __init__(
        self, platform: Connection, screen: Screen, project: Project, address: str, token: str | None
    ) -> None:
        self._platform = platform
        self._screen = screen
        self._project = project
        self._address = address
        self._token = token
        self._described: Described | None = None
        self._agent_id = 0

    def register(self, described: Described) -> None:
        found = register(
            self._platform, self._project, described, endpoint_url=self._address, token=self._token
        )
        self._agent_id = publish_agent(self._platform, found.agent)["id"]
        self._described = described
        print_registered(self._screen, found)
        self._screen.line(clean(f"It is published; runs go to {self._address}."))
        _flush()

    def runs_from_now(self) -> _EndedRuns:
        return _EndedRuns(self._platform, self._agent_id)

    def follow(self, runs: _EndedRuns, seen: Fingerprint) -> NoReturn:
        is_away = False
        while True:
            try:
                for run in runs.look():
                    _print_run(self._screen, run)
                is_away = False
            except UnreachableError as error:
                if not is_away:
                    _say(f"{error} It is asked again until it answers.")
                is_away = True
            now = fingerprint(self._project.folder)
            if now != seen:
                seen = now
                self._look_again()
            time.sleep(_PAUSE_S)

    def _look_again(self) -> None:
        """Register the agent anew if its tools are not as they were; code may be broken while it is written."""
        try:
            described = describe_afresh(self._project)
            if described != self._described:
                self.register(described)
        except CommandFailedError as error:
            _say(str(error))


def _print_run(screen: Screen, run: t.RunSummary) -> None:
    took = ""
    if run["started_at"] is not None and run["finished_at"] is not None:
        took = duration(seconds_between(run["started_at"], run["finished_at"]))
    why = run["error_class"] or run["failure_mode"]
    parts = [Part(word(run["status"])), verdict_part(run["verdict"])]
    parts += [Part(word(why))] if why else []
    screen.parts(f"Run {run['id']}  ", [*parts, *([Part(took)] if took else [])])
    _flush()


def _address(platform: Connection, here: str, public_url: str | None, project: Project) -> str:
    if public_url is not None:
        try:
            given = httpx.URL(public_url)
        except httpx.InvalidURL:
            raise CommandFailedError("--public-url is not a URL.") from None
        if given.scheme not in ("http", "https") or not given.host:
            raise CommandFailedError("--public-url must begin with http:// or https://.")
        return str(given) if given.path not in ("", "/") else str(given).rstrip("/") + project.path
    if not is_loopback(platform.address):
        raise CommandFailedError(
            f"{platform.address} cannot reach this machine by {here}: open a tunnel to it, and give its address "
            "as --public-url."
        )
    return here


def _token(project: Project) -> tuple[str | None, dict[str, str]]:
    """Return the token and the environment of the agent; one that nobody has set is made for this session."""
    environ = dict(os.environ)
    if project.token_env is None:
        return None, environ
    token = environ.get(project.token_env) or secrets.token_urlsafe(_TOKEN_BYTES)
    return token, environ | {project.token_env: token}


def _say(sentence: str) -> None:
    sys.stderr.write(f"odyssey: {clean(sentence)}\n")


def _flush() -> None:
    sys.stdout.flush()


def _stop(*_: object) -> NoReturn:
    raise KeyboardInterrupt
