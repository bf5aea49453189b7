"""JSONPath (RFC 9535) over what a live tool answered: compiled once, and never dearer than a walk over the answer.

A path is somebody's configuration and an answer somebody's data, so what could multiply work is refused when the
path is read: a second `..`, selectors side by side in bracket after bracket, a look over the whole document for every
item of a filter. Patterns are matched by RE2, which takes linear time.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import re2  # type: ignore[import-untyped]
from jsonpath_rfc9535 import JSONPathEnvironment, JSONPathError

MAX_PATH = 500
MAX_COPIES = 16
"""How often one value may be reached through selectors that stand side by side."""

_STRINGS = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
_ONE_VALUE = re.compile(
    r"(?:\s*+(?:\.\s*+[^\s.*\[\]()&|=<>!,?:'\"]++|\[\s*+(?:''|-?[0-9]++)\s*+\]))*+\s*+(?![.\[])"
)
_DOT = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\.", re.DOTALL)
SCALARS = (str, int, float, bool, type(None))


class PathInvalidError(ValueError):
    """The text is no JSONPath that can be used; the message says why."""


class FoundValue(NamedTuple):
    value: Any


class JsonPath:
    def __init__(self, text: str) -> None:
        """Raise PathInvalidError for what cannot be used."""
        if len(text) > MAX_PATH:
            raise PathInvalidError(
                f"this JSONPath has {len(text)} characters; at most {MAX_PATH} are allowed"
            )
        _check_cost(text)
        try:
            self._query = _environment().compile(text)
        except (JSONPathError, RecursionError) as error:
            reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
            raise PathInvalidError(f"not a JSONPath: {_one_line(reason)}") from error

    def find(self, document: Any) -> FoundValue | None:
        """What the path leads to: the only match whatever it is, of several the first scalar."""
        only: FoundValue | None = None
        for place, node in enumerate(self._query.finditer(document)):
            if isinstance(node.value, SCALARS):
                return FoundValue(node.value)
            only = FoundValue(node.value) if place == 0 else None
        return only

    def locations(self, document: Any) -> list[tuple[str | int, ...]]:
        """Every place the path leads to, from the outside in."""
        return [tuple(node.location) for node in self._query.finditer(document)]

    def leads_somewhere(self, document: Any) -> bool:
        return next(iter(self._query.finditer(document)), None) is not None


@lru_cache(maxsize=4096)
def json_path(text: str) -> JsonPath:
    """Compile a path, or find it compiled."""
    return JsonPath(text)


def _check_cost(text: str) -> None:
    bare = _STRINGS.sub("''", text)
    if bare.count("..") > 1:
        raise PathInvalidError("use '..' at most once: each one walks over everything the other found")
    if _copies(bare) > MAX_COPIES:
        raise PathInvalidError(f"the selectors in brackets lead to one value more than {MAX_COPIES} times")
    for start in (found.end() for found in re.finditer(r"\$", bare[1:])):
        if _ONE_VALUE.match(bare, start + 1) is None:
            raise PathInvalidError(
                "inside a filter '$' may lead to one value only, such as $.name or $.list[0]"
            )


def _copies(bare: str) -> int:
    """The product over brackets of how many selectors stand in each; commas in calls separate arguments."""
    product = 1
    opened: list[str] = []
    selectors: list[int] = []
    for character in bare:
        if character in "([":
            opened.append(character)
            selectors.append(1)
        elif character == "," and opened:
            selectors[-1] += 1
        elif character in ")]" and opened:
            count = selectors.pop()
            product *= count if opened.pop() == "[" else 1
    return product


@lru_cache(maxsize=1)
def _environment() -> JSONPathEnvironment:
    """The library's own environment, but for how patterns are matched; its two major versions name the place anew."""
    environment = JSONPathEnvironment()
    places = vars(environment)
    functions: dict[str, Any] = places.get("functions") or places["function_extensions"]
    for name, how in (("match", "fullmatch"), ("search", "search")):
        functions[name] = _by_re2(functions[name], how)
    return environment


def _by_re2(function: Any, how: str) -> Any:
    """Keep a function's signature, which the library checks paths by, and replace what it does."""

    def holds(_self: Any, text: Any, pattern: Any) -> bool:
        if not isinstance(text, str) or not isinstance(pattern, str) or len(pattern) > MAX_PATH:
            return False
        compiled = _pattern(pattern)
        return compiled is not None and bool(getattr(compiled, how)(text))

    members: dict[str, Callable[..., Any]] = {"__call__": holds}
    return type(type(function).__name__, (type(function),), members)()


@lru_cache(maxsize=1024)
def _pattern(pattern: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    without_breaks = _DOT.sub(lambda found: r"[^\n\r]" if found[0] == "." else found[0], pattern)
    try:
        return re2.compile(without_breaks, options)
    except (re2.error, UnicodeError):
        return None  # RFC 9535: what is no pattern matches nothing


def _one_line(reason: str) -> str:
    return " ".join(reason.split())[:200]
