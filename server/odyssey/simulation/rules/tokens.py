"""The tokens of a CEL expression, as far as its static reading needs them: the text is known to compile."""

import re
from collections.abc import Sequence

MACROS = frozenset({"map", "filter", "all", "exists", "exists_one", "existsOne"})

_TOKEN = re.compile(
    r"""
      //[^\n]* | \s+
    | (?P<token>
        [bB]?[rR](?: \"{3}[\s\S]*?\"{3} | '{3}[\s\S]*?'{3} | "[^"\n]*" | '[^'\n]*' )
      | [bB]?(?: \"{3}(?:\\[\s\S]|[^\\])*?\"{3} | '{3}(?:\\[\s\S]|[^\\])*?'{3}
               | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' )
      | 0[xX][0-9a-fA-F]+[uU]? | (?:\d+)?\.\d+(?:[eE][+-]?\d+)? | \d+(?:[eE][+-]?\d+|[uU])?
      | [A-Za-z_][A-Za-z0-9_]*
      | && | \|\| | [=!<>]= | [\s\S]
      )
    """,
    re.VERBOSE,
)
_OPEN = {"(": ")", "[": "]", "{": "}"}
_CLOSE = frozenset(_OPEN.values())
_WORDS = frozenset({"in", "true", "false", "null"})


def tokenize(text: str) -> list[str]:
    """Split the expression; white space and comments are left out."""
    return [match["token"] for match in _TOKEN.finditer(text) if match["token"]]


def is_name(token: str) -> bool:
    """Say whether this is an identifier: a variable, a member or a function."""
    return (token[0].isalpha() or token[0] == "_") and token[-1] not in "\"'" and token not in _WORDS


def plain_text(token: str) -> str | None:
    """What a string literal says, unless that takes unescaping."""
    is_plain = token[0] in "\"'" and token[:3] not in ('"""', "'''") and "\\" not in token
    return token[1:-1] if is_plain else None


def is_member(tokens: Sequence[str], position: int) -> bool:
    """Say whether the name at this position is selected from something."""
    return position > 0 and tokens[position - 1] == "."


def is_macro(tokens: Sequence[str], position: int) -> bool:
    """Say whether a macro that goes through a list or map is called at this position."""
    return (
        tokens[position] in MACROS
        and is_member(tokens, position)
        and tuple(tokens[position + 1 : position + 2]) == ("(",)
    )


def is_literal(tokens: Sequence[str], position: int) -> bool:
    """Say whether the `[` or `{` here begins a list or map of its own, and is no index."""
    before = tokens[position - 1] if position else "("
    return not (is_name(before) or before in _CLOSE or before[-1] in "\"'")


def partners(tokens: Sequence[str]) -> dict[int, int]:
    """Positions of brackets: of the closing one by the opening one, and the other way round."""
    found: dict[int, int] = {}
    pending: list[int] = []
    for position, token in enumerate(tokens):
        if token in _OPEN:
            pending.append(position)
        elif token in _CLOSE and pending:
            opening = pending.pop()
            found[opening], found[position] = position, opening
    return found


def operand_start(tokens: Sequence[str], partner: dict[int, int], end: int) -> int:
    """Where the operand that ends at `end` begins: `a.b[0].filter(x, y)` is one operand."""
    position = end
    while True:
        token = tokens[position]
        if token in _CLOSE:
            position = partner[position]
            if tokens[position] == "{" or (tokens[position] == "[" and is_literal(tokens, position)):
                return position
            if tokens[position] == "(" and not (position and is_name(tokens[position - 1])):
                return position
            position -= 1
        elif is_member(tokens, position):
            position -= 2
        else:
            return position
