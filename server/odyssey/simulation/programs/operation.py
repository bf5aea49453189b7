"""The operations of a program: as in a ledger, but their ids, flags and fields are worked out for the call.

`each` repeats an operation for the elements of a list, `when` chooses among them. An operation sees the world as those
before it, and those for earlier elements, have left it: so a list can be changed element by element.
"""

from collections.abc import Collection, Iterator
from typing import Any, Literal, NamedTuple, get_args

from odyssey.expressions import Expression, Facts
from odyssey.records.faults import Faults, one_of, shown
from odyssey.records.ledger import Add, ClearFlag, Operation, Remove, SetFlag, Update
from odyssey.simulation.programs.template import (
    NamedExpressions,
    ProgramFailedError,
    Room,
    Template,
    check_name,
    evaluate_at,
    names_given,
    read_bare,
    read_names,
    read_template,
)
from odyssey.worlds.schema import brief, id_text

MAX_OPERATIONS = 50
MAX_ELEMENTS = 1000

Op = Literal["add", "update", "remove", "set_flag", "clear_flag"]
OPS: tuple[Op, ...] = get_args(Op)

_LONGEST_TYPE = 255
_ALWAYS = ("op", "when", "each", "let")
_MEMBERS: dict[Op, tuple[str, ...]] = {
    "add": ("entity_type", "id", "fields"),
    "update": ("entity_type", "id", "fields"),
    "remove": ("entity_type", "id"),
    "set_flag": ("flag",),
    "clear_flag": ("flag",),
}


class OperationTemplate(NamedTuple):
    place: str
    op: Op
    entity_type: str
    """Empty for flags."""
    key: Template
    """What the id of the entity, or the flag, comes from."""
    fields: Template | None
    when: Expression | None
    element: str
    """What `each` calls the element it is at; empty without one."""
    elements: Expression | None
    names: NamedExpressions

    @property
    def uses_calls(self) -> bool:
        templates = [self.key] if self.fields is None else [self.key, self.fields]
        expressions = [each for each in (self.when, self.elements) if each is not None]
        expressions += [each for template in templates for each in template.expressions]
        return self.names.uses_calls or any(each.uses_calls for each in expressions)

    def rounds(self, facts: Facts) -> Iterator[dict[str, Any]]:
        """The names that each time the operation is done has; one time without any if there is no `each`."""
        if self.elements is None:
            yield {}
            return
        place = f"{self.place}.each.{self.element}"
        elements = evaluate_at(place, self.elements.evaluate, facts)
        if not isinstance(elements, list):
            raise ProgramFailedError(place, f"must be a list, and is {shown(elements)}")
        if len(elements) > MAX_ELEMENTS:
            raise ProgramFailedError(place, f"has {len(elements)} elements; at most {MAX_ELEMENTS} are taken")
        for element in elements:
            yield {self.element: element}

    def make(self, facts: Facts, room: Room) -> Operation | None:
        """The operation for these facts; None if it is not to be done."""
        self.names.define(facts)
        if self.when is not None and not evaluate_at(f"{self.place}.when", self.when.holds, facts):
            return None
        key = self._key_for(facts, room)
        match self.op:
            case "set_flag":
                return SetFlag(key)
            case "clear_flag":
                return ClearFlag(key)
            case "remove":
                return Remove(self.entity_type, key)
            case "add":
                return Add(self.entity_type, key, self._fields_for(facts, room))
            case "update":
                return Update(self.entity_type, key, self._fields_for(facts, room))

    def _key_for(self, facts: Facts, room: Room) -> str:
        place = f"{self.place}.{'id' if self.entity_type else 'flag'}"
        value = evaluate_at(place, self.key.evaluate, facts, room)
        text = id_text(value)
        if not text:
            raise ProgramFailedError(place, f"must be a text that is not empty, and is {brief(value)}")
        return text

    def _fields_for(self, facts: Facts, room: Room) -> dict[str, Any]:
        if self.fields is None:
            return {}
        place = f"{self.place}.fields"
        value = evaluate_at(place, self.fields.evaluate, facts, room)
        if not isinstance(value, dict):
            raise ProgramFailedError(place, f"must be an object, and is {brief(value)}")
        return value


def read_operations(raw: Any, faults: Faults, *, names: Collection[str]) -> tuple[OperationTemplate, ...]:
    if not isinstance(raw, list):
        faults.add(f"must be a list of operations, not {shown(raw)}")
        return ()
    if len(raw) > MAX_OPERATIONS:
        faults.add(f"has {len(raw)} operations; at most {MAX_OPERATIONS} are allowed")
        return ()
    read = [_read(item, f"operations[{index}]", faults.at(index), names) for index, item in enumerate(raw)]
    return tuple(each for each in read if each is not None)


def _read(raw: Any, place: str, faults: Faults, names: Collection[str]) -> OperationTemplate | None:
    op = _read_op(raw, faults)
    if op is None:
        return None
    faults.unknown_members(raw, (*_ALWAYS, *_MEMBERS[op]), f"an operation {op!r}")
    given = {member: value for member, value in raw.items() if value is not None}
    before = faults.count()
    element, elements = _read_each(given["each"], faults.at("each"), names) if "each" in given else ("", None)
    known = {*names, element} if element else set(names)
    own = read_names(given.get("let", {}), f"{place}.let", faults.at("let"), known=known)
    known |= names_given(given.get("let"))
    when = read_bare(given["when"], faults.at("when"), names=known) if "when" in given else None
    entity_type = _read_type(given, faults) if "entity_type" in _MEMBERS[op] else ""
    key = _read_key(given, "id" if entity_type else "flag", faults, known)
    fields = _read_fields(given["fields"], faults.at("fields"), known) if "fields" in given else None
    if faults.count() > before or key is None:
        return None
    return OperationTemplate(place, op, entity_type, key, fields, when, element, elements, own)


def _read_op(raw: Any, faults: Faults) -> Op | None:
    if not isinstance(raw, dict):
        faults.add(
            f'an operation is an object such as {{"op": "update", "entity_type", "id", "fields"}}, not {shown(raw)}'
        )
        return None
    given = raw.get("op")
    for op in OPS:
        if given == op:
            return op
    near = faults.hint(given, OPS) if isinstance(given, str) else ""
    faults.add(f"op must be {one_of(OPS)}, not {shown(given)}{near}", "op")
    return None


def _read_each(raw: Any, faults: Faults, names: Collection[str]) -> tuple[str, Expression | None]:
    if not isinstance(raw, dict) or len(raw) != 1:
        faults.add("each is an object with one member: a name for the element, and the list it comes from")
        return "", None
    ((name, elements),) = raw.items()
    check_name(name, faults.at(name))
    return name, read_bare(elements, faults.at(name), names=names)


def _read_type(raw: dict[str, Any], faults: Faults) -> str:
    return faults.text(raw, "entity_type", longest=_LONGEST_TYPE, required=True) or "?"


def _read_key(raw: dict[str, Any], member: str, faults: Faults, names: Collection[str]) -> Template | None:
    value = raw.get(member)
    if value is None:
        faults.add(f"{member} is missing", member)
        return None
    if not id_text(value):
        faults.add(f"{member} must be a text that is not empty, not {shown(value)}", member)
        return None
    return read_template(value, faults.at(member), names=names)


def _read_fields(raw: Any, faults: Faults, names: Collection[str]) -> Template | None:
    if not isinstance(raw, dict | str) or (isinstance(raw, str) and not raw.startswith("=")):
        faults.add(f"fields must be an object or an expression that gives one, not {shown(raw)}")
        return None
    return read_template(raw, faults, names=names)
