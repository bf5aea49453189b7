"""Python code that people send us, read without running it: files, packages, and the secrets it asks for by name."""

import re
from typing import Any

from odyssey.records.faults import Faults, shown

MAX_FILES = 50
MAX_FILE_BYTES = 200 * 1024
MAX_FILES_BYTES = 1024 * 1024
MAX_LISTED = 100

_SEGMENT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
_LONGEST_PATH = 255
_ENV_VAR = re.compile(r"[A-Z_][A-Z0-9_]{0,127}")


def read_files(files: Any, faults: Faults) -> dict[str, str] | None:
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
        total += check_text(text, place)
    if total > MAX_FILES_BYTES:
        faults.add(f"files have {total} bytes in all; at most {MAX_FILES_BYTES} are allowed")
    return files


def check_text(text: Any, faults: Faults) -> int:
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


def read_requirements(value: Any, faults: Faults) -> list[str]:
    lines = faults.texts(value, what="requirements", most=MAX_LISTED, longest=500)
    for line in lines:
        if line.startswith("-") or not line.isprintable() or line != line.strip():
            # A line that starts with a dash would be an option of the installer, not a package.
            faults.add(
                f"{shown(line)} is not a requirement; write a package such as 'httpx>=0.27'",
                value.index(line),
            )
    return lines


def read_env_vars(value: Any, faults: Faults) -> list[str]:
    names = faults.texts(value, what="credential names", most=MAX_LISTED, longest=500)
    for name in names:
        if not _ENV_VAR.fullmatch(name):
            faults.add(
                f"{shown(name)} is not a variable name: capital letters, digits and _, at most 128",
                value.index(name),
            )
    return names


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
