"""Finding what a project names as `module:attribute`, with a reason a person can act on when it is not there."""

import importlib
import sys
import traceback
from pathlib import Path
from typing import Any

from pipelines.odyssey.cli.failures import CommandFailedError

_LINES = 6


class NotLoadedError(CommandFailedError):
    """It cannot be imported; `fix` says what to do."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.fix = fix


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
