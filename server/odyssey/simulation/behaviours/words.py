"""The words of the grammar: which acts there are, how each is written, and which names they leave free."""

import json
import re
from collections.abc import Mapping
from typing import Any

CODES = ("not_found", "conflict", "bad_value")
DEFAULT_CODE = "conflict"

ACTS = {
    "only when": 'TOOL only when CONDITION else "TEXT"',
    "fails when": 'TOOL fails when CONDITION with "TEXT"',
    "let": "TOOL let NAME = EXPRESSION",
    "sets": "TOOL sets TYPE.FIELD = EXPRESSION",
    "appends": "TOOL appends EXPRESSION to TYPE.FIELD",
    "adds": "TOOL adds TYPE {FIELD: EXPRESSION}",
    "removes": "TOOL removes TYPE",
    "sets flag": 'TOOL sets flag "TEXT"',
    "clears flag": 'TOOL clears flag "TEXT"',
    "returns": "TOOL returns EXPRESSION",
    "changes nothing else": "TOOL changes nothing else",
}
"""How each act is written, for hints."""

FIRST_WORDS = (
    "only",
    "fails",
    "let",
    "when",
    "sets",
    "appends",
    "adds",
    "removes",
    "clears",
    "returns",
    "changes",
)
AFTER_WHEN = ("sets", "appends", "adds", "removes", "clears", "returns")

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
PATH = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*){1,10}")
TOOL = re.compile(r"[A-Za-z_][A-Za-z0-9_\-]{0,127}")

SEEN = ("args", "state", "flags", "calls", "actor")
_OF_EXPRESSIONS = (
    *("true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if"),
    *(
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "var",
        "void",
        "while",
        "has",
        "type",
        "dyn",
    ),
    *("int", "uint", "double", "string", "bytes", "bool", "list", "map", "null_type"),
)
RESERVED = frozenset((*SEEN, *_OF_EXPRESSIONS, *FIRST_WORDS, "with", "to"))
"""What neither a `let` nor a type in an expression can be called."""


# A structured rule as the line that means it.


def render_rule(rule: Mapping[str, Any]) -> str:
    """Write a rule that was read without a fault; reading the line gives the same rule again."""
    return f"{', '.join(rule['tools'])} {_clause(rule)}"


def _clause(rule: Mapping[str, Any]) -> str:
    match rule:
        case {"only_when": condition}:
            return f"only when {condition}{_refusal('else', rule)}"
        case {"fails_when": condition}:
            return f"fails when {condition}{_refusal('with', rule)}"
        case {"let": let}:
            return f"let {_assigned(let)}"
        case {"changes_nothing_else": True}:
            return "changes nothing else"
        case {"when": condition}:
            return f"when {condition} {_act(rule)}"
    return _act(rule)


def _act(rule: Mapping[str, Any]) -> str:
    match rule:
        case {"sets": paths}:
            return f"sets {_assigned(paths)}"
        case {"appends": paths}:
            ((path, value),) = paths.items()
            return f"appends {value} to {path}"
        case {"adds": added}:
            ((name, fields),) = added.items()
            return f"adds {name} {{{_fields(fields)}}}"
        case {"removes": name}:
            return f"removes {name}"
        case {"sets_flag": text}:
            return f"sets flag {_quoted(text)}"
        case {"clears_flag": text}:
            return f"clears flag {_quoted(text)}"
    return f"returns {rule['returns']}"


def _assigned(expressions: Mapping[str, str]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in expressions.items())


def _fields(expressions: Mapping[str, str]) -> str:
    named = {name if NAME.fullmatch(name) else _quoted(name): value for name, value in expressions.items()}
    return ", ".join(f"{name}: {value}" for name, value in named.items())


def _refusal(word: str, rule: Mapping[str, Any]) -> str:
    if word not in rule:
        return ""
    code, message = rule[word]["code"], rule[word]["message"]
    return f" {word} {'' if code == DEFAULT_CODE else code + ' '}{_quoted(message)}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
