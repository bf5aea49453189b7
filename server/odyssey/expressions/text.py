"""Texts with expressions in braces: `Order {args.order_id} is {order.status}`; `{{` and `}}` are braces."""

from collections.abc import Collection
from typing import Any, NamedTuple

from odyssey.expressions.errors import TooMuchError
from odyssey.expressions.facts import Facts
from odyssey.expressions.reading import Expression, read_expression
from odyssey.expressions.tokens import first_token
from odyssey.expressions.values import MAX_TEXT, as_text
from odyssey.records.faults import Faults

MAX_RAW = 10_000


class Text(NamedTuple):
    raw: str
    parts: tuple[str | Expression, ...]

    @property
    def names(self) -> frozenset[str]:
        return frozenset().union(*(part.names for part in self.expressions()))

    @property
    def uses_calls(self) -> bool:
        return any(part.uses_calls for part in self.expressions())

    def expressions(self) -> list[Expression]:
        return [part for part in self.parts if isinstance(part, Expression)]

    def render(self, facts: Facts) -> str:
        """The text with every expression's value in its place; raises EvaluationError."""
        rendered = [
            part if isinstance(part, str) else as_text(part.evaluate(facts), facts.meter)
            for part in self.parts
        ]
        if sum(len(part) for part in rendered) > MAX_TEXT:
            raise TooMuchError(f"the text would have more than {MAX_TEXT} characters")
        return "".join(rendered)


def read_text(raw: Any, faults: Faults, *, names: Collection[str] = ()) -> Text | None:
    """Read a text; None when something is wrong with it, which `faults` then says."""
    if not isinstance(raw, str):
        faults.add("must be a text; expressions in it stand in braces")
        return None
    if len(raw) > MAX_RAW:
        faults.add(f"the text has {len(raw)} characters; at most {MAX_RAW} are read")
        return None
    before = faults.count()
    parts = _read_parts(raw, faults, names)
    return None if faults.count() > before else Text(raw, tuple(parts))


def _read_parts(raw: str, faults: Faults, names: Collection[str]) -> list[str | Expression]:
    parts: list[str | Expression] = []
    plain: list[str] = []
    position = 0
    while position < len(raw):
        character = raw[position]
        if character not in "{}":
            plain.append(character)
            position += 1
        elif raw[position : position + 2] == character * 2:
            plain.append(character)
            position += 2
        elif character == "}":
            faults.add(
                f"the }} at character {position + 1} closes nothing; a brace of the text is written }}}}"
            )
            return parts
        else:
            end = _end_of_expression(raw, position + 1)
            if end is None:
                faults.add(
                    f"the {{ at character {position + 1} is not closed; a brace of the text is written {{{{"
                )
                return parts
            parts += ["".join(plain)] if plain else []
            plain = []
            read = read_expression(raw[position + 1 : end], faults, names=names)
            parts += [read] if read is not None else []
            position = end + 1
    return [*parts, "".join(plain)] if plain else parts


def _end_of_expression(raw: str, start: int) -> int | None:
    """Where the brace that closes the expression stands: maps and quotes inside it have braces of their own."""
    depth = 0
    position = start
    while position < len(raw):
        text = first_token(raw, position)
        if text == "}" and depth == 0:
            return position
        depth += {"{": 1, "}": -1}.get(text, 0)
        position += len(text)
    return None
