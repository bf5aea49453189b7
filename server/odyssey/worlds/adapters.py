"""Mirroring a live tool into the ledger: what its adapter makes of a request and the answer to it.

Best effort, as the answer is somebody else's: nothing here raises, and whatever keeps an adapter from writing
something becomes a note beside the call. Adapters always upsert, whatever the consistency mode.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from odyssey.records.canonical import canonical_json
from odyssey.records.ledger import Add, Entry, Operation, Remove, SetFlag, Update
from odyssey.records.tools import EntityType, LedgerSchema, LedgerWritePolicy
from odyssey.worlds.json_path import FoundValue, PathInvalidError, json_path
from odyssey.worlds.ledger import Ledger, copy_json
from odyssey.worlds.operations import apply
from odyssey.worlds.schema import brief, check_value

PLACEHOLDER = re.compile(r"\{([^\W\d][\w-]*)\}")
"""A plain name. `{order.id}`, `{ids[0]}`, `{id!r}` and `{id:>9}` mean something in other languages of templates, here
nothing: who writes one would wait for a flag that never comes."""

_LONGEST_FLAG = 1000
_LONGEST_NOTE = 300


def is_flag_template(text: str) -> bool:
    """Whether every brace belongs to a placeholder."""
    rest = PLACEHOLDER.sub("", text)
    return "{" not in rest and "}" not in rest


class AdapterNote(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why something of an adapter was not written, or does not fit."""

    member: str
    """The member of the adapter it is about."""
    message: str
    field: str | None = None


class MirrorResult(NamedTuple):
    """What a live call did to the ledger."""

    ledger: Ledger
    operations: tuple[Operation, ...] = ()
    entries: tuple[Entry, ...] = ()
    notes: tuple[AdapterNote, ...] = ()


def mirror(
    ledger: Ledger,
    policy: LedgerWritePolicy | None,
    adapter: Mapping[str, Any] | None,
    ledger_schema: LedgerSchema | None,
    arguments: Mapping[str, Any],
    response: Any,
) -> MirrorResult:
    """Write down a live call as its tool's policy says; without a policy that it happened, and nothing else."""
    if policy == "none":
        return MirrorResult(ledger)
    if policy != "adapter":
        return MirrorResult(ledger, entries=(Entry(op="record"),))
    operations, notes = adapt(adapter or {}, ledger_schema, arguments, response)
    applied = apply(ledger, operations, "off")
    return MirrorResult(applied.ledger, operations, applied.entries, notes)


def adapt(
    adapter: Mapping[str, Any],
    ledger_schema: LedgerSchema | None,
    arguments: Mapping[str, Any],
    response: Any,
) -> tuple[tuple[Operation, ...], tuple[AdapterNote, ...]]:
    """Say which operations a declaration makes of one answer; never raises, whatever the answer is."""
    making = _Making(adapter, ledger_schema, arguments, response)
    try:
        operations = tuple(making.operations())
    except Exception as error:  # noqa: BLE001 - a live call must not fail by what is mirrored of it
        making.note("ledger_adapter", f"nothing was written: {type(error).__name__}: {error}")
        operations = ()
    return operations, tuple(making.notes)


class _Making:
    def __init__(
        self,
        adapter: Mapping[str, Any],
        ledger_schema: LedgerSchema | None,
        arguments: Mapping[str, Any],
        response: Any,
    ) -> None:
        self._adapter = adapter
        self._schema = ledger_schema
        self._arguments = arguments
        self._response = response
        self.notes: list[AdapterNote] = []

    def note(self, member: str, message: str, field: str | None = None) -> None:
        self.notes.append(AdapterNote(member, message[:_LONGEST_NOTE], field))

    def operations(self) -> Iterator[Operation]:
        operation = self._adapter.get("op") or "update"
        if operation == "set_flag":
            yield from self._flags(None)
            return
        identity = self._id()
        if identity is None:
            return
        yield self._entity(operation, str(self._adapter.get("entity_type")), *identity)
        yield from self._flags(identity[0])

    def _entity(self, operation: str, entity_type: str, entity_id: str, written_id: Any) -> Operation:
        if operation == "remove":
            return Remove(entity_type, entity_id)
        declared = self._declared(entity_type)
        fields = self._fields(declared, entity_id)
        # Without it a simulated read would lack the id, which the ledger has as a key only.
        if declared is not None:
            is_number = _declares_number(declared, declared.id_field)
            fields = {declared.id_field: written_id if is_number else entity_id} | fields
        return (Add if operation == "add" else Update)(entity_type, entity_id, fields)

    def _id(self) -> tuple[str, Any] | None:
        """The ledger's key, and the id as the service writes it: 17 where the key is "17"."""
        found = self._find("id_from", self._adapter.get("id_from"))
        entity_id = None if found is None else _as_text(found.value)
        if found is not None and entity_id:
            return entity_id, found.value
        problem = "it leads nowhere in the response" if found is None else f"{brief(found.value)} is no id"
        self.note("id_from", f"{problem}; nothing was written")
        return None

    def _fields(self, declared: EntityType | None, entity_id: str) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        for name, path in (self._adapter.get("field_map") or {}).items():
            found = self._find("field_map", path, name)
            if found is None:
                self.note("field_map", "the path leads to no one value in the response; skipped", name)
            elif not _is_json(found.value):
                self.note("field_map", f"{brief(found.value)} is no JSON value; skipped", name)
            elif declared is not None and name == declared.id_field and _as_text(found.value) != entity_id:
                message = f"{brief(found.value)} is not the id {entity_id!r}; ids never change; skipped"
                self.note("field_map", message, name)
            else:
                fields[name] = copy_json(found.value)
                self._check_type(declared, name, found.value)
        return fields

    def _check_type(self, declared: EntityType | None, name: str, value: Any) -> None:
        field = next((each for each in declared.fields if each.name == name), None) if declared else None
        problem = None if field is None else check_value(field, value)
        if problem is not None:
            self.note("field_map", f"written as it is live, but {problem.message}", name)

    def _flags(self, entity_id: str | None) -> Iterator[Operation]:
        known = self._arguments if entity_id is None else {**self._arguments, "id": entity_id}
        for template in self._adapter.get("flags") or ():
            flag = self._interpolate(template, known)
            if flag is None:
                continue
            policy = self._schema.flags if self._schema else None
            if policy is not None and policy.policy == "closed" and flag not in policy.values:
                self.note(
                    "flags", f"{brief(flag)} is not one of the closed set of the ledger schema; dropped"
                )
            else:
                yield SetFlag(flag)

    def _interpolate(self, template: str, known: Mapping[str, Any]) -> str | None:
        if not is_flag_template(template):  # saved before that was refused
            self.note("flags", f"{brief(template)} is dropped: a placeholder is a plain {{name}}")
            return None
        texts = {name: _as_text(known.get(name)) for name in PLACEHOLDER.findall(template)}
        missing = next((name for name, text in texts.items() if text is None), None)
        if missing is not None:
            self.note("flags", f"{brief(template)} is dropped: the call gives no text for {{{missing}}}")
            return None
        flag = PLACEHOLDER.sub(lambda found: texts[found[1]] or "", template)
        if not flag or len(flag) > _LONGEST_FLAG:
            self.note("flags", f"{brief(template)} is dropped: a flag has 1 to {_LONGEST_FLAG} characters")
            return None
        return flag

    def _find(self, member: str, path: Any, field: str | None = None) -> FoundValue | None:
        try:
            return json_path(path).find(self._response)
        except PathInvalidError as error:
            self.note(member, str(error), field)
        except Exception as error:  # noqa: BLE001 - one path that fails must not take the others with it
            self.note(member, f"{type(error).__name__}: {error}", field)
        return None

    def _declared(self, entity_type: str) -> EntityType | None:
        entities = self._schema.entities if self._schema else []
        return next((entity for entity in entities if entity.type == entity_type), None)


def _declares_number(declared: EntityType, name: str) -> bool:
    types = [field.type for field in declared.fields if field.name == name]
    return bool(types) and types[0] in ("number", "integer")


def _as_text(value: Any) -> str | None:
    """How a scalar reads in an id or a flag: texts as they are, numbers and booleans as JSON; null as nothing."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float) and _is_json(value):
        return canonical_json(value).decode("ascii")
    return None


def _is_json(value: Any) -> bool:
    """Whether a ledger can hold a value: numbers that are not finite, for one, have no JSON."""
    try:
        canonical_json(value)
    except (ValueError, TypeError, RecursionError):
        return False
    return True
