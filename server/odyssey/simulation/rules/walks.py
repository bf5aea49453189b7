"""The walks of an expression through lists and maps, and what they may cost at most.

Nothing stops an evaluation once it runs, so what could run away is refused beforehand: when the rules are
read what is wrong whatever the world holds, at the call what is too much for the world as it is.

- `map` and `filter` copy all they have found so far at each step: their cost grows with the square.
- `['a'].map(x, x + x).map(x, x + x)…` doubles with every link. So no list that is walked through may be
  built with `+`, or by a `map` that makes lists or maps.
- `matches` compiles its pattern each time: in a walk it is a short literal without counted repetition.
- A member of a variable is copied whole when it is selected, and at each step again.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from odyssey.records.faults import Faults
from odyssey.simulation.rules.tokens import MACROS, is_literal, is_macro, is_member, operand_start, partners

MAX_NESTING = 2
MAX_ELEMENTS = 10_000
MAX_WORK = 2_000_000
"""About a quarter of a second: a unit is the copy of one small value inside CEL, 0.1 µs."""

_MAX_PATTERN_IN_WALK = 100
_WORK_BIND = 15
_WORK_STEP = 10
_WORK_PATTERN_CHARACTER = 20
_WORK_PATTERN_CLASS = 2000
_CHARACTERS_PER_NODE = 100

MAX_BOUND = MAX_WORK // _WORK_BIND
"""Entities or calls beyond this number are not even taken out of the world."""


class Size(NamedTuple):
    """How much a variable holds."""

    nodes: int
    """Values at all depths; long texts count for more than one."""
    length: int
    """Of the collection itself."""
    inside: int
    """Of the longest collection within it."""
    largest: int
    """Nodes of its largest element."""


class Range(NamedTuple):
    """What a walk goes through: a variable, or something inside it."""

    variable: str
    inside: bool

    def length(self, sizes: Mapping[str, Size]) -> int:
        size = sizes[self.variable]
        return size.inside if self.inside else size.length

    def nodes(self, sizes: Mapping[str, Size]) -> int:
        size = sizes[self.variable]
        return size.largest if self.inside else size.nodes


class Walk(NamedTuple):
    """Something done at each step of the walks around it: a walk of its own, or the use of a variable."""

    act: str
    ranges: tuple[Range | None, ...]
    """Of the walks this one stands in, outermost first, and its own; None: anything the expression sees."""
    uses: tuple[Range, ...] = ()
    """Variables that what is done looks at, or a part of them."""
    pattern_work: int = 0


class Walks(NamedTuple):
    walks: tuple[Walk, ...]
    literal_length: int
    """No list the expression writes down is longer."""
    additions: int

    def refusal(self, sizes: Mapping[str, Size]) -> str:
        """Why the expression may not be evaluated on variables of these sizes; empty when it may."""
        longest = self._longest(sizes)
        for walk in self.walks:
            length = longest if walk.ranges[-1] is None else walk.ranges[-1].length(sizes)
            if walk.act in MACROS and length > MAX_ELEMENTS:
                return f"{walk.act} would go through {length} elements; it may through {MAX_ELEMENTS}"
        if self.work(sizes) > MAX_WORK:
            return "the expression would go through too many values; let it walk through less"
        return ""

    def work(self, sizes: Mapping[str, Size]) -> int:
        """Estimate the cost of one evaluation, from above."""
        nodes = sum(size.nodes for size in sizes.values())
        longest = self._longest(sizes)
        work = nodes * (_WORK_BIND + self.additions**2)
        for walk in self.walks:
            steps = 1
            for walked in walk.ranges:
                steps *= longest if walked is None else max(walked.length(sizes), 1)
            work += steps * (_WORK_STEP + walk.pattern_work + self._copied(walk, sizes, longest, nodes))
        return work

    def _longest(self, sizes: Mapping[str, Size]) -> int:
        return max([self.literal_length, *(max(size.length, size.inside) for size in sizes.values())])

    def _copied(self, walk: Walk, sizes: Mapping[str, Size], longest: int, nodes: int) -> int:
        used = sum(use.nodes(sizes) for use in walk.uses)
        if walk.act not in ("map", "filter"):
            return used
        own = walk.ranges[-1]
        found = nodes if own is None else sizes[own.variable].nodes
        if walk.act == "filter":
            return found
        return (found + used * (longest if own is None else own.length(sizes))) * self.literal_length


def measure(value: Any) -> Size:
    if not isinstance(value, dict | list):
        return Size(_nodes(value)[0], 0, 0, 0)
    nodes = inside = largest = 0
    for item in value.values() if isinstance(value, dict) else value:
        own, longest = _nodes(item)
        nodes += own
        inside, largest = max(inside, longest), max(largest, own)
    return Size(nodes + 1, len(value), inside, largest)


def _nodes(value: Any) -> tuple[int, int]:
    """How many values this is, and the length of the longest collection among them."""
    nodes = longest = 0
    pending = [value]
    while pending:
        item = pending.pop()
        nodes += 1
        if isinstance(item, str):
            nodes += len(item) // _CHARACTERS_PER_NODE
        elif isinstance(item, dict | list):
            pending.extend(item.values() if isinstance(item, dict) else item)
            longest = max(longest, len(item))
    return nodes, longest


def find_walks(tokens: Sequence[str], variables: frozenset[str], faults: Faults) -> Walks:
    """Find every walk; `variables` are the names the expression is given."""
    return _Reader(tokens, variables, faults).read()


class _Open(NamedTuple):
    """A walk whose end has not been reached."""

    end: int
    ranges: tuple[Range | None, ...]
    name: str
    """What the walk calls the element it is at."""
    element: Range | None


class _Reader:
    def __init__(self, tokens: Sequence[str], variables: frozenset[str], faults: Faults) -> None:
        self._tokens = tokens
        self._variables = variables
        self._faults = faults
        self._partner = partners(tokens)
        self._open: list[_Open] = []
        self._walks: list[Walk] = []

    def read(self) -> Walks:
        for position, text in enumerate(self._tokens):
            while self._open and self._open[-1].end <= position:
                self._open.pop()
            if is_macro(self._tokens, position):
                self._enter(position)
            elif text == "in" and self._tokens[position + 1] != "[":
                self._walks.append(Walk(text, (*self._around(), self._seen_as(position + 1))))
            elif text == "matches" and self._open:
                self._check_pattern(position)
            elif self._open:
                uses = self._uses(position, position + 1)
                self._walks += [Walk("use", self._around(), uses)] if uses else []
        macros = sum(walk.act in MACROS for walk in self._walks)
        literal_length = self._tokens.count(",") - macros + 1
        return Walks(tuple(self._walks), literal_length, self._tokens.count("+"))

    def _around(self) -> tuple[Range | None, ...]:
        return self._open[-1].ranges if self._open else ()

    def _enter(self, position: int) -> None:
        macro, end = self._tokens[position], self._partner[position + 1]
        if len(self._open) == MAX_NESTING:
            self._faults.add(
                f"{macro} stands inside {MAX_NESTING} others; map, filter, all, exists and exists_one may be "
                f"nested {MAX_NESTING} deep"
            )
        start = operand_start(self._tokens, self._partner, position - 2)
        self._check_growth(start, position - 1)
        steps = self._steps(start, position - 1)
        walked = _within(self._seen_as(start), steps)
        element = None if walked is None or "map" in steps else walked._replace(inside=True)
        ranges = (*self._around(), walked)
        self._walks.append(Walk(macro, ranges, self._uses(position, end) if macro == "map" else ()))
        self._open.append(_Open(end, ranges, self._tokens[position + 2], element))

    def _seen_as(self, position: int) -> Range | None:
        """What the name here stands for; None for anything else than a name that is known."""
        name = self._tokens[position]
        for opened in reversed(self._open):
            if opened.name == name:
                return opened.element
        return Range(name, inside=False) if name in self._variables else None

    def _uses(self, start: int, end: int) -> tuple[Range, ...]:
        """The variables between two positions that are copied, or compared with, when evaluated."""
        uses = []
        for position in range(start, end):
            name, after = self._tokens[position], self._tokens[position + 1]
            if name not in self._variables or is_member(self._tokens, position):
                continue
            is_walked = after == "." and is_macro(self._tokens, position + 2)
            if not is_walked and self._tokens[position - 1] != "in":
                uses.append(Range(name, inside=after == "["))
        return tuple(uses)

    def _steps(self, start: int, end: int) -> list[str]:
        """What is done to the operand's first token, in order: `.`, `[` or the name of what is called."""
        steps = []
        position = start + 1
        while position < end:
            text = self._tokens[position]
            if text in ("(", "["):
                if text == "[":
                    steps.append(text)
                position = self._partner[position]
            elif text != ".":
                steps.append(text if self._tokens[position + 1] == "(" else ".")
            position += 1
        return steps

    def _check_growth(self, start: int, end: int) -> None:
        map_end = position = start
        while position < end:
            text = self._tokens[position]
            if text == "+":
                self._faults.add("a list that is walked through may not be built with +")
                return
            nested = text == "map" and is_macro(self._tokens, position) and position < map_end
            if nested or (text in ("[", "{") and position < map_end and is_literal(self._tokens, position)):
                self._faults.add(
                    "a list that is walked through may not come from a map that makes lists or maps"
                )
                return
            if is_macro(self._tokens, position):
                closing = self._partner[position + 1]
                # What stands in the other macros only chooses; it is no part of the list.
                map_end, position = (closing, position) if text == "map" else (map_end, closing)
            position += 1

    def _check_pattern(self, position: int) -> None:
        pattern, after = (*self._tokens[position + 2 : position + 4], "", "")[:2]
        if not (pattern.endswith(("'", '"')) and after == ")") or "{" in pattern:
            self._faults.add("inside a walk, matches takes a pattern in quotes without counted repetition")
        elif len(pattern) > _MAX_PATTERN_IN_WALK:
            self._faults.add(f"inside a walk, a pattern has at most {_MAX_PATTERN_IN_WALK} characters")
        work = len(pattern) * _WORK_PATTERN_CHARACTER + pattern.count("\\") * _WORK_PATTERN_CLASS
        self._walks.append(Walk("matches", self._around(), pattern_work=work))


def _within(root: Range | None, steps: Sequence[str]) -> Range | None:
    """What an operand is at most as long as, after these steps."""
    goes_inside = "." in steps or "[" in steps
    if root is None or ("map" in steps and goes_inside):
        return None
    return Range(root.variable, inside=root.inside or goes_inside)
