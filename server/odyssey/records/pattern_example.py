"""A short text that a simple regular expression accepts: literals, classes, groups, alternatives, counts."""

from collections.abc import Iterable

MAX_REPEAT = 1000

_CLASS_EXAMPLES = {"d": "0", "w": "a", "s": " ", "D": "a", "W": "-", "S": "a"}
_CONTROL = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v"}
_PREFERRED = "a0A-_ .:/@b1B"


class PatternNotSimpleError(ValueError):
    """The pattern uses more than this module understands."""


def example_of(pattern: str, repeat: int = 0) -> str:
    """Give an example; unbounded repetitions are taken `repeat` times where once or never would do."""
    reader = _Reader(pattern, repeat)
    text = reader.alternatives(0)
    if reader.position != len(pattern):
        raise PatternNotSimpleError(pattern)
    return text


class _Reader:
    def __init__(self, pattern: str, repeat: int) -> None:
        self._pattern = pattern
        self._repeat = min(repeat, MAX_REPEAT)
        self.position = 0

    def _peek(self) -> str:
        return self._pattern[self.position : self.position + 1]

    def _take(self) -> str:
        character = self._peek()
        if not character:
            raise PatternNotSimpleError(self._pattern)
        self.position += 1
        return character

    def alternatives(self, depth: int) -> str:
        if depth > 20:
            raise PatternNotSimpleError(self._pattern)
        first = self._sequence(depth)
        while self._peek() == "|":
            self._take()
            self._sequence(depth)
        return first

    def _sequence(self, depth: int) -> str:
        parts: list[str] = []
        while self._peek() not in ("", "|", ")"):
            character = self._take()
            if character in "^$":
                continue
            parts.append(self._repeated(self._atom(character, depth)))
            if sum(map(len, parts)) > 20 * MAX_REPEAT:
                raise PatternNotSimpleError(self._pattern)
        return "".join(parts)

    def _atom(self, character: str, depth: int) -> str:
        if character == "(":
            return self._group(depth)
        if character == "[":
            return self._class()
        if character == "\\":
            return self._escape(self._take())
        if character in "*+?{":
            raise PatternNotSimpleError(self._pattern)
        return "a" if character == "." else character

    def _group(self, depth: int) -> str:
        if self._peek() == "?":
            self._take()
            if self._take() != ":":
                raise PatternNotSimpleError(self._pattern)
        text = self.alternatives(depth + 1)
        if self._take() != ")":
            raise PatternNotSimpleError(self._pattern)
        return text

    def _escape(self, character: str) -> str:
        if character in _CLASS_EXAMPLES:
            return _CLASS_EXAMPLES[character]
        if character in "bB":
            return ""
        if character in _CONTROL:
            return _CONTROL[character]
        if character.isalnum():
            raise PatternNotSimpleError(self._pattern)
        return character

    def _class(self) -> str:
        negated = self._peek() == "^"
        if negated:
            self._take()
        ranges: list[tuple[str, str]] = []
        while not ranges or self._peek() != "]":
            low = self._class_member()
            high = low
            if self._peek() == "-" and self._pattern[self.position + 1 : self.position + 2] not in ("]", ""):
                self._take()
                high = self._class_member()
            ranges.append((low, high))
        self._take()
        return _pick(ranges, negated, self._pattern)

    def _class_member(self) -> str:
        character = self._take()
        return self._escape(self._take()) if character == "\\" else character

    def _repeated(self, text: str) -> str:
        least, is_unbounded = 1, False
        quantifier = self._peek()
        if quantifier and quantifier in "*+?":
            self._take()
            least, is_unbounded = int(quantifier == "+"), quantifier != "?"
        elif quantifier == "{":
            least, is_unbounded = self._count()
        if self._peek() == "?":
            self._take()
        times = max(least, self._repeat) if is_unbounded else least
        return text * min(times, MAX_REPEAT)

    def _count(self) -> tuple[int, bool]:
        end = self._pattern.find("}", self.position)
        low, comma, high = self._pattern[self.position + 1 : end].partition(",")
        if end < 0 or not low.isdecimal() or len(low) > 6:
            raise PatternNotSimpleError(self._pattern)
        self.position = end + 1
        has_room = not high or (high.isdecimal() and len(high) <= 6 and int(high) >= self._repeat)
        return int(low), bool(comma) and has_room


def _pick(ranges: Iterable[tuple[str, str]], negated: bool, pattern: str) -> str:
    members = list(ranges)
    if not negated:
        return members[0][0]
    for character in _PREFERRED:
        if not any(low <= character <= high for low, high in members):
            return character
    raise PatternNotSimpleError(pattern)
