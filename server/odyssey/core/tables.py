"""The base of every table and the column types that mean the same on SQLite and Postgres."""

from datetime import UTC, datetime
from typing import Any

import msgspec
from sqlalchemy import (
    JSON,
    BigInteger,
    ColumnElement,
    DateTime,
    Dialect,
    Integer,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    cast,
    func,
)
from sqlalchemy.orm import DeclarativeBase, InstrumentedAttribute

IntegerId = BigInteger().with_variant(Integer, "sqlite")
_JSON = JSON().with_variant(Text(), "sqlite")  # SQLite reads JSON from text; a cast to JSON makes it a number

_NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    metadata = MetaData(naming_convention=_NAMING)


def table_of(entity: type[Base]) -> Table:
    """The bare table, for statements that write many rows without making objects of them."""
    table = entity.__table__
    assert isinstance(table, Table)
    return table


class UtcDateTime(TypeDecorator[datetime]):
    """A moment in UTC; naive values are refused rather than guessed."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a moment without a time zone reached the database")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class JsonText(TypeDecorator[Any]):
    """A JSON value kept as text: Postgres' own types refuse or change what agents may send."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ARG002
        return None if value is None else msgspec.json.encode(value).decode("utf-8")

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ARG002
        return None if value is None else msgspec.json.decode(value)


def json_member(document: InstrumentedAttribute[Any], name: str) -> ColumnElement[str]:
    """Read a string member of a `JsonText` document inside the database.

    NUL becomes U+FFFD, because Postgres reads no document that has one anywhere. Escaped backslashes are spelled
    otherwise first, so that what looks like NUL is one.
    """
    spelled = func.replace(document, r"\\", r"\u005c")
    member: ColumnElement[str] = cast(func.replace(spelled, r"\u0000", r"\ufffd"), _JSON)[name].as_string()
    return member
