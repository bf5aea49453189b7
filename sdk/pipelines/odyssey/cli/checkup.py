"""What `odyssey doctor` looks at besides the wire: token, SDK, import, tools, tasks, the way to the platform."""

import csv
import importlib
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from pipelines.odyssey.adapters import Described, describe
from pipelines.odyssey.cli.connection import Connection, FaultyError, Server
from pipelines.odyssey.cli.failures import CommandFailedError
from pipelines.odyssey.cli.key_store import last_address
from pipelines.odyssey.cli.login import LOOPBACK, chosen, read_address, shown
from pipelines.odyssey.cli.project import Project
from pipelines.odyssey.cli.seeds import Fault, look_at_seeds, unguarded
from pipelines.odyssey.conformance.finding import Finding, failed, passed, skipped, timed, warned
from pipelines.odyssey.conformance.tools_schema import schema_faults
from pipelines.odyssey.distribution import NAME

PROBE = "/api/odyssey-proxy/tools/__reachability_probe__"
_PACKAGE = "pipelines"
# Like uvicorn, it has the folder first on the path. Nothing is imported.
_WHERE_THE_SDK_IS = f"""
import json, os, sys
from importlib.util import find_spec
sys.path.insert(0, os.getcwd())
spec = find_spec("{_PACKAGE}")
folders = (os.path.join(folder, "odyssey") for folder in (spec and spec.submodule_search_locations) or ())
print(json.dumps([spec and spec.origin, next(filter(os.path.isdir, folders), None)]))
"""
_PLACEHOLDER = "https://agent.example.com/dispatch"
_LINES = 6


class NotLoadedError(CommandFailedError):
    """It cannot be imported; `fix` says what to do."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.fix = fix


class Task(NamedTuple):
    """The first task of the table: what the agent is asked, and the world its tools answer from."""

    instruction: str | None = None
    state: Mapping[str, Any] = {}
    input: Mapping[str, Any] = {}


_TOOLS_TOLD = 5


def token(project: Project) -> Finding:
    name = "token"
    if project.token_env is None:
        fix = "Name a variable in agent.token_env and give it to register_dispatch_route."
        return warned(name, "the agent lets everybody in", fix)
    value = os.environ.get(project.token_env)
    if not value:
        fix = (
            f"Put {project.token_env}=… into .env: "
            "python -c 'import secrets; print(secrets.token_urlsafe(32))' makes one."
        )
        return failed(name, f"{project.token_env} is not set", fix)
    if len(value) < 16:
        return warned(
            name, f"{project.token_env} has {len(value)} characters", "Use 32 random characters or more."
        )
    return passed(name, f"{project.token_env} is set")


def sdk(folder: Path) -> Finding:
    """Look for the SDK in a fresh process of the folder, as the agent will: here it is loaded already."""
    name = "sdk"
    asked = [sys.executable, "-c", _WHERE_THE_SDK_IS]
    done = subprocess.run(asked, cwd=folder, capture_output=True, text=True, check=True)  # noqa: S603
    shadow, found = json.loads(done.stdout)
    if found is None and shadow is not None:
        fix = f"Rename {_PACKAGE}, or remove its __init__.py: then both are found."
        return failed(name, f"{shadow} stands before the SDK: `import {_PACKAGE}.odyssey` fails", fix)
    if found is None:
        return failed(name, f"python finds no {_PACKAGE}.odyssey here", f"Run pip install {NAME}.")
    ours = Path(__file__).parents[1]
    if not Path(found).samefile(ours):
        fix = f"Remove it, or look at the agent with the SDK that it uses: this is the one in {ours}."
        return warned(name, f"the agent uses the SDK in {found}", fix)
    return passed(name, "the agent finds it")


def imported(reference: str, folder: Path) -> tuple[Finding, Any]:
    """Import what is named, and say what is in the way."""
    try:
        found = load(reference, folder)
    except NotLoadedError as error:
        return failed("import", str(error), error.fix), None
    if not callable(found):
        said = f"{reference} is a {type(found).__name__}, not an app"
        return failed("import", said, "Name the FastAPI, Starlette or other ASGI app."), None
    return passed("import", reference), found


def described(project: Project) -> tuple[Finding, Described | None]:
    """Describe the tools and look for what registration would refuse."""
    name = "tools"
    if project.tools is None:
        fix = "Give --tools module:attribute, or agent.tools in odyssey.toml: a list of tools, or the agent itself."
        return skipped(name, "no tools are named", fix), None
    try:
        found = describe(load(project.tools, project.folder))
    except NotLoadedError as error:
        return failed(name, str(error), error.fix), None
    except Exception as error:  # noqa: BLE001 - a framework, or a function of the project, may raise anything
        return failed(
            name, f"{project.tools}: {type(error).__name__}: {error}", "Mend what the message says."
        ), None
    faults = schema_faults(found.tools_schema)
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        return failed(name, faults[0] + more, "Mend the tools_schema: registration would refuse it."), None
    tools = ", ".join(tool["name"] for tool in found.tools_schema)
    if not tools:
        return warned(
            name, f"{project.tools} has no tools", "An agent without tools cannot be observed."
        ), found
    actors = [str(actor.get("actor_id")) for actor in (found.sub_agents or {}).get("sub_agents", ())]
    team = f"; sub-agents {', '.join(actors)}" if actors else ""
    return passed(name, f"{tools}{team}"), found


def validated(project: Project, found: Described, server: Server) -> Finding:
    """Have the platform look at the tools, without saving anything."""
    name = "tools on the platform"
    try:
        choice = chosen(server.url, server.api_key)
        platform = Connection(choice.url, choice.key)
    except CommandFailedError as error:
        return skipped(name, str(error))
    try:
        platform.agents.validate(
            name=project.name,
            mode="http",
            config={"endpoint_url": project.endpoint_url or _PLACEHOLDER},
            tools_schema=found.tools_schema,
        )
    except FaultyError as error:
        about = [fault for fault in error.faults if "tools_schema" in list(fault.get("loc") or ())]
        if about:
            said = f"{'.'.join(map(str, about[0]['loc']))}: {about[0].get('msg')}"
            return failed(name, said, "Mend the tools_schema: the platform refuses it.")
    except CommandFailedError as error:
        return warned(name, str(error), "Check --url and the API key; the tools were looked at here only.")
    finally:
        platform.close()
    return passed(name, f"{platform.address} takes them")


def simulated(found: Described, server: Server) -> Finding:
    """Ask the platform how it will read the calls of the tools, before the first run."""
    name = "simulation"
    try:
        choice = chosen(server.url, server.api_key)
        platform = Connection(choice.url, choice.key)
    except CommandFailedError as error:
        return skipped(name, str(error))
    try:
        read = platform.agents.read_tools(tools_schema=found.tools_schema)["tools"]
    except (FaultyError, CommandFailedError) as error:
        return skipped(name, f"the platform did not say how it reads the tools: {error}")
    finally:
        platform.close()
    clear = [each for each in read if each["answered_by"] != "nobody"]
    lost = [each["tool"] for each in read if each["answered_by"] == "nobody"]
    told = [f"{each['tool']} {each['reading']}" for each in clear[:_TOOLS_TOLD]]
    if len(clear) > _TOOLS_TOLD:
        told.append(f"{len(clear) - _TOOLS_TOLD} more")
    if lost:  # no warning: a world that has what they are about may tell
        told.append(f"not understood from their names alone: {', '.join(lost)}")
    return passed(name, "; ".join(told))


def dataset(path: Path | None) -> Finding:
    name = "dataset"
    if path is None:
        return skipped(
            name, "no table of tasks is named", "Give --dataset tasks.csv, or test.dataset in odyssey.toml."
        )
    try:
        linted = look_at_seeds(path)
    except CommandFailedError as error:
        return failed(name, str(error), "Name a file that is there.")
    for faults, make in ((linted.errors, failed), (linted.warnings, warned)):
        if faults:
            more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
            said = f"{path.name}{_place(faults[0])}: {faults[0].msg}{more}"
            return make(name, said, f"Mend it; odyssey seeds lint {path.name} names everything.")
    return passed(name, f"{path.name}: {linted.rows} rows")


def outbound(server: Server) -> Finding:
    """Knock at the proxy with a token that is none: a 401 shows that it is there and looks at tokens first."""
    name = "platform"
    url = server.url or os.environ.get("ODYSSEY_URL") or last_address()
    if not url:
        return skipped(
            name, "no platform is configured", "Give --url, or set ODYSSEY_URL, to check the way to it."
        )
    address = f"{shown(url)}{PROBE}"
    fix = f"Let this machine reach {shown(url)} (firewall, proxy, name), and check that it is the platform."
    try:
        answer = httpx.post(
            url.rstrip("/") + PROBE,
            json={},
            headers={"Authorization": "Bearer fake-token"},
            timeout=10,
            trust_env=read_address(url).host not in LOOPBACK,
        )
    except httpx.TransportError as error:
        return failed(name, f"{address}: {str(error) or type(error).__name__}", fix)
    if answer.status_code != 401:
        return failed(name, f"{address} gave HTTP {answer.status_code}, not 401", fix)
    return passed(name, f"{shown(url)} answers, and refuses a fake token with 401")


def first_task(path: Path | None) -> Task:
    """Read the first row of a CSV table, as far as it can be read; its faults are told elsewhere."""
    if path is None or path.suffix.lower() != ".csv":
        return Task()
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            row = next(csv.DictReader(file), {})
        return Task(
            unguarded(row.get("user") or "") or None, _object(row.get("state")), _object(row.get("input"))
        )
    except (OSError, ValueError, csv.Error):
        return Task()


def around(project: Project, server: Server, found: Described | None) -> Iterator[Finding]:
    """Look at what does not depend on how the agent is run."""
    if found is not None and found.tools_schema:
        yield timed(lambda: validated(project, found, server))
        yield timed(lambda: simulated(found, server))
    yield timed(lambda: dataset(project.dataset_path))
    yield timed(lambda: outbound(server))


def _object(text: str | None) -> dict[str, Any]:
    value = json.loads(text) if text else {}
    return value if isinstance(value, dict) else {}


def _place(fault: Fault) -> str:
    parts = [None if fault.line is None else f"line {fault.line}", fault.column]
    said = ", ".join(part for part in parts if part)
    return f" {said}" if said else ""


def load(reference: str, folder: Path) -> Any:
    """Import `module:attribute` with the folder first on the path."""
    module, _, attribute = reference.partition(":")
    if not module or not attribute:
        raise NotLoadedError(
            f"{reference!r} names no module and attribute", "Write it as module:attribute, such as agent:app."
        )
    root = str(folder.resolve())
    if sys.path[:1] != [root]:
        sys.path.insert(0, root)
    try:
        found: Any = importlib.import_module(module)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        raise _not_imported(error, module, folder) from None
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise NotLoadedError(
                f"{module} has no {attribute!r}", f"Define {attribute} in {module}, or name another."
            )
        found = getattr(found, part)
    return found


def _not_imported(error: BaseException, module: str, folder: Path) -> NotLoadedError:
    if isinstance(error, ModuleNotFoundError) and error.name == module.partition(".")[0]:
        return NotLoadedError(
            f"there is no module {module!r} in {folder.resolve()}",
            "Run this in the folder of the agent, or name the right module.",
        )
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if "importlib" not in frame.filename and frame.filename != __file__
    ]
    shown = [f"{Path(frame.filename).name}, line {frame.lineno}: {frame.line}" for frame in frames[-_LINES:]]
    said = " | ".join([f"importing {module} raised {type(error).__name__}: {error}", *shown[-2:]])
    return NotLoadedError(said, _fix_of(error))


def _fix_of(error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError):
        return f"Install {error.name}, for instance with pip install -r requirements.txt, where odyssey is installed."
    if isinstance(error, KeyError):
        return f"If {error} is a variable of the environment, set it or put it into .env."
    if isinstance(error, SyntaxError):
        return "Mend the syntax at that line."
    return "Mend what the last line says; python -c 'import …' shows the whole traceback."
