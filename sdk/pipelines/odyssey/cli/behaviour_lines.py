"""The behaviour of a task's back end, looked at without a platform: whether its lines and rules have the form of one.

What their conditions mean is not looked at; the platform tells that, which knows tools and worlds.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from pipelines.odyssey.cli.seed_values import Found, did_you_mean, shown
from pipelines.odyssey.cli.strict_json import NotJsonError, read_strictly

_MOST_RULES = 500
_LONGEST_LOOKED_AT = 8000
_TOOLS = re.compile(r"(?:\*|[^\s,]+(?:\s*,\s*[^\s,]+)*)(?=\s|$)")
_ACT = re.compile(
    r"""(?: only\s+when\s+\S | fails\s+when\s+\S | let\s+[A-Za-z_]\w*\s*=\s*\S | changes\s+nothing\s+else\s*$
      | (?:when\s+\S.*?\s)?
        (?: sets\s+flag\s+["'] | clears\s+flag\s+["'] | sets\s+\w+\.\S+\s*=\s*\S | appends\s+\S.*\sto\s+\w+\.\S
          | adds\s+\w+\s*\{ | removes\s+\w+\s*$ | returns\s+\S ) )""",
    re.VERBOSE | re.DOTALL,
)
_WORDS = (
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
_EFFECTS = ("sets", "appends", "adds", "removes", "sets_flag", "clears_flag", "returns")
_ACTS = ("only_when", "fails_when", "let", "changes_nothing_else", *_EFFECTS)
_BESIDE = {"only_when": ("else",), "fails_when": ("with",), **dict.fromkeys(_EFFECTS, ("when",))}
"""What a rule may say beside its tools and its act."""


class OddLine(NamedTuple):
    number: int
    """From 1, within the behaviour."""
    msg: str


def odd_lines(value: Any) -> Iterator[OddLine]:
    """Name the lines of a text that have not the form of a rule; rules are read elsewhere."""
    if not isinstance(value, str) or _as_list(value) is not None:
        return
    for number, line in _lines(value):
        problem = _problem(line)
        if problem is not None:
            yield OddLine(number, problem)


def faulty_rules(value: Any) -> Found:
    """Say which rules of a list are none."""
    rules = _as_list(value) if isinstance(value, str) else value
    if not isinstance(rules, list):
        return
    if len(rules) > _MOST_RULES:
        yield (), f"has {len(rules)} rules; at most {_MOST_RULES} are allowed"
        return
    for index, rule in enumerate(rules):
        for steps, message in _faults(rule):
            yield (index, *steps), message


def _faults(rule: Any) -> Found:
    if not isinstance(rule, dict):
        yield (), f"a rule is an object, not {shown(rule)}"
        return
    acts = [name for name in rule if name in _ACTS]
    if len(acts) != 1:
        yield (), f"a rule has exactly one of {', '.join(_ACTS)}"
    tools = rule.get("tools")
    if not isinstance(tools, list) or not tools or not all(isinstance(tool, str) for tool in tools):
        yield ("tools",), f"must be a list of tool names, or ['*'], not {shown(tools)}"
    known = ("tools", *acts, *(name for act in acts for name in _BESIDE.get(act, ())))
    for name in rule:
        if name not in known:
            yield (name,), f"such a rule has no member {shown(name)}{did_you_mean(name, known)}"


def _as_list(text: str) -> list[Any] | None:
    """Rules stand in a cell as a JSON list of objects; whatever else begins with a bracket is text."""
    if not text.lstrip().startswith("["):
        return None
    try:
        read = read_strictly(text)
    except NotJsonError:
        return None
    return read if isinstance(read, list) and all(isinstance(item, dict) for item in read) else None


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Give each rule with the number of its first line; indented lines go on with the one before, up to a blank one."""
    lines = text.splitlines()
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    begun: list[tuple[int, str]] = []
    is_open = False
    for number, line in enumerate((line[indent:] for line in lines), 1):
        says = bool(line.strip()) and not line.lstrip().startswith("#")
        if is_open and line[:1].isspace() and line.strip():
            if says:
                begun[-1] = (begun[-1][0], f"{begun[-1][1]}\n{line.strip()}")
            continue
        is_open = says
        if says:
            begun.append((number, line.strip()))
    return iter(begun)


def _problem(line: str) -> str | None:
    tools = _TOOLS.match(line)
    rest = line[tools.end() :].lstrip() if tools is not None else ""
    if len(line) > _LONGEST_LOOKED_AT or _ACT.match(rest):
        return None
    word = rest.partition(" ")[0]
    hint = "" if word in _WORDS else did_you_mean(word, _WORDS)
    return f"is no rule such as 'TOOL only when …' or 'TOOL sets …'{hint}"
