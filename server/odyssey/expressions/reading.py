"""An expression: read once with every fault, then evaluated on the facts of many calls."""

from collections.abc import Collection
from typing import Any, NamedTuple

from odyssey.expressions.facts import VARIABLES, Facts
from odyssey.expressions.functions import ALL_FUNCTIONS, CEL_FUNCTIONS
from odyssey.expressions.nodes import Node, Scope
from odyssey.expressions.syntax import Parser, UnreadableError
from odyssey.expressions.tokens import MAX_EXPRESSION, all_tokens, compile_cel, first_token, tokenize
from odyssey.expressions.values import MAX_TEXT, EvaluationError, TooMuchError, as_text, described, settle
from odyssey.records.faults import Faults

_RESERVED = frozenset(
    {
        *("as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop"),
        *("namespace", "package", "return", "var", "void", "while"),
    }
)


class Expression:
    """Immutable; equal to another one of the same text and names."""

    __slots__ = ("_node", "names", "text", "uses_calls")

    text: str
    names: frozenset[str]
    """Those names of the caller's that it uses."""
    uses_calls: bool

    def __init__(self, text: str, node: Node, used: frozenset[str]) -> None:
        """Use `read_expression` instead."""
        self.text = text
        self.names = used.difference(VARIABLES)
        self.uses_calls = "calls" in used
        self._node = node

    def evaluate(self, facts: Facts) -> Any:
        """The value as plain JSON, the caller's own; raises EvaluationError."""
        try:
            return settle(self._node(Scope(facts, {})), facts.meter)
        except RecursionError:
            raise EvaluationError("too many names need each other to be worked out") from None

    def holds(self, facts: Facts) -> bool:
        """Evaluate to a boolean; raises EvaluationError also when it is none."""
        result = self.evaluate(facts)
        if result is True or result is False:
            return bool(result)
        raise EvaluationError(f"the result is {described(result)}, not a boolean")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expression) and (self.text, self.names) == (other.text, other.names)

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"


def read_expression(
    text: Any, faults: Faults, *, names: Collection[str] = (), functions: bool = True
) -> Expression | None:
    """Read CEL over args, state, flags, calls, actor and these names; None when `faults` says what is wrong."""
    if not isinstance(text, str) or not text.strip():
        faults.add("an expression is CEL, written as a string")
        return None
    if len(text) > MAX_EXPRESSION:
        faults.add(f"the expression has {len(text)} characters; at most {MAX_EXPRESSION} are read")
        return None
    before = faults.count()
    if compile_cel(_without_reserved(text, names), faults) is None:
        return None
    parser = Parser(
        tokenize(text),
        variables=frozenset((*VARIABLES, *names)),
        functions=ALL_FUNCTIONS if functions else CEL_FUNCTIONS,
        faults=faults,
    )
    try:
        node = parser.parse()
    except UnreadableError as error:
        faults.add(str(error))
        return None
    except RecursionError:
        faults.add("the expression is nested too deep")
        return None
    return None if faults.count() > before else Expression(text, node, frozenset(parser.names))


def _without_reserved(text: str, names: Collection[str]) -> str:
    """The text for CEL to check: the caller may well have a type that CEL keeps the name of, such as `package`."""
    kept = _RESERVED.intersection(names)
    if not kept:
        return text
    return "".join("_" * len(part) if part in kept else part for part in all_tokens(text))


# Texts with expressions in braces: `Order {args.order_id} is {order.status}`; `{{` and `}}` are braces.

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
