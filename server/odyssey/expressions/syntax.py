"""Reading the tokens of an expression, which is known to be CEL, into nodes; every unknown name is said."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import cel

from odyssey.expressions import nodes
from odyssey.expressions.facts import VARIABLES
from odyssey.expressions.functions import Function
from odyssey.expressions.tokens import MACROS, is_name
from odyssey.expressions.values import EvaluationError, Type, check_integer
from odyssey.records.faults import Faults, did_you_mean, shown

MAX_NESTING = 100
"""The CEL library stops a little before this, and Python's stack would a little after."""
MAX_WALKS = 4

TYPES = ("int", "uint", "double", "string", "bytes", "bool", "list", "map", "null_type", "type")
_LARGEST_UNSIGNED = 2**64 - 1
_CONSTANTS = {"true": True, "false": False, "null": None}
_RELATIONS = ("==", "!=", "<", "<=", ">", ">=", "in")
_LEVELS = {
    operator: level
    for level, operators in enumerate([("||",), ("&&",), _RELATIONS, ("+", "-"), ("*", "/", "%")])
    for operator in operators
}
"""How strongly an operator binds."""


_UNKNOWN = Function("unknown", 0, 0, lambda _facts: None)


class UnreadableError(Exception):
    """The expression cannot be read further; the message says why."""


class Parser:
    def __init__(
        self,
        tokens: Sequence[str],
        *,
        variables: frozenset[str],
        functions: Mapping[str, Function],
        faults: Faults,
    ) -> None:
        self._tokens = tokens
        self._variables = variables
        self._functions = functions
        self._faults = faults
        self._position = 0
        self._nesting = 0
        self._parts = 0
        self._elements: list[str] = []
        self._literals: dict[nodes.Node, Any] = {}
        self._selections: dict[nodes.Node, tuple[nodes.Node, str]] = {}
        """The nodes that end with a member: what it is taken of, and its name."""
        self.names: set[str] = set()
        """The variables that were met."""

    def parse(self) -> nodes.Node:
        node = self._expression()
        if self._position < len(self._tokens):
            raise UnreadableError(f"not a CEL expression: {shown(self._next())} is too much")
        return node

    def _expression(self) -> nodes.Node:
        self._nesting += 1
        if self._nesting > MAX_NESTING:
            raise UnreadableError(f"the expression is nested more than {MAX_NESTING} deep")
        node = self._operation()
        if self._takes("?"):
            then = self._expression()
            self._expect(":")
            node = nodes.choice(node, then, self._expression())
        self._nesting -= 1
        return node

    def _operation(self) -> nodes.Node:
        """Operands and the operators between them, all in one frame: Python's stack is what nesting costs."""
        operands = [self._unary()]
        operators: list[str] = []
        while self._next() in _LEVELS:
            while operators and _LEVELS[operators[-1]] > _LEVELS[self._next()]:
                _fold(operands, operators)
            operators.append(self._take())
            operands.append(self._unary())
        while operators:
            _fold(operands, operators)
        return operands[0]

    def _unary(self) -> nodes.Node:
        self._parts += 1
        sign = self._next()
        if sign == "!":
            return self._repeated("!", nodes.negation)
        if sign != "-":
            return self._operand(self._primary())
        following = self._tokens[self._position + 1] if self._position + 1 < len(self._tokens) else ""
        if following[:1].isdigit() or (following[:1] == "." and len(following) > 1):
            self._take()
            return self._operand(self._number("-" + self._take()))
        return self._repeated("-", nodes.negative)

    def _repeated(self, sign: str, make: Callable[[nodes.Node], nodes.Node]) -> nodes.Node:
        count = 0
        while self._takes(sign):
            count += 1
        node = self._operand(self._primary())
        # Two do nothing but ask for the kind, and so do the two after them.
        for _ in range(count if count < 3 else 2 - count % 2):
            node = make(node)
        return node

    def _operand(self, start: nodes.Node) -> nodes.Node:
        steps: list[nodes.Step] = []
        member = None
        while True:
            self._parts += 1
            if self._takes("."):
                member = self._name()
                if self._next() != "(":
                    steps.append(nodes.member(member))
                    continue
                if member in MACROS:
                    steps.append(self._walk(member))
                else:
                    steps.append(nodes.method_call(*self._call(member, receivers=1)))
            elif self._takes("["):
                steps.append(nodes.item(self._expression()))
                self._expect("]")
            else:
                break
            member = None
        node = nodes.operand(start, tuple(steps))
        if member is not None:
            self._selections[node] = (nodes.operand(start, tuple(steps[:-1])), member)
        return node

    def _primary(self) -> nodes.Node:
        text = self._take()
        if text == "(":
            node = self._expression()
            self._expect(")")
            return node
        if text == "[":
            return nodes.list_of(tuple(self._several("]")))
        if text == "{":
            return nodes.map_of(tuple(self._members()))
        if text in _CONSTANTS:
            return self._literal(_CONSTANTS[text])
        if text[0].isdigit() or (text[0] == "." and len(text) > 1):
            return self._number(text)
        if text[-1] in "\"'":
            return self._quoted(text)
        if not is_name(text):
            raise UnreadableError(f"not a CEL expression: {shown(text)} cannot stand here")
        return self._named(text)

    def _named(self, name: str) -> nodes.Node:
        if self._next() == "(":
            return self._has() if name == "has" else nodes.function_call(*self._call(name, receivers=0))
        if self._next() == "{":
            raise UnreadableError(f"{shown(name)} cannot be made with {{…}}; an expression has no messages")
        if name in self._elements:
            return nodes.element(name)
        if name in self._variables:
            self.names.add(name)
            return nodes.name(name)
        if name in TYPES:
            return self._literal(Type(name))
        hint = did_you_mean(name, self._variables) or f"; there are {', '.join(sorted(self._variables))}"
        self._faults.add(f"unknown name {shown(name)}{hint}")
        return self._literal(None)

    def _has(self) -> nodes.Node:
        self._expect("(")
        start = self._expression()
        self._expect(")")
        if start not in self._selections:
            raise UnreadableError("has takes a member: has(args.note)")
        return nodes.has(*self._selections[start])

    def _call(self, name: str, *, receivers: int) -> tuple[Function, tuple[nodes.Node, ...]]:
        self._expect("(")
        arguments = tuple(self._several(")"))
        function = self._functions.get(name)
        if function is None:
            self._faults.add(f"unknown function {shown(name)}{did_you_mean(name, self._functions)}")
            return _UNKNOWN, arguments
        count = len(arguments) + receivers
        if not function.least <= count <= function.most:
            self._faults.add(f"{name} takes {function.takes()}, not {count}")
        if name == "find" and not isinstance(self._field_of_find(arguments, receivers), str):
            self._faults.add("find takes the name of a field in quotes; filter looks for others")
        return function, arguments

    def _field_of_find(self, arguments: tuple[nodes.Node, ...], receivers: int) -> Any:
        """Every field that is asked for gets an index, so arguments of a call must not choose it."""
        return self._literals.get(arguments[1 - receivers]) if len(arguments) > 1 - receivers else None

    def _walk(self, macro: str) -> nodes.Walk:
        self._expect("(")
        element = self._name()
        if element in VARIABLES or element in (*TYPES, "has") or element.startswith("__"):
            self._faults.add(f"{shown(element)} cannot name the element of a walk; choose another name")
        if len(self._elements) == MAX_WALKS:
            self._faults.add(
                f"{macro} stands inside {MAX_WALKS} others; map, filter, all, exists and exists_one may be "
                f"nested {MAX_WALKS} deep"
            )
        self._expect(",")
        before = self._parts
        self._elements.append(element)
        bodies = self._several(")")
        self._elements.pop()
        if len(bodies) > (2 if macro == "map" else 1) or not bodies:
            raise UnreadableError(f"{macro} takes a name and an expression")
        test, result = (None, bodies[0]) if macro == "map" else (bodies[0], None)
        if len(bodies) == 2:
            test, result = bodies
        macro = "exists_one" if macro == "existsOne" else macro
        return nodes.Walk(macro, element, test, result, self._parts - before)

    def _several(self, end: str) -> list[nodes.Node]:
        found: list[nodes.Node] = []
        while not self._takes(end):
            found.append(self._expression())
            if self._next() != end:
                self._expect(",")
        return found

    def _members(self) -> list[tuple[nodes.Node, nodes.Node]]:
        found = []
        while not self._takes("}"):
            key = self._expression()
            self._expect(":")
            found.append((key, self._expression()))
            if self._next() != "}":
                self._expect(",")
        return found

    def _literal(self, value: Any) -> nodes.Node:
        node = nodes.literal(value)
        self._literals[node] = value
        return node

    def _quoted(self, token: str) -> nodes.Node:
        try:
            return self._literal(cel.compile(token).execute())
        except ValueError:
            raise UnreadableError(f"not a CEL expression: {shown(token)} cannot be read") from None

    def _number(self, token: str) -> nodes.Node:
        digits = token.rstrip("uU")
        try:
            if "x" not in digits.lower() and not digits.lstrip("-").isdigit():
                return self._literal(float(digits))
            number = int(digits, 16 if "x" in digits.lower() else 10)
            is_unsigned = digits != token and number <= _LARGEST_UNSIGNED
            return self._literal(number if is_unsigned else check_integer(number))
        except (EvaluationError, ValueError) as error:
            raise UnreadableError(f"not a CEL expression: {token[:40]} cannot be read: {error}") from None

    def _name(self) -> str:
        token = self._take()
        if not is_name(token):
            raise UnreadableError(f"not a CEL expression: {shown(token)} is no name")
        return token

    def _next(self) -> str:
        return self._tokens[self._position] if self._position < len(self._tokens) else ""

    def _take(self) -> str:
        token = self._next()
        if not token:
            raise UnreadableError("not a CEL expression: it ends too early")
        self._position += 1
        return token

    def _takes(self, token: str) -> bool:
        if self._next() != token:
            return False
        self._position += 1
        return True

    def _expect(self, token: str) -> None:
        if not self._takes(token):
            raise UnreadableError(f"not a CEL expression: {shown(self._next())} stands for {shown(token)}")


def _fold(operands: list[nodes.Node], operators: list[str]) -> None:
    """Put the last operators that bind alike, and what they stand between, into one node."""
    level = _LEVELS[operators[-1]]
    count = sum(_LEVELS[operator] == level for operator in operators)
    first, *others = operands[-count - 1 :]
    signs = operators[-count:]
    del operators[-count:]
    made: nodes.Node
    if signs[0] in ("||", "&&"):
        made = nodes.junction((first, *others), decisive=signs[0] == "||")
    else:
        kind = nodes.relation if signs[0] in _RELATIONS else nodes.chain
        made = kind(first, tuple(zip(signs, others, strict=True)))
    operands[-count - 1 :] = [made]
