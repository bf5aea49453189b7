"""The tools and sub-agents of a project's own code: imported here, or afresh in a process of its own."""

import contextlib
import importlib
import json
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

from pipelines.odyssey.adapters import Described, describe
from pipelines.odyssey.cli.failures import CommandFailedError
from pipelines.odyssey.cli.project import Project, read_project
from pipelines.odyssey.errors import OdysseyError


def describe_project(project: Project) -> Described:
    """Import what `agent.tools` names and describe it. What the code prints goes to stderr."""
    if project.tools is None:
        raise CommandFailedError(
            f'{project.file}: agent.tools is missing; name the tools or the agent, such as "agent:build_agent".'
        )
    with contextlib.redirect_stdout(sys.stderr):
        subject = import_named(project, project.tools)
        try:
            return describe(subject)
        except OdysseyError as error:
            raise CommandFailedError(f"{project.tools}: {error}") from None
        except Exception as error:  # noqa: BLE001 - the edge of somebody else's code
            raise _broken(project.tools, error) from None


def describe_afresh(project: Project) -> Described:
    """Describe the project as its files are now, whatever has been imported before."""
    command = [sys.executable, "-m", "pipelines.odyssey.cli.described", str(project.folder.resolve())]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if ended.returncode:
        said = ended.stderr.strip().splitlines()
        raise CommandFailedError(said[-1] if said else f"{project.tools} could not be described.")
    return Described(**json.loads(ended.stdout))


def import_named(project: Project, reference: str) -> Any:
    """Return what `module:attribute` names, seen from the folder of the project."""
    folder = str(project.folder.resolve())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    module_name, _, attribute = reference.partition(":")
    try:
        found: Any = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the edge of somebody else's code
        raise _broken(reference, error) from None
    for name in attribute.split("."):
        if not hasattr(found, name):
            raise CommandFailedError(f"{reference}: {module_name} has no {name!r}; see {project.file}.")
        found = getattr(found, name)
    return found


def _broken(reference: str, error: BaseException) -> CommandFailedError:
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not frame.filename.startswith("<") and frame.filename != __file__]
    where = f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""
    return CommandFailedError(
        f"{reference} cannot be imported: {type(error).__name__}: {error}{where}.".replace("\n", " ")
    )


def _main() -> None:
    try:
        found = describe_project(read_project(Path(sys.argv[1])))
    except CommandFailedError as error:
        sys.exit(str(error))
    sys.stdout.write(json.dumps(found._asdict()))


if __name__ == "__main__":
    _main()
