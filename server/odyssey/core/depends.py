"""What a route may ask for. The composition root puts the parts on `app.state`; nobody imports an instance."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Annotated

from fastapi import Depends, Request
from pydantic import AfterValidator, Field
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.addresses import AddressPolicy, AddressRules
from odyssey.core.database import Database
from odyssey.core.errors import NotFoundError
from odyssey.core.feeds import Feeds
from odyssey.core.settings import Settings
from odyssey.core.signals import Signals
from odyssey.core.worker import Worker
from odyssey.kit.clock import Clock
from odyssey.kit.ids import MAX_INTEGER_ID
from odyssey.kit.pagination import MAX_LIMIT


def database(request: Request) -> Database:
    found: Database = request.app.state.database
    return found


def _settings(request: Request) -> Settings:
    found: Settings = request.app.state.settings
    return found


async def _address_policy(request: Request) -> AddressPolicy:
    """The policy of this moment: what is saved is checked by what would be connected to now."""
    addresses: AddressRules = request.app.state.addresses
    return await addresses.now()


def _signals(request: Request) -> Signals:
    found: Signals = request.app.state.signals
    return found


def _feeds(request: Request) -> Feeds:
    found: Feeds = request.app.state.feeds
    return found


def _worker(request: Request) -> Worker:
    found: Worker = request.app.state.worker
    return found


def _clock(request: Request) -> Clock:
    found: Clock = request.app.state.clock
    return found


async def read_session(request: Request) -> AsyncIterator[AsyncSession]:
    async with database(request).read() as session:
        yield session


async def write_session(request: Request) -> AsyncIterator[AsyncSession]:
    """One transaction, committed before the answer leaves; an idempotent request brings its own."""
    shared: AsyncSession | None = getattr(request.state, "session", None)
    if shared is not None:
        yield shared
        return
    async with database(request).write() as session:
        yield session


def read_ahead(request: Request) -> Callable[[], AbstractAsyncContextManager[AsyncSession]]:
    shared: AsyncSession | None = getattr(request.state, "session", None)
    if shared is None or database(request).is_sqlite:
        return database(request).read
    return lambda: nullcontext(shared)


def existing_id(value: int) -> int:
    """An id no row can have is one more object that does not exist."""
    if not 0 < value <= MAX_INTEGER_ID:
        raise NotFoundError
    return value


DatabaseDep = Annotated[Database, Depends(database)]
SettingsDep = Annotated[Settings, Depends(_settings)]
AddressPolicyDep = Annotated[AddressPolicy, Depends(_address_policy)]
SignalsDep = Annotated[Signals, Depends(_signals)]
FeedsDep = Annotated[Feeds, Depends(_feeds)]
WorkerDep = Annotated[Worker, Depends(_worker)]
ClockDep = Annotated[Clock, Depends(_clock)]
ReadSession = Annotated[AsyncSession, Depends(read_session, scope="function")]
WriteSession = Annotated[AsyncSession, Depends(write_session, scope="function")]
ReadAhead = Annotated[Callable[[], AbstractAsyncContextManager[AsyncSession]], Depends(read_ahead)]
"""Opens a session for what is read before something long is computed and then written: the one writer of SQLite is
taken when the write begins, not before. On Postgres an idempotent request has a connection already and reads there."""

ObjectId = Annotated[int, AfterValidator(existing_id)]
Cursor = Annotated[str | None, Field(max_length=64)]
SortedCursor = Annotated[str | None, Field(max_length=4096)]
"""Of a list that can be sorted: it has the last row's value of that field in it, which may be a text."""
Limit = Annotated[int, Field(ge=1, le=MAX_LIMIT)]
"""Use as `limit: Limit = DEFAULT_LIMIT`."""
