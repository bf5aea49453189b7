"""`odyssey fidelity`: how often simulated tools answer as a recorded back end did."""

import asyncio
import json
import os
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import aiohttp
import msgspec
from cyclopts import Parameter
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from odyssey.agents.ledger_schema import check_initial_state
from odyssey.agents.tools_schema import read_tools_schema
from odyssey.kit.json_reader import JsonInvalidError, read_json
from odyssey.kit.words import shorten
from odyssey.kit.yaml_reader import YamlInvalidError, read_yaml
from odyssey.records.canonical import content_hash
from odyssey.records.faults import Faults
from odyssey.records.problems import FieldError
from odyssey.records.tools import Tool
from odyssey.simulation.behaviours import read_behaviours
from odyssey.simulation.choosing import ChosenEngine, Manner
from odyssey.simulation.engine import Engine
from odyssey.simulation.fidelity import EqualShare, Fidelity, FidelityRow, RecordedTask, as_json, measure
from odyssey.simulation.programs import Program, read_program

# The way from a server command to a running platform: `ODYSSEY_URL`, `ODYSSEY_API_KEY`, failures as one sentence.

DEFAULT_URL = "http://127.0.0.1:8200"
_PATIENCE_S = 120
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


class PlatformRefusedError(Exception):
    """The platform did not do what was asked; the message says why and never holds the key."""


class Platform:
    def __init__(self, url: str, api_key: str) -> None:
        self._url = url.rstrip("/")
        self._api_key = api_key

    @classmethod
    def from_environment(cls) -> "Platform":
        names = ("ODYSSEY_API_KEY", "PIPELINES_API_KEY")
        key = next((os.environ[name].strip() for name in names if os.environ.get(name)), "")
        if not key or not key.isascii() or not key.isprintable():
            raise PlatformRefusedError("There is no API key; set ODYSSEY_API_KEY.")
        url = os.environ.get("ODYSSEY_URL") or DEFAULT_URL
        if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
            raise PlatformRefusedError("ODYSSEY_URL must begin with http:// or https://.")
        return cls(url, key)

    def ask(
        self, method: str, path: str, body: Any = None, *, members: Collection[str] = ()
    ) -> dict[str, Any]:
        """Send one request; returns the object that is answered, which has at least these members."""
        status, told = asyncio.run(self._ask(method, path, body))
        if status >= 300 or not isinstance(told, dict) or not told.keys() >= set(members):
            detail = told.get("detail") if isinstance(told, dict) else None
            raise PlatformRefusedError(
                f"{self._shown} answered {status}: {detail or 'that is not Odyssey; check the address'}"
            )
        return told

    async def _ask(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        timeout = aiohttp.ClientTimeout(total=_PATIENCE_S, connect=10)
        trust_env = urlsplit(self._url).hostname not in _LOOPBACK
        headers = {"X-API-Key": self._api_key}
        try:
            async with (
                aiohttp.ClientSession(timeout=timeout, trust_env=trust_env, headers=headers) as client,
                client.request(method, self._url + path, json=body, allow_redirects=False) as answer,
            ):
                return answer.status, await answer.json(content_type=None)
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            raise PlatformRefusedError(f"{self._shown} cannot be asked: {_reason(error)}.") from error

    @property
    def _shown(self) -> str:
        parts = urlsplit(self._url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    return "no connection" if isinstance(error, aiohttp.ClientConnectionError) else "its answer is not JSON"


_WIDTH_OF_A_LOG = 140
_SHARES = {
    "responses": "responses",
    "reads": "of reads",
    "changes": "changes",
    "refusals": "refusals",
    "refusal_texts": "same words",
    "sure": "sure and right",
}
_LONGEST_SHOWN = 60


class FileRefusedError(Exception):
    """A file cannot be used; the message names it and says what to mend."""


def fidelity(
    *,
    tools: Path,
    state: Path | None = None,
    calls: Path,
    world: int | None = None,
    behavior: Path | None = None,
    programs: Path | None = None,
    as_json_text: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """Replay recorded calls of a real back end and print how often simulated tools answer the same.

    Every task starts from the state. After each call the recorded changes are put into the world, so that one miss
    counts once. Shares come with their 95 % Wilson intervals.

    Parameters
    ----------
    tools
        JSON file with the list of tools, as in an agent's tools_schema.
    state
        JSON file with the world: {entity type: {id: {field: value}}}. May be left out with --world.
    calls
        JSON Lines, one task a line: {"task", "calls": [{"tool", "args", "response", "error", "changes"}]}.
    world
        Id of a named world: measure on its state, and send it the report, which its runs then carry. The platform is
        the one at ODYSSEY_URL, asked with ODYSSEY_API_KEY.
    behavior
        Text file of behaviour lines to lie over the engine; not with --world.
    programs
        YAML or JSON file {tool: program} of programs that answer before it; not with --world.
    as_json_text
        Print one JSON object instead of the table.
    """
    try:
        listed = read_tools(tools)
        tasks = read_tasks(calls, {tool.name for tool in listed})
        _check_alone(world, behavior, programs)
        named = None if world is None else NamedWorld(Platform.from_environment(), world)
        initial = _initial_state(state, named)
        engine = read_engine(listed, initial, behavior, programs)
    except (FileRefusedError, PlatformRefusedError) as error:
        sys.exit(f"odyssey: {error}")
    screen = Console(stderr=True)
    with Progress(console=screen, transient=True, disable=not screen.is_terminal) as progress:
        replaying = progress.add_task("Replaying", total=len(tasks))
        found = measure(engine, listed, initial, tasks, advance=lambda: progress.advance(replaying))
    if as_json_text:
        print(json.dumps(as_json(found), indent=2))
    else:
        width = None if sys.stdout.isatty() else _WIDTH_OF_A_LOG
        console = Console(width=width)
        console.print(table(found, len(tasks), _measured(behavior, programs)))
        for line in difference_lines(found):
            console.print(line, soft_wrap=True, markup=False, highlight=False)
    if named is not None:
        try:
            named.send(as_json(found))
        except PlatformRefusedError as error:
            sys.exit(f"odyssey: {error}")


def _check_alone(world: int | None, behavior: Path | None, programs: Path | None) -> None:
    if world is not None and (behavior or programs):
        raise FileRefusedError(
            "the report that a world keeps is of the world engine alone: leave --behavior and --programs out, "
            "or measure on --state FILE"
        )


def _measured(behavior: Path | None, programs: Path | None) -> str:
    beside = [name for name, given in (("behaviours", behavior), ("programs", programs)) if given]
    return f"the world engine with {' and '.join(beside)}" if beside else "the world engine"


def read_engine(
    tools: list[Tool], state: dict[str, Any], behavior: Path | None, programs: Path | None
) -> Engine:
    """The engine to measure; a line that is not understood is told and left out."""
    names = frozenset(tool.name for tool in tools)
    text = "" if behavior is None else _bytes(behavior).decode("utf-8", "replace")
    read = read_behaviours(text, tools=names, types=frozenset(state))
    if behavior is not None and read.errors:
        _refuse_faults(behavior, read.errors)
    for line in read.lines:
        if line.problem is not None:
            print(f"odyssey: {behavior}, line {line.number} is left out: {line.problem}", file=sys.stderr)
    return ChosenEngine(Manner({} if programs is None else read_programs(programs, tools), read.behaviours))


def read_programs(path: Path, tools: list[Tool]) -> dict[str, Program]:
    try:
        raw = read_yaml(_bytes(path))
    except YamlInvalidError as error:
        raise FileRefusedError(f"{path}: {error}") from error
    by_name = {tool.name: tool for tool in tools}
    if not isinstance(raw, dict) or not raw.keys() <= by_name.keys():
        raise FileRefusedError(f"{path} must hold {{tool: program}} with tools of the list")
    faults = Faults()
    read = {name: read_program(program, faults.at(name), tool=by_name[name]) for name, program in raw.items()}
    _refuse_faults(path, faults.found)
    return {name: program for name, program in read.items() if program is not None}


class NamedWorld:
    """A world on a platform, as it was when the measurement began."""

    def __init__(self, platform: Platform, world_id: int) -> None:
        self._platform = platform
        self._path = f"/api/worlds/{world_id}"
        self._seen = platform.ask("GET", self._path, members=("hash", "initial_state"))

    @property
    def state(self) -> dict[str, Any]:
        state: dict[str, Any] = self._seen["initial_state"]
        return state

    def holds(self, state: dict[str, Any]) -> bool:
        return bool(content_hash(state) == self._seen["hash"])

    def send(self, report: dict[str, Any]) -> None:
        """Hand the report over; the platform refuses it if the world has changed since."""
        self._platform.ask("PUT", f"{self._path}/fidelity", {**report, "state_hash": self._seen["hash"]})


def _initial_state(path: Path | None, named: NamedWorld | None) -> dict[str, Any]:
    if path is None:
        if named is None:
            raise FileRefusedError("give the world to measure on: --state FILE, or --world ID")
        return named.state
    state = read_state(path)
    if named is not None and not named.holds(state):
        raise FileRefusedError(
            f"{path} is not the state of the world; leave --state out to measure on the world's"
        )
    return state


def read_tools(path: Path) -> list[Tool]:
    tools, faults = read_tools_schema(_read(path))
    _refuse_faults(path, faults)
    return tools


def read_state(path: Path) -> dict[str, Any]:
    state = _read(path)
    _refuse_faults(path, check_initial_state(state, None))
    assert isinstance(state, dict)
    return state


def read_tasks(path: Path, tools: set[str]) -> list[RecordedTask]:
    tasks: list[RecordedTask] = []
    for number, line in enumerate(_bytes(path).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            task = msgspec.convert(read_json(line), RecordedTask)
        except (JsonInvalidError, msgspec.ValidationError) as error:
            problem = str(error).replace(" at line 1 column", " at column")
            raise FileRefusedError(f"{path}, line {number}: {problem}") from error
        unknown = next((call.tool for call in task.calls if call.tool not in tools), None)
        if unknown is not None:
            raise FileRefusedError(f"{path}, line {number}: the tool {unknown!r} is not in the list of tools")
        tasks.append(task)
    if not tasks:
        raise FileRefusedError(f"{path} holds no task")
    return tasks


def table(found: Fidelity, tasks: int, measured: str = "the world engine") -> Table:
    caption = (
        "Shares with 95 % Wilson intervals. Reads: calls that changed nothing, of tools that touch the world. "
        "Changes: of the calls by which either side changed it. Refusals: of the calls that either side refused. "
        "Sure and right: of the answers told with a confidence of 0.6 or more."
    )
    drawn = Table(title=f"Fidelity of {measured}: {tasks} tasks", caption=caption)
    drawn.add_column("tool", overflow="fold")
    drawn.add_column("calls", justify="right")
    for title in _SHARES.values():
        drawn.add_column(title, justify="right")
    for name, row in found.tools.items():
        if name not in found.stateless:
            drawn.add_row(name, *_cells(row))
    for name in sorted(found.stateless):
        drawn.add_row(f"{name} (no state)", *_cells(found.tools[name]), style="dim")
    drawn.add_section()
    drawn.add_row("all", *_cells(found.total), style="bold")
    return drawn


def difference_lines(found: Fidelity) -> Iterator[str]:
    """Tell for each tool with a miss where its first one parts from the recording."""
    if found.differences:
        yield "First differences:"
    for tool, differs in found.differences.items():
        said = f"{_shown(differs.recorded)} recorded, {_shown(differs.simulated)} simulated"
        yield f"  {tool}  {differs.where}: {said}"


def _shown(value: Any) -> str:
    return shorten(json.dumps(value, ensure_ascii=False), _LONGEST_SHOWN)


def _cells(row: FidelityRow) -> list[str]:
    return [f"{row.calls:,}", *(_cell(getattr(row, name)) for name in _SHARES)]


def _cell(share: EqualShare) -> str:
    if share.share is None:
        return "–"
    low, high = share.interval
    return f"{share.share:.1%} ({low:.0%}–{high:.0%})"


def _read(path: Path) -> Any:
    try:
        return read_json(_bytes(path))
    except JsonInvalidError as error:
        raise FileRefusedError(f"{path}: {error}") from error


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise FileRefusedError(f"{path} cannot be read: {error.strerror}") from error


def _refuse_faults(path: Path, faults: list[FieldError]) -> None:
    if faults:
        place = ".".join(str(step) for step in faults[0].loc)
        raise FileRefusedError(f"{path}: {place}: {faults[0].msg}")
