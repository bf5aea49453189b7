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
    case,
    cast,
    func,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import DeclarativeBase, InstrumentedAttribute
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

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


class by_code_point(FunctionElement[str]):  # noqa: N801 - used like a function of the database
    """A text as both databases compare it alike: Postgres would go by the language it was set up with."""

    inherit_cache = True
    type = Text()


@compiles(by_code_point)
def _plain_text(element: by_code_point, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(element.clauses, **options)


@compiles(by_code_point, "postgresql")
def _collated_text(element: by_code_point, compiler: SQLCompiler, **options: Any) -> str:
    return f'({compiler.process(element.clauses, **options)}) COLLATE "C"'


def not_before(earlier: ColumnElement[Any], moment: ColumnElement[Any]) -> ColumnElement[Any]:
    """A moment, or the earlier one it must not precede where that is known."""
    return case((earlier > moment, earlier), else_=moment)


class microseconds_between(FunctionElement[int]):  # noqa: N801 - used like a function of the database
    """The whole microseconds from one `UtcDateTime` to another; null if either is."""

    inherit_cache = True
    type = BigInteger()


@compiles(microseconds_between, "postgresql")
def _from_interval(element: microseconds_between, compiler: SQLCompiler, **options: Any) -> str:
    start, end = (compiler.process(each, **options) for each in element.clauses)
    return f"CAST(extract(epoch FROM {end} - {start}) * 1000000 AS BIGINT)"


@compiles(microseconds_between, "sqlite")
def _from_texts(element: microseconds_between, compiler: SQLCompiler, **options: Any) -> str:
    start, end = (_counted(compiler.process(each, **options)) for each in element.clauses)
    return f"({end} - {start})"


def _counted(moment: str) -> str:
    """Count from 1970. SQLite's own functions round to milliseconds, so they get the whole seconds only."""
    seconds = f"CAST(strftime('%s', substr({moment}, 1, 19)) AS INTEGER)"
    return f"({seconds} * 1000000 + CAST(substr({moment}, 21, 6) AS INTEGER))"
