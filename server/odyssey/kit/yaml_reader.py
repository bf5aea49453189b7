"""YAML that means exactly one JSON document: plain scalars as JSON has them, no tags, no anchors, no duplicate keys.

`yes`, `0o17`, `1:30` and `2026-01-31` are texts here: a file in git must not change its meaning with the parser.
"""

import math
import re
from typing import Any

import msgspec
import yaml

from odyssey.kit.json_reader import MAX_DEPTH, JsonInvalidError, read_json

TAG_PREFIX = "tag:yaml.org,2002:"
PLAIN_SCALARS = (
    ("null", r"^(?:~|null)$", "~n"),
    ("null", r"^$", ""),
    ("bool", r"^(?:true|false)$", "tf"),
    ("int", r"^-?(?:0|[1-9][0-9]*)$", "-0123456789"),
    ("float", r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$", "-0123456789"),
)
"""What is no text without quotes: its type, its pattern, how it can begin."""

_BASE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_JSON_TYPES = (str, int, float, bool, type(None))
_SHORT = 16  # the interpreter may itself share short texts, and repeating them is no danger


class YamlInvalidError(ValueError):
    """The text is not such a document; the message says why in words for its author."""


class _Loader(_BASE):  # type: ignore[misc] # the library has no types
    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - as the library has it

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[str, Any]:  # noqa: ARG002 - the library's
        made: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = self.read_key(key_node)
            if key in made:
                raise YamlInvalidError(f"the key {key[:80]!r} is there twice, {_place(key_node)}")
            made[key] = self.construct_object(value_node, deep=True)
        return made

    def read_key(self, node: Any) -> str:
        key = self.construct_object(node, deep=True)
        if not isinstance(key, str):
            raise YamlInvalidError(f"a key is not a text, {_place(node)}; put it in quotes")
        return key


class _WrittenKeys(_Loader):
    """Takes a key as it is written: `200:` is the key "200"."""

    def read_key(self, node: Any) -> str:
        if not isinstance(node, yaml.ScalarNode):
            raise YamlInvalidError(f"a key is not a text, {_place(node)}; put it in quotes")
        return str(node.value)


def add_plain_scalars(to: Any) -> None:
    """Let a plain scalar mean this; so a writer puts a text that looks like it in quotes."""
    for kind, pattern, first in PLAIN_SCALARS:
        to.add_implicit_resolver(TAG_PREFIX + kind, re.compile(pattern), list(first) if first else [""])


add_plain_scalars(_Loader)
_Loader.add_constructor(TAG_PREFIX + "float", lambda loader, node: float(loader.construct_scalar(node)))
_Loader.add_constructor(TAG_PREFIX + "int", lambda loader, node: int(loader.construct_scalar(node)))
_Loader.add_constructor(TAG_PREFIX + "map", lambda loader, node: loader.construct_mapping(node, deep=True))
_Loader.add_constructor(TAG_PREFIX + "seq", lambda loader, node: loader.construct_sequence(node, deep=True))


def read_yaml(raw: bytes, *, keys_as_written: bool = False) -> Any:
    """Decode one document, or raise YamlInvalidError; `keys_as_written` takes `200:` for the key "200"."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise YamlInvalidError(f"invalid UTF-8 at byte {error.start}") from error
    loader = _WrittenKeys if keys_as_written else _Loader
    try:
        if _may_be_deep(text):
            _check_depth(text)
        value = yaml.load(text, Loader=loader)  # noqa: S506 - a safe loader that knows JSON's types only
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f" at line {mark.line + 1} column {mark.column + 1}" if mark else ""
        said = " ".join(part for part in (error.context, error.problem) if part)
        raise YamlInvalidError(f"{said}{where}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise YamlInvalidError(str(error).partition("\n")[0][:200]) from error
    _check(value, set(), 0)
    try:
        return read_json(msgspec.json.encode(value))
    except (JsonInvalidError, ValueError, OverflowError) as error:
        raise YamlInvalidError(str(error)) from error


def _may_be_deep(text: str) -> bool:
    """Bound the nesting from above: by all brackets, and by the indentation and dashes of one line."""
    if text.count("[") + text.count("{") > MAX_DEPTH:
        return True
    lines = (len(line) - len(line.lstrip(" -?\t")) for line in text.splitlines())
    return max(lines, default=0) // 2 > MAX_DEPTH


def _check_depth(text: str) -> None:
    """Refuse deep nesting before the library recurses into it: its events come without recursion."""
    depth = 0
    for event in yaml.parse(text, Loader=_BASE):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise YamlInvalidError(f"nested deeper than {MAX_DEPTH}")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _check(value: Any, seen: set[int], depth: int) -> None:
    """Refuse what JSON does not have, and what stands for itself in two places."""
    if isinstance(value, dict | list):
        if depth > MAX_DEPTH:
            raise YamlInvalidError(f"nested deeper than {MAX_DEPTH}")
        _check_once(value, seen)
        for part in value:
            _check(part, seen, depth + 1)
        if isinstance(value, dict):
            for part in value.values():
                _check(part, seen, depth + 1)
    elif isinstance(value, str):
        if len(value) > _SHORT:
            _check_once(value, seen)
    elif isinstance(value, float) and not math.isfinite(value):
        raise YamlInvalidError("a number is beyond ±2^63")
    elif not isinstance(value, _JSON_TYPES):
        raise YamlInvalidError(f"{type(value).__name__} is no JSON value; put it in quotes")


def _check_once(value: Any, seen: set[int]) -> None:
    if id(value) in seen:
        raise YamlInvalidError("anchors and aliases are not taken; write the value out where it is needed")
    seen.add(id(value))


def _place(node: Any) -> str:
    return f"line {node.start_mark.line + 1}"
