"""The `.env` of the working directory: NAME=value lines that fill in what the environment does not say."""

import os
import re
import sys
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import NamedTuple

OFF = "ODYSSEY_NO_DOTENV"
MOST_BYTES = 1024 * 1024

_LINE = re.compile(r"[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.]*)[ \t]*=[ \t]*")
_SINGLE = re.compile(r"'([^']*)'")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_BARE = re.compile(r"[^\n]*")
_REST = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\n|\Z)")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_COMMENT = re.compile(r"(?:^|[ \t])#.*")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\", "$": "$"}

_taken: set[str] = set()


class Setting(NamedTuple):
    line: int
    name: str
    value: str | None
    """None if the line cannot be read."""


def load(
    folder: Path | None = None, environ: MutableMapping[str, str] = os.environ, *, is_off: bool = False
) -> None:
    """Take in the file, if there is one; a variable that is set already stays, also an empty one.

    What cannot be read is named by its line on stderr, never by what it says: it may be a secret.
    """
    _taken.clear()
    if is_off or environ.get(OFF, "").lower() not in ("", "0", "false", "no"):
        return
    path = (folder or Path()) / ".env"
    text = _read(path)
    if text is None:
        return
    found: dict[str, str] = {}
    for setting in settings(text):
        if setting.value is None:
            _warn(f"{path} line {setting.line} is not NAME=value and left out.")
        elif "\0" in setting.value:
            _warn(f"{path} line {setting.line} holds a NUL character and is left out.")
        else:
            found[setting.name] = setting.value
    for name in found.keys() - environ.keys():
        environ[name] = found[name]
        _taken.add(name)


def is_from_file(name: str) -> bool:
    """Whether a variable was filled in from `.env`, when that was last read."""
    return name in _taken


def settings(text: str) -> Iterator[Setting]:
    """Give every setting with the line it begins in. Nothing in a value is replaced but escapes in double quotes."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    at, line = 0, 1
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        begun = _LINE.match(text, at, end)
        if begun is None:
            said = text[at:end].strip()
            if said and not said.startswith("#"):
                yield Setting(line, "", None)
            at, line = end + 1, line + 1
            continue
        value, after = _value(text, begun.end())
        yield Setting(line, begun[1], value)
        line += text.count("\n", at, after)
        at = after


def _value(text: str, at: int) -> tuple[str | None, int]:
    """Return the value that begins here, None if it cannot be read, and where the next line begins."""
    quote = text[at : at + 1]
    if quote in ("'", '"'):
        quoted = (_SINGLE if quote == "'" else _DOUBLE).match(text, at)
        rest = None if quoted is None else _REST.match(text, quoted.end())
        if quoted is None or rest is None:
            end = text.find("\n", at)
            return None, len(text) if end < 0 else end + 1
        said = quoted[1]
        return said if quote == "'" else _ESCAPED.sub(_unescape, said), rest.end()
    bare = _BARE.match(text, at)
    assert bare is not None
    return _COMMENT.sub("", bare[0]).strip(), bare.end() + 1


def _unescape(found: re.Match[str]) -> str:
    return _ESCAPES.get(found[1], found[0])


def _read(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (FileNotFoundError, IsADirectoryError):  # a folder of that name is somebody's virtual environment
        return None
    except OSError as error:
        _warn(f"{path} cannot be read and is left out: {error.strerror}.")
        return None
    if len(content) > MOST_BYTES:
        _warn(f"{path} has more than 1 MiB and is left out.")
        return None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        _warn(f"{path} is not UTF-8 and left out.")
        return None


def _warn(sentence: str) -> None:
    sys.stderr.write(f"odyssey: {sentence}\n")
