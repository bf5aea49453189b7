"""`odyssey.toml`: what a project says about its agent and its tests."""

import difflib
import json
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pipelines.odyssey.cli.failures import CommandFailedError

FILE = "odyssey.toml"
DEFAULT_TOKEN_ENV = "AGENT_TOKEN"  # noqa: S105 - the name of a variable
MOST_BYTES = 1024 * 1024

Mode = Literal["http", "code"]


@dataclass(frozen=True, kw_only=True)
class Project:
    folder: Path
    """Where the file lies; what it names is found from here."""
    name: str
    """What the agent is called on the platform."""
    app: str | None = None
    """`module:attribute` of the ASGI app that is served (http mode)."""
    tools: str | None = None
    """`module:attribute` of the tools, of an agent, or of a function that makes one."""
    path: str = "/dispatch"
    """Where the app takes dispatches."""
    mode: Mode = "http"
    entrypoint: str | None = None
    """`module:attribute` of the function that does the work (code mode)."""
    token_env: str | None = DEFAULT_TOKEN_ENV
    """The variable with the token that callers must show; None lets everybody in."""
    endpoint_url: str | None = None
    """Where the agent is deployed."""
    run_timeout_s: int | None = None
    dataset: str | None = None
    """The table of tasks, from the folder of the file."""
    min_pass_rate: float = 1.0
    repeats: int = 1

    @property
    def file(self) -> Path:
        return self.folder / FILE

    @property
    def dataset_path(self) -> Path | None:
        return None if self.dataset is None else self.folder / self.dataset


def read_project(folder: Path | None = None) -> Project:
    """Read the file of a folder, by default the working directory; every fault names file, key and what to do."""
    folder = folder or Path()
    path = folder / FILE
    document = _document(path)
    tables = {"agent": _AGENT, "test": _TEST}
    _check_names(path, "", document, tables)
    read: dict[str, Any] = {}
    for table, readers in tables.items():
        given = document.get(table, {})
        if not isinstance(given, dict):
            raise _fault(path, table, f"must be a table; write [{table}] and its keys below")
        _check_names(path, f"{table}.", given, readers)
        for key, value in given.items():
            problem = readers[key](value)
            if problem is not None:
                raise _fault(path, f"{table}.{key}", problem)
        read |= given
    return _checked(path, Project(folder=folder, **_meaning(path, read)))


def read_http_project(folder: Path | None = None) -> Project:
    """Read the file of an agent that is to be dispatched; the platform does not run code agents yet."""
    project = read_project(folder)
    if project.mode == "code":
        raise CommandFailedError(
            "This version of Odyssey does not run code agents yet; `odyssey doctor` checks this one here. To have it"
            f' run, serve it over HTTP and write mode = "http" into {project.file}.'
        )
    return project


def find_project(folder: Path | None = None) -> Project | None:
    """Read the file of a folder if there is one."""
    return read_project(folder) if ((folder or Path()) / FILE).exists() else None


def write_project(project: Project) -> Path:
    """Write the file anew, with every key that says more than its default."""
    plain = Project(folder=project.folder, name=project.name)
    lines = ["[agent]", f"name = {_toml(project.name)}"]
    lines += [_line(project, key) for key in _AGENT if key != "name" and _differs(project, plain, key)]
    tested = [_line(project, key) for key in _TEST if _differs(project, plain, key)]
    lines += ["", "[test]", *tested] if tested else []
    try:
        project.file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    except OSError as error:
        raise CommandFailedError(f"{project.file} cannot be written: {error.strerror}.") from None
    return project.file


def _document(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise CommandFailedError(
            f"There is no {path}; `odyssey init` writes one, and [agent] with a name is enough."
        ) from None
    except OSError as error:
        raise CommandFailedError(f"{path} cannot be read: {error.strerror}.") from None
    if len(content) > MOST_BYTES:
        raise CommandFailedError(f"{path} has more than 1 MiB; it holds a few settings, not data.")
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise CommandFailedError(f"{path} is not UTF-8; save it as UTF-8.") from None
    except RecursionError:
        raise CommandFailedError(f"{path} is not TOML: it is nested too deeply.") from None
    except tomllib.TOMLDecodeError as error:
        raise CommandFailedError(f"{path} is not TOML: {error}.") from None


def _meaning(path: Path, read: Mapping[str, Any]) -> dict[str, Any]:
    if "name" not in read:
        raise _fault(path, "agent.name", "is missing; say what the agent is called")
    meant = dict(read)
    if meant.get("token_env") == "":  # TOML has no null
        meant["token_env"] = None
    return meant


def _checked(path: Path, project: Project) -> Project:
    if project.mode == "code" and project.app is not None:
        raise _fault(path, "agent.app", "belongs to mode http; in mode code name an entrypoint")
    if project.mode == "http" and project.entrypoint is not None:
        raise _fault(path, "agent.entrypoint", 'belongs to mode = "code"; in mode http name an app')
    return project


def _check_names(path: Path, prefix: str, given: Mapping[str, Any], known: Collection[str]) -> None:
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name.lower().replace("-", "_"), known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
            raise _fault(path, f"{prefix}{name}", f"is not known; {hint}")


def _fault(path: Path, key: str, message: str) -> CommandFailedError:
    return CommandFailedError(f"{path}: {key} {message}.")


Reader = Callable[[Any], str | None]
"""Says what is wrong with a value, and what to write; None if nothing is."""


def _text(most: int) -> Reader:
    def read(value: Any) -> str | None:
        if isinstance(value, str) and value.strip() and len(value) <= most and value.isprintable():
            return None
        return f'must be a text of 1 to {most} characters in quotes, such as "…"'

    return read


def _reference(value: Any) -> str | None:
    if isinstance(value, str):
        module, colon, attribute = value.partition(":")
        parts = [*module.split("."), *attribute.split(".")]
        if colon and all(part.isidentifier() for part in parts):
            return None
    return 'must name a module and what is in it, such as "agent:app"'


def _web_path(value: Any) -> str | None:
    good = isinstance(value, str) and value.startswith("/") and value.isprintable() and " " not in value
    return None if good else 'must be a path that begins with "/", such as "/dispatch"'


def _mode(value: Any) -> str | None:
    return None if value in ("http", "code") else 'must be "http" or "code"'


def _variable(value: Any) -> str | None:
    good = isinstance(value, str) and (not value or value.isidentifier()) and value.isascii()
    return None if good else 'must name a variable, such as "AGENT_TOKEN"; "" lets everybody in'


def _url(value: Any) -> str | None:
    good = isinstance(value, str) and value.startswith(("http://", "https://")) and " " not in value
    return None if good else 'must be an address that begins with "http://" or "https://"'


def _whole(least: int, most: int) -> Reader:
    def read(value: Any) -> str | None:
        good = type(value) is int and least <= value <= most
        return None if good else f"must be a whole number from {least} to {most}"

    return read


def _share(value: Any) -> str | None:
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return None if good else "must be a number from 0 to 1, such as 0.9"


_AGENT: dict[str, Reader] = {
    "name": _text(255),
    "app": _reference,
    "tools": _reference,
    "path": _web_path,
    "mode": _mode,
    "entrypoint": _reference,
    "token_env": _variable,
    "endpoint_url": _url,
    "run_timeout_s": _whole(1, 1800),
}
_TEST: dict[str, Reader] = {"dataset": _text(4096), "min_pass_rate": _share, "repeats": _whole(1, 100)}


def _differs(project: Project, plain: Project, key: str) -> bool:
    return bool(getattr(project, key) != getattr(plain, key))


def _line(project: Project, key: str) -> str:
    value = getattr(project, key)
    return f"{key} = {_toml('' if value is None else value)}"


def _toml(value: str | float) -> str:
    """Write a value; a string of JSON in ASCII is one of TOML too, but for characters beyond the first plane."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
