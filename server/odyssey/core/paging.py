"""Pages of lists: newest first, or sorted by a field that the caller names.

A list says once by which fields it can be sorted, as a `ListOrder` beside its query; that is also the type of the
route's parameter, so that OpenAPI names the same fields. A bad cursor is the caller's mistake, with a sentence.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple, TypeVar, TypeVarTuple, cast

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Integer,
    Row,
    Select,
    String,
    and_,
    literal,
    or_,
)
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from odyssey.core.errors import ValidationFailedError
from odyssey.core.tables import UtcDateTime, by_code_point
from odyssey.kit.pagination import (
    CursorInvalidError,
    Page,
    SortedPlace,
    cut_rows,
    decode_cursor,
    decode_sorted_cursor,
    encode_cursor,
    encode_sorted_cursor,
)
from odyssey.records.faults import did_you_mean, shown
from odyssey.records.problems import FieldError

Item = TypeVar("Item")
Items = TypeVarTuple("Items")
Found = TypeVar("Found")
Field = InstrumentedAttribute[Any] | ColumnElement[Any]
_Statement = Select[*tuple[Any, ...]]


class PageRequest(NamedTuple):
    """Which page of a list is wanted."""

    limit: int
    cursor: str | None = None
    sort: str | None = None
    """A field, or a field after `-` for descending; None is the list's own order."""


def start_of(cursor: str | None) -> int | None:
    """Read the key after which the page begins."""
    return None if cursor is None else _read(lambda: decode_cursor(cursor))


class ListOrder:
    """The orders a list has: newest first, or by one of `fields`, which are named as on the wire.

    Equal values are newest first and null is last, in both directions. Use as the type of a route's parameter:
    `sort: Annotated[str | None, RUN_ORDER] = None`.
    """

    def __init__(self, key: InstrumentedAttribute[int], fields: Mapping[str, Field]) -> None:
        """`key` goes up with every new row."""
        self._key = key
        self._fields = {name: value.expression for name, value in fields.items()}
        self._is_key = {name: value is key for name, value in fields.items()}
        self.sorts = [sign + name for name in fields for sign in ("", "-")]

    async def page(self, session: AsyncSession, statement: Select[Item], wanted: PageRequest) -> Page[Item]:
        """Read a page of what a statement without an order selects."""
        found = await self.rows(session, statement, wanted)
        return Page([item for (item,) in found.items], found.next_cursor)

    async def rows(
        self, session: AsyncSession, statement: Select[*Items], wanted: PageRequest
    ) -> Page[tuple[*Items]]:
        if wanted.sort is None:
            ordered = self._newest_first(statement, wanted.cursor)
        else:
            ordered = self._sorted(statement, wanted.sort, wanted.cursor)
        found = (await session.execute(ordered.limit(wanted.limit + 1))).all()
        cut = cut_rows(found, wanted.limit, lambda row: self._cursor_after(row, wanted.sort))
        return Page([cast(tuple[*Items], tuple(row)[:-2]) for row in cut.items], cut.next_cursor)

    def _newest_first(self, statement: _Statement, cursor: str | None) -> _Statement:
        before = start_of(cursor)
        if before is not None:
            statement = statement.where(self._key < before)
        return statement.order_by(self._key.desc()).add_columns(self._key, self._key)

    def _sorted(self, statement: _Statement, sort: str, cursor: str | None) -> _Statement:
        name, descending = sort.removeprefix("-"), sort.startswith("-")
        value = self._fields[name]
        if cursor is not None:
            place = _read(lambda: decode_sorted_cursor(cursor, sort, _kind(value)))
            statement = statement.where(self._is_after(place, name, descending=descending))
        order = _comparable(value).desc() if descending else _comparable(value).asc()
        if self._is_key[name]:
            ordered = statement.order_by(order)  # it is never equal nor null: so its index serves
        else:
            ordered = statement.order_by(order.nulls_last(), self._key.desc())
        return ordered.add_columns(value, self._key)

    def _is_after(self, place: SortedPlace, name: str, *, descending: bool) -> ColumnElement[bool]:
        value = self._fields[name]
        older = self._key < place.key
        if place.value is None:
            return and_(value.is_(None), older)
        order, last = _comparable(value), _bound(place.value, value)
        beyond = order < last if descending else order > last
        if self._is_key[name]:
            return beyond
        return or_(beyond, and_(order == last, older), value.is_(None))

    def _cursor_after(self, row: Row[*tuple[Any, ...]], sort: str | None) -> str:
        *_, value, key = row
        return encode_cursor(key) if sort is None else encode_sorted_cursor(sort, SortedPlace(value, key))

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        described = handler(schema)
        text = next(each for each in described["anyOf"] if each["type"] == "string")
        text["enum"] = self.sorts
        return described | {"description": "Sort by this field; `-` ahead of it is descending."}

    def _checked(self, sort: str | None) -> str | None:
        if sort is None or sort in self.sorts:
            return sort
        guess = did_you_mean(sort.removeprefix("-"), self._fields)
        message = (
            f"this list cannot be sorted by {shown(sort)}{guess or ';'} it can by {', '.join(self._fields)}"
        )
        raise ValidationFailedError([FieldError(loc=("query", "sort"), msg=message)])


def _read(decode: Callable[[], Found]) -> Found:
    try:
        return decode()
    except CursorInvalidError as error:
        raise ValidationFailedError([FieldError(loc=("query", "cursor"), msg=str(error))]) from error


def _kind(value: ColumnElement[Any]) -> type:
    return datetime if isinstance(value.type, UtcDateTime) else value.type.python_type


def _comparable(value: ColumnElement[Any]) -> ColumnElement[Any]:
    return by_code_point(value) if isinstance(value.type, String) else value


def _bound(last: Any, value: ColumnElement[Any]) -> ColumnElement[Any]:
    # A cursor may exceed what a column of integers can hold.
    return literal(last, BigInteger() if isinstance(value.type, Integer) else value.type)
