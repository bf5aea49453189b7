"""`odyssey init`: a project that runs at once."""

import shlex
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from pipelines.odyssey.cli.commands.options import AsJson, Switch
from pipelines.odyssey.cli.connection import failing
from pipelines.odyssey.cli.failures import CommandFailedError
from pipelines.odyssey.cli.printing.screen import Screen, clean
from pipelines.odyssey.cli.scaffolding import Framework, Mode, new_files, write_files

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
        files = write_files(new_files(folder, framework=framework, mode=mode, name=called), force=force)
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
