"""Where the code of a sandboxed agent comes from: pasted, as files, or from git. It is read here, never run."""

import ast
import re
import warnings
from collections.abc import Mapping
from typing import Any

import msgspec

from odyssey.agents.web_address import check_url
from odyssey.records.faults import Faults, one_of, shown

MAX_FILES = 50
MAX_FILE_BYTES = 200 * 1024
MAX_FILES_BYTES = 1024 * 1024

_KINDS = ("files", "code", "git", "zip")
_SEGMENT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
_LONGEST_PATH = 255
_GIT_REF = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,200}")


class GitSource(msgspec.Struct, frozen=True, omit_defaults=True):
    url: str
    ref: str | None = None


class CodeSource(msgspec.Struct, frozen=True, omit_defaults=True):
    """Exactly one of these is set."""

    files: dict[str, str] | None = None
    code: str | None = None
    git: GitSource | None = None


def read_source(value: Any, faults: Faults) -> CodeSource | None:
    """Read a source; `zip` is known but not offered yet, which the caller reports."""
    if not isinstance(value, dict):
        faults.add(f"source must be an object with one of {one_of(_KINDS)}, not {shown(value)}")
        return None
    faults.unknown_members(value, _KINDS, "source")
    given = [kind for kind in _KINDS if value.get(kind) is not None]
    if len(given) != 1:
        found = " and ".join(given) or "none of them"
        faults.add(f"source needs exactly one of {one_of(_KINDS)}; it has {found}")
    files, code, git = (value.get(kind) for kind in ("files", "code", "git"))
    return CodeSource(
        files=None if files is None else _read_files(files, faults.at("files")),
        code=None if code is None else _read_code(code, faults.at("code")),
        git=None if git is None else _read_git(git, faults.at("git")),
    )


def _read_files(files: Any, faults: Faults) -> dict[str, str] | None:
    if not isinstance(files, dict) or not files:
        faults.add("files must be an object of at least one path and its text")
        return None
    if len(files) > MAX_FILES:
        faults.add(f"files has {len(files)} files; at most {MAX_FILES} are allowed")
        return None
    total = 0
    for path, text in files.items():
        problem = _check_path(path)
        place = faults.at(path[:_LONGEST_PATH])
        if problem is not None:
            place.add(f"path {shown(path)} {problem}")
        total += _check_text(text, place)
    if total > MAX_FILES_BYTES:
        faults.add(f"files have {total} bytes in all; at most {MAX_FILES_BYTES} are allowed")
    return files


def _check_path(path: str) -> str | None:
    segments = path.split("/")
    if len(path) > _LONGEST_PATH:
        return f"has {len(path)} characters; at most {_LONGEST_PATH} are allowed"
    if path.startswith("/") or "\\" in path or ":" in path:
        return "must be relative and use forward slashes, such as 'tools/search.py'"
    if ".." in segments:
        return "must not contain '..'"
    if any(segment.startswith(".") for segment in segments):
        return "must not have a part that starts with a dot"
    if not all(_SEGMENT.fullmatch(segment) for segment in segments):
        return "may only have parts of letters, digits, _ . and -"
    return None if path.endswith(".py") else "must end in .py"


def _check_text(text: Any, faults: Faults) -> int:
    """Check one file's text and return its size."""
    if not isinstance(text, str):
        faults.add(f"must be the text of a Python file, not {shown(text)}")
        return 0
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        faults.add("is not valid Unicode text")
        return 0
    if size > MAX_FILE_BYTES:
        faults.add(f"has {size} bytes; at most {MAX_FILE_BYTES} are allowed")
    if "\0" in text:
        faults.add("must not contain the NUL character")
    return size


def _read_code(code: Any, faults: Faults) -> str | None:
    count = len(faults.found)
    _check_text(code, faults)
    if len(faults.found) > count:
        return None
    assert isinstance(code, str)
    try:
        with warnings.catch_warnings():
            # Dubious escapes are their author's business.
            warnings.simplefilter("ignore")
            ast.parse(code)
    except SyntaxError as error:
        faults.add(f"is not valid Python: {error.msg} (line {error.lineno})")
    except (ValueError, RecursionError, MemoryError):
        faults.add("is not valid Python: it is nested too deep")
    return code


def _read_git(git: Any, faults: Faults) -> GitSource | None:
    if not isinstance(git, dict):
        faults.add(f"git must be an object with url, not {shown(git)}")
        return None
    faults.unknown_members(git, ("url", "ref"), "git")
    problem = check_url(git.get("url"), schemes=("https",))
    if problem is not None:
        faults.add(f"url {problem}", "url")
    _check_ref(git, faults)
    return None if faults.found else GitSource(git["url"], git.get("ref"))


def _check_ref(git: Mapping[str, Any], faults: Faults) -> None:
    ref = git.get("ref")
    if ref is None:
        return
    if not isinstance(ref, str) or not _GIT_REF.fullmatch(ref) or ".." in ref or "@{" in ref:
        faults.add(
            f"{shown(ref)} is not a branch, tag or commit: letters, digits and . _ / - without '..'", "ref"
        )
