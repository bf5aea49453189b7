"""One line as a structured rule, or what keeps it from being one."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from odyssey.expressions import MAX_EXPRESSION
from odyssey.records.faults import did_you_mean, shown
from odyssey.simulation.behaviours.scanning import (
    Mark,
    find_word,
    is_word,
    one_line,
    read_quoted,
    scan,
    split_at,
    unclosed,
)
from odyssey.simulation.behaviours.words import ACTS, AFTER_WHEN, CODES, DEFAULT_CODE, FIRST_WORDS, NAME, PATH

Place = tuple[str, ...]
"""Where something stands in a structured rule: `("sets", "order.status")`."""

_HEAD = re.compile(r"\s*(\*|[A-Za-z_][\w\-]*(?:\s*,\s*[A-Za-z_][\w\-]*)*)(?=\s|$)", re.ASCII)
_TOOL = re.compile(r"[^\s,]+")
_BULLET = re.compile(r"\s*(?:[-*•]|\d+[.)])\s+\w")
_LEFT_TO_THE_MODEL = "not one of the acts; left to a model (no effect without one)"
_QUOTES = "write the text in quotes"


class Problem(NamedTuple):
    message: str
    hint: str | None = None
    start: int | None = None
    """Where in the line, counted from 0."""


class ParsedLine(NamedTuple):
    rule: dict[str, Any]
    source: str
    starts: Mapping[Place, int]
    """Where in the source the parts of the rule begin; expressions and texts stand under `(…, "=")`."""


class LineInvalidError(Exception):
    """A line means nothing; carries what is said of it."""

    def __init__(self, message: str, start: int | None, hint: str | None = None) -> None:
        super().__init__(message)
        self.problem = Problem(message, hint, start)


def parse_line(source: str, tools: Collection[str] | None = None) -> ParsedLine | Problem:
    """Read one line whatever it says: what is no rule is a problem, never an exception.

    Which tools there are only matters for the hint: a sentence that begins with none of them is prose.
    """
    head = _HEAD.match(source)
    if head is None:
        return _prose(source)
    marks = scan(source, head.end())
    if not marks or not is_word(marks[0], *FIRST_WORDS):
        return _no_act(source, head, marks, tools)
    # `cancel_order only when order.status == "open" else "too late"` becomes
    # {"tools": ["cancel_order"], "only_when": "order.status == \"open\"",
    #  "else": {"code": "conflict", "message": "too late"}}.
    try:
        return _Line(source, head).read(marks)
    except LineInvalidError as error:
        return error.problem


def _prose(source: str) -> Problem:
    if _BULLET.match(source):
        return Problem(_LEFT_TO_THE_MODEL, "begin the line with the tool, without a bullet", 0)
    return Problem(
        _LEFT_TO_THE_MODEL, f"a rule begins with a tool and an act, such as {ACTS['only when']}", 0
    )


def _no_act(
    source: str, head: re.Match[str], marks: Sequence[Mark], tools: Collection[str] | None
) -> Problem:
    named = _TOOL.findall(head[1])
    if _BULLET.match(source) or not (tools is None or any(name in tools or name == "*" for name in named)):
        return _prose(source)
    first = marks[0] if marks else None
    acts = f"after the tool comes an act: {', '.join(ACTS)}"
    if first is None or first.kind != "name":
        return Problem(_LEFT_TO_THE_MODEL, acts, first.start if first else head.end(1))
    near = did_you_mean(first.text, FIRST_WORDS).removeprefix("; ")
    return Problem(f"{shown(first.text)} is {_LEFT_TO_THE_MODEL}", near or acts, first.start)


class _Line:
    """A line that begins as a rule does."""

    def __init__(self, source: str, head: re.Match[str]) -> None:
        self.source = source
        self.starts: dict[Place, int] = {}
        for match in _TOOL.finditer(head[1]):
            self.starts.setdefault(("tools", match[0]), head.start(1) + match.start())
        self.rule: dict[str, Any] = {"tools": [place[1] for place in self.starts]}

    def read(self, marks: Sequence[Mark]) -> ParsedLine:
        self._check_signs(marks)
        first, rest = marks[0], marks[1:]
        match first.text:
            case "only" | "fails":
                self._guard(first, rest)
            case "let":
                self._let(first, rest)
            case "changes":
                self._alone(first, rest)
            case "when":
                self._conditional(first, rest)
            case _:
                self._act(first, rest)
        return ParsedLine(self.rule, self.source, self.starts)

    def _check_signs(self, marks: Sequence[Mark]) -> None:
        comment = next((mark for mark in marks if mark.text == "//"), None)
        if comment is not None:
            raise LineInvalidError(
                "a comment cannot stand in a rule", comment.start, "begin a line of its own with #"
            )
        odd = unclosed(marks)
        if odd is not None and odd.kind == "open":
            raise LineInvalidError(
                "the text in quotes does not end", odd.start, f"close it with {odd.text[0]}"
            )
        if odd is not None:
            raise LineInvalidError(
                f"{odd.text} has no partner", odd.start, "every bracket is opened and closed"
            )

    def _guard(self, first: Mark, rest: Sequence[Mark]) -> None:
        if not rest or not is_word(rest[0], "when"):
            raise LineInvalidError(
                f"after {first.text!r} comes 'when'", first.end, ACTS[f"{first.text} when"]
            )
        member, text_word = ("only_when", "else") if first.text == "only" else ("fails_when", "with")
        rest, after = rest[1:], rest[0].end
        clause = find_word(rest, "else", "with")
        self.rule[member] = self._expression((member,), rest[:clause], after, "condition")
        if clause is None:
            return
        if rest[clause].text != text_word:
            raise LineInvalidError(
                f"{rest[clause].text!r} does not go with {first.text!r}",
                rest[clause].start,
                f"write {ACTS[f'{first.text} when']}",
            )
        self.rule[text_word] = self._refusal(text_word, rest[clause], rest[clause + 1 :])

    def _refusal(self, member: str, word: Mark, marks: Sequence[Mark]) -> dict[str, str]:
        code = DEFAULT_CODE
        if marks and marks[0].kind == "name" and len(marks) > 1 and marks[1].kind == "quoted":
            if marks[0].text not in CODES:
                raise LineInvalidError(
                    f"{shown(marks[0].text)} is not a code of a refusal",
                    marks[0].start,
                    f"codes are {', '.join(CODES)}{did_you_mean(marks[0].text, CODES)}",
                )
            code, marks = marks[0].text, marks[1:]
        return {"code": code, "message": self._text((member,), word, marks)}

    def _let(self, first: Mark, rest: Sequence[Mark]) -> None:
        if not rest or rest[0].kind != "name" or not NAME.fullmatch(rest[0].text):
            raise LineInvalidError("after 'let' comes a name", first.end, ACTS["let"])
        name = rest[0].text
        if len(rest) < 2 or rest[1].text != "=":
            raise LineInvalidError(f"after the name {shown(name)} comes =", rest[0].end, ACTS["let"])
        self.starts["let",] = rest[0].start
        self.rule["let"] = {name: self._expression(("let", name), rest[2:], rest[1].end)}

    def _alone(self, first: Mark, rest: Sequence[Mark]) -> None:
        if [mark.text for mark in rest] != ["nothing", "else"]:
            raise LineInvalidError(
                "'changes' is not an act of its own", first.start, ACTS["changes nothing else"]
            )
        self.rule["changes_nothing_else"] = True

    def _conditional(self, first: Mark, rest: Sequence[Mark]) -> None:
        act = find_word(rest, *AFTER_WHEN)
        if act is None:
            raise LineInvalidError(
                "the condition is followed by no act", first.start, f"acts are {', '.join(AFTER_WHEN)}"
            )
        self.rule["when"] = self._expression(("when",), rest[:act], first.end, "condition")
        self._act(rest[act], rest[act + 1 :])

    def _act(self, first: Mark, rest: Sequence[Mark]) -> None:
        is_flag = bool(rest) and is_word(rest[0], "flag") and not (rest[1:] and rest[1].text == ".")
        if is_flag and first.text in ("sets", "clears"):
            self.rule[f"{first.text}_flag"] = self._text((f"{first.text}_flag",), rest[0], rest[1:])
            return
        readers: dict[str, Callable[[Mark, Sequence[Mark]], None]] = {
            "sets": self._sets,
            "appends": self._appends,
            "adds": self._adds,
            "removes": self._removes,
            "returns": self._returns,
        }
        if first.text not in readers:
            raise LineInvalidError(f"after {first.text!r} comes 'flag'", first.end, ACTS["clears flag"])
        readers[first.text](first, rest)

    def _sets(self, first: Mark, rest: Sequence[Mark]) -> None:
        sets: dict[str, str] = {}
        after = first.end
        for part in split_at(rest, ",", 0):
            equals = next(
                (place for place, mark in enumerate(part) if mark.text == "=" and mark.depth == 0), None
            )
            if equals is None:
                raise LineInvalidError(
                    "sets needs FIELD = EXPRESSION", part[0].start if part else after, ACTS["sets"]
                )
            path = self._path("sets", part[:equals], after)
            if path in sets:
                raise LineInvalidError(f"{path} is set twice", part[0].start, "a line sets a field once")
            sets[path] = self._expression(("sets", path), part[equals + 1 :], part[equals].end)
            after = part[-1].end
        self.rule["sets"] = sets

    def _appends(self, first: Mark, rest: Sequence[Mark]) -> None:
        # The last one: before it stands any expression, after it only a path.
        to = find_word(rest, "to", last=True)
        if to is None:
            raise LineInvalidError("appends needs 'to' and a field", first.start, ACTS["appends"])
        path = self._path("appends", rest[to + 1 :], rest[to].end)
        self.rule["appends"] = {path: self._expression(("appends", path), rest[:to], first.end)}

    def _adds(self, first: Mark, rest: Sequence[Mark]) -> None:
        name = rest[0] if rest and rest[0].kind == "name" and NAME.fullmatch(rest[0].text) else None
        if name is None or len(rest) < 2 or rest[1].text != "{" or not _ends_at(rest, 1):
            hint = ACTS["appends"] if find_word(rest, "to") is not None else ACTS["adds"]
            raise LineInvalidError("adds needs a type and its fields in {…}", first.end, f"write {hint}")
        self.starts["adds", name.text] = name.start
        fields: dict[str, str] = {}
        inside = rest[2:-1]
        for part in split_at(inside, ",", 1) if inside else []:
            key = _key(part)
            if key is None:
                raise LineInvalidError(
                    "a field is written as NAME: EXPRESSION", (part or rest)[0].start, ACTS["adds"]
                )
            if key in fields:
                raise LineInvalidError(f"{shown(key)} is given twice", part[0].start)
            fields[key] = self._expression(("adds", name.text, key), part[2:], part[1].end)
        self.rule["adds"] = {name.text: fields}

    def _removes(self, first: Mark, rest: Sequence[Mark]) -> None:
        if len(rest) != 1 or rest[0].kind != "name" or not NAME.fullmatch(rest[0].text):
            raise LineInvalidError("removes needs a type and nothing more", first.end, ACTS["removes"])
        self.starts["removes",] = rest[0].start
        self.rule["removes"] = rest[0].text

    def _returns(self, first: Mark, rest: Sequence[Mark]) -> None:
        self.rule["returns"] = self._expression(("returns",), rest, first.end)

    def _path(self, member: str, marks: Sequence[Mark], after: int) -> str:
        path = self.source[marks[0].start : marks[-1].end] if marks else ""
        if not PATH.fullmatch(path):
            start = marks[0].start if marks else after
            raise LineInvalidError(f"{shown(path)} is not TYPE.FIELD", start, f"write {ACTS[member]}")
        self.starts[member, path] = marks[0].start
        return path

    def _expression(self, place: Place, marks: Sequence[Mark], after: int, what: str = "expression") -> str:
        if not marks:
            raise LineInvalidError(f"the {what} is missing", after)
        self.starts[(*place, "=")] = marks[0].start
        text = one_line(self.source[marks[0].start : marks[-1].end])
        if len(text) > MAX_EXPRESSION:
            raise LineInvalidError(
                f"the {what} has {len(text)} characters; at most {MAX_EXPRESSION} are read",
                marks[0].start,
                "give parts of it a name with let",
            )
        return text

    def _text(self, place: Place, word: Mark, marks: Sequence[Mark]) -> str:
        if not marks:
            raise LineInvalidError(f"the text after {word.text!r} is missing", word.end, _QUOTES)
        if len(marks) > 1 or marks[0].kind != "quoted":
            raise LineInvalidError(f"after {word.text!r} comes one text", marks[0].start, _QUOTES)
        text = read_quoted(marks[0].text)
        if not text:
            hint = 'write it in simple quotes, with \\n, \\" and \\\\ where needed' if text is None else None
            raise LineInvalidError(
                "the text cannot be read" if text is None else "the text is empty", marks[0].start, hint
            )
        self.starts[(*place, "=")] = marks[0].start + 1
        return text


def _ends_at(marks: Sequence[Mark], opening: int) -> bool:
    """Whether the bracket that is opened here is closed by the last mark."""
    depth = marks[opening].depth
    closing = next(
        place
        for place, mark in enumerate(marks)
        if place > opening and mark.depth == depth and mark.text == "}"
    )
    return closing == len(marks) - 1


def _key(part: Sequence[Mark]) -> str | None:
    if len(part) < 2 or part[1].text != ":":
        return None
    return part[0].text if part[0].kind == "name" else read_quoted(part[0].text) or None
