"""Failure rules: ordered, read once when a seed is accepted, first match wins.

Reading reports every fault of every rule at once, so that nothing is left to fail when a call arrives.
"""

import difflib
import fnmatch
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from odyssey.records.problems import FieldError
from odyssey.worlds.ledger import copy_json, json_equal

MAX_RULES = 200

_LATER = ("call", "when", "probability", "times", "latency_ms", "ledger", "fault")
_OUTCOMES = ("response", "error", "fault")
_MEMBERS = ("tool", "args", "response", "error", *_LATER)
_OPERATORS = ("$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$contains", "$regex", "$exists")


@dataclass(frozen=True, slots=True)
class Rule:
    tools: re.Pattern[str]
    """Matches the whole name of every tool the rule is about."""
    args: Mapping[str, Any]
    response: Any
    """What the agent gets; an `error` outcome is already wrapped."""


@dataclass(frozen=True, slots=True)
class RuleMatch:
    index: int
    response: Any


class ReadRules(NamedTuple):
    rules: tuple[Rule, ...]
    """Empty unless both lists are: half a list of rules would have other indexes and other first matches."""
    errors: list[FieldError]
    not_available_yet: list[str]
    """Paths of members the contract promises and this release does not honour."""


def match(rules: Sequence[Rule], tool_name: str, arguments: Mapping[str, Any]) -> RuleMatch | None:
    for index, rule in enumerate(rules):
        if rule.tools.fullmatch(tool_name) and _is_subset(rule.args, arguments):
            return RuleMatch(index, copy_json(rule.response))
    return None


def read_rules(raw: Any) -> ReadRules:
    """Read the `failure_rules` of a seed or world."""
    if not isinstance(raw, list):
        return _refused("failure_rules is a list of rules")
    if len(raw) > MAX_RULES:
        return _refused(f"{len(raw)} rules are too many; a list takes at most {MAX_RULES}")
    readers = [_RuleReader(index) for index in range(len(raw))]
    rules = [reader.read(item) for reader, item in zip(readers, raw, strict=True)]
    errors = [error for reader in readers for error in reader.errors]
    later = [path for reader in readers for path in reader.later]
    complete = tuple(rule for rule in rules if rule is not None)
    return ReadRules(() if errors or later else complete, errors, later)


def _refused(message: str) -> ReadRules:
    return ReadRules((), [FieldError(loc=("failure_rules",), msg=message)], [])


def _is_subset(expected: Any, actual: Any) -> bool:
    if not isinstance(expected, Mapping):
        return json_equal(expected, actual)
    return isinstance(actual, Mapping) and all(
        name in actual and _is_subset(value, actual[name]) for name, value in expected.items()
    )


class _RuleReader:
    """Reads one rule, collecting what is wrong with it."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.errors: list[FieldError] = []
        self.later: list[str] = []

    def read(self, raw: Any) -> Rule | None:
        if not isinstance(raw, dict):
            self.errors.append(FieldError(loc=("failure_rules", self.index), msg="a rule is an object"))
            return None
        self._check_members(raw)
        tools = self._read_tools(raw.get("tool", "*"))
        args = self._read_args(raw.get("args", {}))
        response = self._read_outcome(raw)
        if self.errors or self.later:
            return None
        return Rule(tools, args, response)

    def _fault(self, field: str, message: str) -> None:
        self.errors.append(FieldError(loc=("failure_rules", self.index, field), msg=message))

    def _check_members(self, raw: dict[str, Any]) -> None:
        for name in raw:
            if name in _LATER:
                self.later.append(f"failure_rules[{self.index}].{name}")
            elif name not in _MEMBERS:
                self._fault(name, f"unknown member {name!r}{_did_you_mean(name, _MEMBERS)}")

    def _read_tools(self, raw: Any) -> re.Pattern[str]:
        globs = raw if isinstance(raw, list) else [raw]
        if not globs or not all(isinstance(glob, str) and glob for glob in globs):
            self._fault("tool", "write a tool name, a glob such as 'get_*', or a list of them")
            globs = []
        return re.compile("|".join(fnmatch.translate(glob) for glob in globs))

    def _read_args(self, raw: Any) -> dict[str, Any]:
        if not isinstance(raw, dict):
            self._fault("args", "args is an object of argument names and the values they must have")
            return {}
        self._check_operators(raw, "args")
        return {name: copy_json(value) for name, value in raw.items()}

    def _check_operators(self, expected: dict[str, Any], path: str) -> None:
        for name, value in expected.items():
            if name in _OPERATORS:
                self.later.append(f"failure_rules[{self.index}].{path}.{name}")
            elif name.startswith("$"):
                self._fault("args", f"unknown operator {name!r}{_did_you_mean(name, _OPERATORS)}")
            elif isinstance(value, dict):
                self._check_operators(value, f"{path}.{name}")

    def _read_outcome(self, raw: dict[str, Any]) -> Any:
        given = [name for name in _OUTCOMES if name in raw]
        if not given:
            self._fault("response", "a rule needs one outcome: response or error")
        for surplus in given[1:]:
            self._fault(surplus, f"a rule has one outcome, and {given[0]!r} is given already")
        if "error" in raw:
            return self._read_error(raw["error"])
        return copy_json(raw.get("response"))

    def _read_error(self, raw: Any) -> dict[str, Any]:
        if not isinstance(raw, dict):
            self._fault("error", 'error is an object {"code", "message"}')
            return {}
        for name in raw:
            if name not in ("code", "message"):
                self._fault("error", f"unknown member {name!r}{_did_you_mean(name, ('code', 'message'))}")
        for name in ("code", "message"):
            if not isinstance(raw.get(name), str) or not raw[name]:
                self._fault("error", f"{name} is a string that is not empty")
        return {"error": {"code": raw.get("code"), "message": raw.get("message")}}


def _did_you_mean(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
