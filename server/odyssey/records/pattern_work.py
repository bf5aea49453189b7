"""What the patterns of a schema may take on a value, at most: time grows with the text, but also with the pattern.

A pattern such as `a[ab]{1000}[cd]` keeps a thousand places in mind for every character: on a mebibyte that is seconds,
although it is linear. So its size times the length of the text is bounded. How large a pattern is, is found out when a
text is first so long that it matters.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import jsonschema_rs
import msgspec

from odyssey.records.schema_graph import MAX_EXPANSIONS, Node, SchemaInvalidError

Steps = Callable[[Node, Any], Iterator[tuple[int, Any]]]

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

    def __init__(self, nodes: Sequence[Node], root: int, steps: Steps) -> None:
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


def _patterns(node: Node) -> Iterator[str]:
    if node.pattern is not None:
        yield node.pattern
    yield from node.key_patterns


def _length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
