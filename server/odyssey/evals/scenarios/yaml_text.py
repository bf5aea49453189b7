"""YAML that means exactly one JSON document: plain scalars as JSON has them, no tags, no anchors, no duplicate keys.

`yes`, `0o17`, `1:30` and `2026-01-31` are texts here: a file in git must not change its meaning with the parser.
"""

import math
import re
from typing import Any

import msgspec
import yaml

from odyssey.kit.json_reader import MAX_DEPTH, JsonInvalidError, read_json

_BASE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_PREFIX = "tag:yaml.org,2002:"


class YamlInvalidError(ValueError):
    """The text is not such a document; the message says why in words for its author."""


class _Loader(_BASE):  # type: ignore[misc] # the library has no types
    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - as the library has it

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[str, Any]:  # noqa: ARG002 - the library's
        made: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                raise YamlInvalidError(f"a key is not a text, {_place(key_node)}; put it in quotes")
            if key in made:
                raise YamlInvalidError(f"the key {key[:80]!r} is there twice, {_place(key_node)}")
            made[key] = self.construct_object(value_node, deep=True)
        return made


_OTHER_BREAK = re.compile("[\r\x85\u2028\u2029]")
_JSON_TYPES = (str, int, float, bool, type(None))


class _Dumper(yaml.SafeDumper):  # type: ignore[misc] # the library has no types
    """Writes long texts as blocks, and never an alias."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the library's
        return True


def _resolve(kind: str, pattern: str, first: str) -> None:
    """Let a plain scalar mean this; so the writer puts a text that looks like it in quotes."""
    for each in (_Loader, _Dumper):
        each.add_implicit_resolver(_PREFIX + kind, re.compile(pattern), list(first) if first else [""])


_resolve("null", r"^(?:~|null)$", "~n")
_resolve("null", r"^$", "")
_resolve("bool", r"^(?:true|false)$", "tf")
_resolve("int", r"^-?(?:0|[1-9][0-9]*)$", "-0123456789")
_resolve("float", r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$", "-0123456789")
_Loader.add_constructor(_PREFIX + "float", lambda loader, node: float(loader.construct_scalar(node)))
_Loader.add_constructor(_PREFIX + "int", lambda loader, node: int(loader.construct_scalar(node)))
_Loader.add_constructor(_PREFIX + "map", lambda loader, node: loader.construct_mapping(node, deep=True))
_Loader.add_constructor(_PREFIX + "seq", lambda loader, node: loader.construct_sequence(node, deep=True))


def _text(dumper: Any, text: str) -> Any:
    style = "|" if "\n" in text.strip("\n") else None
    if _OTHER_BREAK.search(text):
        style = '"'  # the library folds them in every other style
    return dumper.represent_scalar(_PREFIX + "str", text, style=style)


_Dumper.add_representer(str, _text)


def read_yaml(raw: bytes) -> Any:
    """Decode one document, or raise YamlInvalidError."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise YamlInvalidError(f"invalid UTF-8 at byte {error.start}") from error
    if _deepest(text) > MAX_DEPTH:
        raise YamlInvalidError(f"nested deeper than {MAX_DEPTH}")
    try:
        value = yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader that knows JSON's types only
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


def write_yaml(value: Any) -> str:
    """Write JSON as YAML that `read_yaml` reads back to the same value."""
    text: str = yaml.dump(
        value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100, default_flow_style=False
    )
    return text


def _deepest(text: str) -> int:
    """Bound the nesting before the parser recurses into it: by brackets, indentation and dashes of one line."""
    depth = deepest = 0
    for character in text:
        if character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth = max(0, depth - 1)
    lines = (line[: len(line) - len(line.lstrip(" -?\t"))] for line in text.splitlines())
    return max(deepest, max(map(len, lines), default=0) // 2)


def _check(value: Any, seen: set[int], depth: int) -> None:
    """Refuse what JSON does not have, and what stands for itself in two places."""
    if isinstance(value, dict | list):
        if id(value) in seen or depth > MAX_DEPTH:
            raise YamlInvalidError(
                "anchors and aliases are not taken; write the value out where it is needed"
            )
        seen.add(id(value))
        for part in value.values() if isinstance(value, dict) else value:
            _check(part, seen, depth + 1)
    elif isinstance(value, float) and not math.isfinite(value):
        raise YamlInvalidError("a number is beyond ±2^63")
    elif not isinstance(value, _JSON_TYPES):
        raise YamlInvalidError(f"{type(value).__name__} is no JSON value; put it in quotes")


def _place(node: Any) -> str:
    return f"line {node.start_mark.line + 1}"
