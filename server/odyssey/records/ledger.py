"""What can happen to a world: the operations of the ledger and the entries they leave behind."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

Fields = dict[str, Any]
State = Mapping[str, Mapping[str, Mapping[str, Any]]]

ConsistencyMode = Literal["off", "warn", "strict"]


class _Operation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="op"):
    pass


class Add(_Operation, frozen=True, tag="add"):
    """A new entity; on an id that exists it is a violation, then an upsert."""

    entity_type: str
    id: str
    fields: Fields = {}


class Update(_Operation, frozen=True, tag="update"):
    """Replaces the named top-level members of an entity; null is a value."""

    entity_type: str
    id: str
    fields: Fields = {}


class Remove(_Operation, frozen=True, tag="remove"):
    entity_type: str
    id: str


class SetFlag(_Operation, frozen=True, tag="set_flag"):
    flag: str


class ClearFlag(_Operation, frozen=True, tag="clear_flag"):
    flag: str


Operation = Add | Update | Remove | SetFlag | ClearFlag


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One applied operation with what stood there before and after; a fold over entries is the state.

    `record` stands for a live call that wrote nothing: that it happened.
    """

    op: Literal["add", "update", "remove", "set_flag", "clear_flag", "record"]
    entity_type: str | None = None
    id: str | None = None
    flag: str | None = None
    before: Fields | None = None
    after: Fields | None = None


class Violation(msgspec.Struct, frozen=True):
    """A proposal the world contradicts."""

    kind: str
    entity_type: str | None
    entity_id: str | None
    field: str | None
    message: str
    sequence: int | None = None


class EntityChange(msgspec.Struct, frozen=True):
    """One entity that differs between two moments of a world."""

    kind: Literal["added", "changed", "removed"]
    entity_type: str
    id: str
    before: Fields | None
    after: Fields | None
    fields: list[str]
    """Names of the top-level members that differ, sorted."""


class Difference(msgspec.Struct, frozen=True):
    changes: list[EntityChange]
    flags_set: list[str]
    flags_cleared: list[str]
