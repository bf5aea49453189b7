"""`odyssey init`: a project that runs at once."""

import json
import os
import secrets
import shlex
from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template
from typing import Annotated, Literal, NamedTuple

from cyclopts import Parameter

from pipelines.odyssey.cli.commands.options import AsJson, Switch
from pipelines.odyssey.cli.connection import failing
from pipelines.odyssey.cli.failures import CommandFailedError
from pipelines.odyssey.cli.printing.screen import Screen, clean
from pipelines.odyssey.distribution import requirement

Framework = Literal["plain", "openai-agents", "anthropic", "langchain", "strands"]
Mode = Literal["http", "code"]

_SUFFIX = ".template"
_SAID = {
    "plain": "",
    "openai-agents": " in the OpenAI Agents SDK",
    "anthropic": " on the Anthropic SDK",
    "langchain": " in LangGraph",
    "strands": " in Strands",
}
_TOOLS = {"plain": "agent:TOOLS", "anthropic": "agent:SUPERVISOR"}
_IGNORED = ".env\n__pycache__/\n.venv/\n"
_SECRET_MODE = 0o600
_LONGEST = 255


def init(
    folder: Annotated[Path, Parameter(name="--dir")] = Path(),
    *,
    framework: Framework = "plain",
    mode: Mode = "http",
    name: str | None = None,
    force: Annotated[bool, Switch] = False,
    json_output: AsJson = False,
) -> None:
    """Write a small agent with three tasks, ready to run without any key, and the files around it.

    Parameters
    ----------
    folder
        Where to write; made if it is not there.
    framework
        What the agent is written with; plain needs nothing.
    mode
        http: you serve the agent. code: the platform runs it in a sandbox.
    name
        What the agent is called on the platform; else after the folder.
    force
        Replace files that are there, but never a .env.
    json_output
        Print {folder, files, next}.
    """
    with failing():
        called = _name(name, folder)
        files = _write_files(_new_files(folder, framework=framework, mode=mode, name=called), force=force)
        then = _next(folder, framework, mode)
        screen = Screen()
        if json_output:
            names = [file.path.name for file in files]
            screen.json({"folder": str(folder.absolute()), "files": names, "next": then})
            return
        for file in files:
            kept = "  (a new token; keep it secret)" if file.is_secret else ""
            screen.line(clean(f"wrote  {file.path}{kept}"))
        screen.line()
        screen.line("Next:")
        for command in then:
            screen.line(clean(f"  {command}"))


def _name(name: str | None, folder: Path) -> str:
    called = (name if name is not None else folder.resolve().name).strip() or "Refunds desk"
    if len(called) > _LONGEST or not called.isprintable():
        raise CommandFailedError(
            f"A name has 1 to {_LONGEST} characters that can be seen; give another --name."
        )
    return called


def _next(folder: Path, framework: Framework, mode: Mode) -> list[str]:
    go = [] if folder.resolve() == Path.cwd() else [f"cd {shlex.quote(str(folder))}"]
    install = "pip install -r requirements.txt"
    if mode == "code":
        local = "python -m pipelines.odyssey.local agent:run"
        tried = f'{local} --instruction "Please refund ord_1." --answers answers.json --without-sdk'
        steps = [*go, "odyssey doctor", tried]
    else:
        steps = [*go, install, "odyssey doctor", "odyssey dev"]
    return steps if len(steps) <= 3 else [" && ".join(steps[:2]), *steps[2:]]


class _NewFile(NamedTuple):
    path: Path
    text: str
    is_secret: bool = False


def _new_files(folder: Path, *, framework: Framework, mode: Mode, name: str) -> list[_NewFile]:
    """Make the files of a project; nothing is written yet."""
    if mode == "code" and framework != "plain":
        raise CommandFailedError(
            f"--mode code has one scaffold, which needs no framework; leave --framework {framework} out."
        )
    root = resources.files("pipelines.odyssey.cli") / "scaffolds"
    kind = "code" if mode == "code" else framework
    texts = {**_templates(root / kind), "tasks.csv": _read(root / "tasks.csv")}
    readme = Template(_read(root / f"{mode}.README.md{_SUFFIX}"))
    texts |= {
        "odyssey.toml": _project(framework, mode, name),
        "README.md": readme.substitute(name=name, framework=_SAID[framework]),
        "requirements.txt": _requirements(framework, mode),
        ".gitignore": _IGNORED,
    }
    files = [_NewFile(folder / file, text) for file, text in sorted(texts.items())]
    if mode == "http":
        files.append(_NewFile(folder / ".env", f"AGENT_TOKEN={secrets.token_urlsafe(32)}\n", is_secret=True))
    return files


def _write_files(files: list[_NewFile], *, force: bool) -> list[_NewFile]:
    """Write all files or none; one that is there is named, and replaced only by force, a secret not even then."""
    there = [file.path.name for file in files if file.path.exists() or file.path.is_symlink()]
    if there and not force:
        verb = "is" if len(there) == 1 else "are"
        raise CommandFailedError(
            f"{', '.join(there)} {verb} there already in {files[0].path.parent}; choose another folder, or give "
            "--force to replace."
        )
    # A token may be registered somewhere already.
    wanted = [file for file in files if not (file.is_secret and file.path.exists())]
    try:
        for file in wanted:
            file.path.parent.mkdir(parents=True, exist_ok=True)
            _write(file)
    except OSError as error:
        raise CommandFailedError(f"{error.filename} cannot be written: {error.strerror}.") from None
    return wanted


def _write(file: _NewFile) -> None:
    if not file.is_secret:
        file.path.write_text(file.text, encoding="utf-8", newline="\n")
        return
    descriptor = os.open(file.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _SECRET_MODE)
    with os.fdopen(descriptor, "w", encoding="utf-8") as out:
        out.write(file.text)


def _templates(folder: Traversable) -> dict[str, str]:
    return {name: _read(file) for name, file in _named(folder)}


def _named(folder: Traversable) -> Iterator[tuple[str, Traversable]]:
    for file in folder.iterdir():
        if file.is_file():
            yield file.name.removesuffix(_SUFFIX), file


def _read(file: Traversable) -> str:
    return file.read_text(encoding="utf-8")


def _requirements(framework: Framework, mode: Mode) -> str:
    if mode == "code":
        return "# What the sandbox installs for agent.py: nothing yet.\n"
    extra = "odyssey" if framework == "plain" else framework
    return requirement(extra) + "\n"


def _project(framework: Framework, mode: Mode, name: str) -> str:
    tools = "agent:TOOLS" if mode == "code" else _TOOLS.get(framework, "agent:build_agent")
    how = (
        ['mode = "code"', 'entrypoint = "agent:run"']
        if mode == "code"
        else ['app = "agent:app"', 'path = "/dispatch"', 'mode = "http"', 'token_env = "AGENT_TOKEN"']
    )
    agent = ["[agent]", f"name = {json.dumps(name, ensure_ascii=False)}", f'tools = "{tools}"', *how]
    return "\n".join(
        [*agent, "", "[test]", 'dataset = "tasks.csv"', "min_pass_rate = 1.0", "repeats = 1", ""]
    )
