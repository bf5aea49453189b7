"""The words of the grammar: which acts there are, how each is written, and which names they leave free."""

import re

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
