"""An expression: read once with every fault, then evaluated on the facts of many calls."""

from collections.abc import Collection
from typing import Any

from odyssey.expressions.compiling import MAX_EXPRESSION, compile_cel
from odyssey.expressions.errors import EvaluationError
from odyssey.expressions.facts import VARIABLES, Facts
from odyssey.expressions.functions import ALL_FUNCTIONS, CEL_FUNCTIONS
from odyssey.expressions.nodes import Node, Scope
from odyssey.expressions.syntax import Parser, UnreadableError
from odyssey.expressions.tokens import all_tokens, tokenize
from odyssey.expressions.values import described, settle
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
            return settle(self._node.evaluate(Scope(facts, {})), facts.meter)
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
