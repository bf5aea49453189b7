"""Which parts of the world an expression looks at, so that no more than those is handed to it.

CEL takes a copy of all it is given, and again of every member it selects. So `state.order` is read as a
variable of its own, which holds only what this use of it needs. It is a map also when the world has no order.
Ids come oldest first: a CEL map has no order, and what a walk finds must be the same every time.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from odyssey.simulation.rules.tokens import is_macro, is_member, is_name, plain_text

PLAIN = ("args", "flags", "calls", "actor")

Kind = Literal["args", "flags", "calls", "actor", "state", "types", "ids", "one", "all"]


class Need(NamedTuple):
    """A variable of the expression as it is evaluated."""

    kind: Kind
    """`state`: the whole world; `types`: its types; of one type the `ids`, `one` entity or `all`."""
    entity_type: str = ""
    key: tuple[str, ...] = ()
    """Of `one`: the path of the argument that says the id, or ("=", the id)."""

    @property
    def name(self) -> str:
        if self.kind in PLAIN or self.kind == "state":
            return self.kind
        parts = (self.entity_type, *self.key)
        return f"__{self.kind}_" + "_".join(part.encode().hex() for part in parts)


class _Use(NamedTuple):
    need: Need
    end: int
    """The position after the tokens that the variable stands for."""


def divide_state(tokens: Sequence[str]) -> tuple[list[str], tuple[Need, ...]]:
    """Put a variable in the place of each use of the state; give all variables the expression then has."""
    divided: list[str] = []
    needs: dict[Need, None] = {}
    position = 0
    while position < len(tokens):
        token = tokens[position]
        use = None if is_member(tokens, position) else _use_at(tokens, position, token)
        if use is None:
            divided.append(token)
            position += 1
        else:
            divided.append(use.need.name)
            needs[use.need] = None
            position = use.end
    return divided, tuple(needs)


def _use_at(tokens: Sequence[str], position: int, token: str) -> _Use | None:
    match token:
        case "args" | "flags" | "calls" | "actor":
            return _Use(Need(token), position + 1)
        case "state":
            return _state_use(tokens, position)
    return None


def _state_use(tokens: Sequence[str], position: int) -> _Use:
    before = tuple(tokens[max(position - 2, 0) : position])
    entity_type, end = _type_named(tokens, position + 1)
    if entity_type is None:
        only_types = before[-1:] == ("in",) and _at(tokens, end) not in (".", "[")
        return _Use(Need("types" if only_types else "state"), end)
    if before == ("has", "(") and _at(tokens, end) == ")":
        return _Use(Need("types"), position + 1)
    if _asks_only_for_ids(tokens, before, end):
        return _Use(Need("ids", entity_type), end)
    key = _key_named(tokens, end)
    return _Use(Need("one", entity_type, key) if key else Need("all", entity_type), end)


def _type_named(tokens: Sequence[str], position: int) -> tuple[str | None, int]:
    """The type in `.order` or `["order"]`, and the position after it."""
    if _at(tokens, position) == "." and _at(tokens, position + 2) != "(":
        return tokens[position + 1], position + 2
    if _at(tokens, position) == "[" and _at(tokens, position + 2) == "]":
        text = plain_text(tokens[position + 1])
        return (None, position) if text is None else (text, position + 3)
    return None, position


def _asks_only_for_ids(tokens: Sequence[str], before: tuple[str, ...], end: int) -> bool:
    after = _at(tokens, end)
    if after == ".":
        is_size = tuple(tokens[end + 1 : end + 3]) == ("size", "(")
        return is_size or is_macro(tokens, end + 1)
    return (before[-1:] == ("in",) and after != "[") or (before == ("size", "(") and after == ")")


def _key_named(tokens: Sequence[str], position: int) -> tuple[str, ...]:
    """The id in `.ord_1`, `["ord_1"]`, `[args.order_id]` or `[actor]`; empty when the expression works it out."""
    if _at(tokens, position) == "." and _at(tokens, position + 2) != "(":
        return ("=", tokens[position + 1])
    if _at(tokens, position) != "[":
        return ()
    text = plain_text(tokens[position + 1])
    if text is not None:
        return ("=", text) if _at(tokens, position + 2) == "]" else ()
    path: list[str] = []
    position += 1
    while is_name(tokens[position]):
        path.append(tokens[position])
        if tokens[position + 1] != ".":
            break
        position += 2
    if _at(tokens, position + 1) != "]" or path[:1] not in (["args"], ["actor"]):
        return ()
    return tuple(path)


def _at(tokens: Sequence[str], position: int) -> str:
    return tokens[position] if position < len(tokens) else ""
