"""Where the code of a sandboxed agent comes from: pasted, as files, or from git. It is read here, never run."""

import ast
import ipaddress
import re
import warnings
from collections.abc import Mapping
from typing import Any
from urllib.parse import SplitResult, urlsplit

import msgspec

from odyssey.records.faults import Faults, one_of, shown
from odyssey.records.python_code import check_text, read_files

# The syntax of an http address. Whether it may be reached is decided elsewhere, on the resolved address.

MAX_URL = 2048

# Python's splitter drops tabs and line breaks silently, and browsers read a backslash as a slash.
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f-\xa0\\\ud800-\udfff]")
_HOST = re.compile(r"[^\s/?#@:\[\]<>\"{}|^`%\\]{1,253}")


def check_url(value: Any, *, schemes: tuple[str, ...]) -> str | None:
    """Say what is wrong with a URL, or None. Never repeats the URL: it may hold a password."""
    if not isinstance(value, str) or not value:
        return f"must be a URL such as '{schemes[0]}://agent.example.com/run'"
    if len(value) > MAX_URL:
        return f"has {len(value)} characters; at most {MAX_URL} are allowed"
    if _FORBIDDEN.search(value):
        return "must not contain spaces, control characters or backslashes; percent-encode them"
    try:
        parts = urlsplit(value)
        return _check_parts(parts, schemes) or (
            "must not have a fragment (#…); remove it" if "#" in value else None
        )
    except ValueError:
        return "is not a valid URL; check its host and port"


def _check_parts(parts: SplitResult, schemes: tuple[str, ...]) -> str | None:
    if parts.scheme not in schemes:
        return f"must start with {' or '.join(f'{scheme}://' for scheme in schemes)}"
    if "@" in parts.netloc:
        return "must not contain a user name or password; use a header instead"
    if not parts.hostname or not _is_host(parts):
        return "has no valid host; write for example https://agent.example.com/run"
    if parts.port == 0 or parts.netloc.endswith(":"):
        return "has no valid port; use 1 to 65535 or leave it out"
    return None


def _is_host(parts: SplitResult) -> bool:
    assert parts.hostname is not None
    if parts.netloc.startswith("["):
        # Raises ValueError, which the caller reports. A zone ("%eth0") means nothing outside its host.
        ipaddress.IPv6Address(parts.hostname)
        return "%" not in parts.hostname
    return _HOST.fullmatch(parts.hostname) is not None


_KINDS = ("files", "code", "git", "zip")
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
        files=None if files is None else read_files(files, faults.at("files")),
        code=None if code is None else _read_code(code, faults.at("code")),
        git=None if git is None else _read_git(git, faults.at("git")),
    )


def _read_code(code: Any, faults: Faults) -> str | None:
    count = faults.count()
    check_text(code, faults)
    if faults.count() > count:
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
