"""The tokens of an expression, which is known to be CEL."""

import re
from collections.abc import Sequence

import cel

from odyssey.records.faults import Faults

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


# Whether a text is CEL at all: the CEL library reads it, and says where it cannot.

MAX_EXPRESSION = 2000

_PARSER_SAYS = re.compile(r"ERROR: <input>:(\d+):(\d+): (?:Syntax error: )?(.*)")
_LONGEST_REASON = 200


def compile_cel(text: str, faults: Faults) -> cel.Program | None:
    try:
        return cel.compile(text)
    except ValueError as error:
        if "Recursion limit" in str(error):
            faults.add("not a CEL expression: it is nested too deep")
            return None
        said = _PARSER_SAYS.search(str(error))
        where = f"line {said[1]}, column {said[2]}: {said[3]}" if said else "it cannot be read"
        faults.add(f"not a CEL expression: {where.split(' expecting {')[0][:_LONGEST_REASON]}")
    except BaseException as error:
        if not is_panic(error):
            raise
        faults.add("not a CEL expression: it cannot be read")
    return None


def is_panic(error: BaseException) -> bool:
    """Say whether Rust code panicked: PyO3 raises a BaseException of its own then, which nothing exports."""
    return type(error).__module__ == "pyo3_runtime"
