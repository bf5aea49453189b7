"""The tokens of an expression, which is known to be CEL."""

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
_WORDS = frozenset({"in", "true", "false", "null"})


def tokenize(text: str) -> list[str]:
    """Split the expression; white space and comments are left out."""
    return [match["token"] for match in _TOKEN.finditer(text) if match["token"]]


def all_tokens(text: str) -> list[str]:
    """Split the expression so that joining gives it back: with white space and comments."""
    return [match[0] for match in _TOKEN.finditer(text)]


def first_token(text: str, position: int) -> str:
    """The token, comment or white space that stands at this position."""
    match = _TOKEN.match(text, position)
    assert match is not None
    return match[0]


def is_name(token: str) -> bool:
    """Say whether this is an identifier: a variable, a member or a function."""
    return (token[0].isalpha() or token[0] == "_") and token[-1] not in "\"'" and token not in _WORDS


def is_member(tokens: Sequence[str], position: int) -> bool:
    """Say whether the name at this position is selected from something."""
    return position > 0 and tokens[position - 1] == "."
