"""Regular expressions of strangers: what they may take on a value at most, and a short text that one accepts."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import jsonschema_rs
import msgspec

from odyssey.records.schema_graph import MAX_EXPANSIONS, SchemaInvalidError, SchemaNode

# A short text that a simple regular expression accepts: literals, classes, groups, alternatives, counts.

MAX_REPEAT = 1000

_CLASS_EXAMPLES = {"d": "0", "w": "a", "s": " ", "D": "a", "W": "-", "S": "a"}
_CONTROL = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v"}
_PREFERRED = "a0A-_ .:/@b1B"


class PatternNotSimpleError(ValueError):
    """The pattern uses more than this module understands."""


def example_of(pattern: str, repeat: int = 0) -> str:
    """Give an example; unbounded repetitions are taken `repeat` times where once or never would do."""
    reader = _PatternReader(pattern, repeat)
    text = reader.alternatives(0)
    if reader.position != len(pattern):
        raise PatternNotSimpleError(pattern)
    return text


class _PatternReader:
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


# What the patterns of a schema may take on a value, at most: time grows with the text, but also with the
# pattern.
#
# A pattern such as `a[ab]{1000}[cd]` keeps a thousand places in mind for every character: on a mebibyte that
# is seconds, although it is linear. So its size times the length of the text is bounded. How large a pattern
# is, is found out when a text is first so long that it matters.

Steps = Callable[[SchemaNode, Any], Iterator[tuple[int, Any]]]

SIZES = (1 << 12, 1 << 14, 1 << 17)
"""In bytes, compiled. A pattern beyond the last is refused."""
MOST_PATTERNS = 500
"""Of one schema."""
MOST_WORK = 1_000_000_000
"""Bytes of a compiled pattern times bytes of text: at worst a tenth of a second."""
_MOST_PAIRS = 50_000
_PLACE = 64
"""Bytes of a compiled pattern for each character of it as it is written."""
_PROPERTY = re.compile(r"\\[pP]\{[^{}]*\}")


def pattern_options(size: int) -> jsonschema_rs.RegexOptions:
    return jsonschema_rs.RegexOptions(size_limit=size, dfa_size_limit=1 << 20)


@lru_cache(maxsize=1024)
def pattern_size(pattern: str) -> int:
    """Bound from above how many bytes of the compiled pattern are at work at once."""
    if "{" not in _PROPERTY.sub(
        "p", pattern
    ):  # nothing is counted, so it has no more places than it has characters
        return min(SIZES[-1], _PLACE * len(pattern))
    for size in SIZES[:-1]:
        try:
            jsonschema_rs.validator_for(
                {"pattern": pattern}, offline=True, pattern_options=pattern_options(size)
            )
        except (ValueError, jsonschema_rs.ValidationError):
            continue
        return size
    return SIZES[-1]


class PatternWork:
    """Bounds the work of all patterns of one schema on a value, and looks closely only where it may be too much."""

    def __init__(self, nodes: Sequence[SchemaNode], root: int, steps: Steps) -> None:
        self._nodes = nodes
        self._root = root
        self._steps = steps
        self._patterns = [each for node in nodes for each in _patterns(node)]
        if len(self._patterns) > MOST_PATTERNS:
            raise SchemaInvalidError(
                f"schema has {len(self._patterns)} patterns; at most {MOST_PATTERNS} are allowed"
            )
        # Through references a pattern may look at one text several times.
        self._repeats = MAX_EXPANSIONS if any(node.references for node in nodes) else 1
        self._most = len(self._patterns) * self._repeats * SIZES[-1]
        self._is_measured = False
        self._leading: set[int] = set()

    def is_too_much(self, value: Any, most: int = MOST_WORK) -> bool:
        if not self._patterns:
            return False
        length = len(msgspec.json.encode(value))
        if self._most * length <= most:
            return False
        self._measure()
        return self._most * length > most and self._exceeds(value, most)

    def _measure(self) -> None:
        """Find out how large the patterns are, and which subschemas lead to one."""
        if self._is_measured:
            return
        self._most = self._repeats * sum(map(pattern_size, self._patterns))
        self._leading = {index for index, node in enumerate(self._nodes) if any(_patterns(node))}
        before = -1
        while before != len(self._leading):
            before = len(self._leading)
            for index, node in enumerate(self._nodes):
                if index not in self._leading and not self._leading.isdisjoint(node.all()):
                    self._leading.add(index)
        self._is_measured = True

    def _exceeds(self, value: Any, most: int) -> bool:
        work, pairs = 0, 0
        pending: list[tuple[int, Any]] = [(self._root, value)]
        while pending:
            index, part = pending.pop()
            node = self._nodes[index]
            pairs += 1
            if isinstance(part, str):
                work += 0 if node.pattern is None else pattern_size(node.pattern) * _length(part)
            elif isinstance(part, dict) and (node.key_patterns or node.names is not None):
                names = "".join(part)
                work += sum(map(pattern_size, node.key_patterns)) * _length(names)
                if node.names is not None:
                    pending.append((node.names, names))
            if work > most or pairs > _MOST_PAIRS:
                return True
            pending.extend(step for step in self._steps(node, part) if step[0] in self._leading)
        return False


def _patterns(node: SchemaNode) -> Iterator[str]:
    if node.pattern is not None:
        yield node.pattern
    yield from node.key_patterns


def _length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
