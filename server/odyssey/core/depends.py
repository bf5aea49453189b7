"""What a route may ask for. The composition root hands its parts over once; nobody imports an instance."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from fastapi import Depends, Request
from pydantic import AfterValidator, Field
from sqlalchemy.ext.asyncio import AsyncSession
from starlette.applications import Starlette

from odyssey.core.addresses import AddressPolicy, AddressRules
from odyssey.core.clock import PlatformClock
from odyssey.core.database import Database
from odyssey.core.errors import NotFoundError
from odyssey.core.feeds import Feeds
from odyssey.core.settings import Settings
from odyssey.core.signals import Signals
from odyssey.core.worker import Worker
from odyssey.kit.clock import Clock
from odyssey.kit.ids import MAX_INTEGER_ID
from odyssey.kit.pagination import MAX_LIMIT

if TYPE_CHECKING:
    from typing_extensions import TypeForm  # `type` would exclude Protocols

Kind = TypeVar("Kind")


def hand_over(app: Starlette, parts: Mapping[type, object]) -> None:
    """Put the parts of a server, each under its type, where requests find them."""
    app.state.parts = parts


def part_of(app: Starlette, kind: "TypeForm[Kind]") -> Kind:
    """Find a part by its type, in code that FastAPI does not call; whatever it does call asks with `part`."""
    found: Kind = app.state.parts[kind]
    return found


def part(kind: "TypeForm[Kind]") -> Any:
    """Have FastAPI hand a part over.

    A route asks for one as `agents: Annotated[CompiledAgents, part(CompiledAgents)]`; where several files do, the alias
    stands beside the class.
    """

    async def find(request: Request) -> Kind:  # not `def`, which FastAPI runs in a thread
        return part_of(request.app, kind)

    return Depends(find)


DatabaseDep = Annotated[Database, part(Database)]
SettingsDep = Annotated[Settings, part(Settings)]
SignalsDep = Annotated[Signals, part(Signals)]
FeedsDep = Annotated[Feeds, part(Feeds)]
WorkerDep = Annotated[Worker, part(Worker)]
ClockDep = Annotated[Clock, part(PlatformClock)]


async def _address_policy(addresses: Annotated[AddressRules, part(AddressRules)]) -> AddressPolicy:
    """The policy of this moment: what is saved is checked by what would be connected to now."""
    return await addresses.now()


async def read_session(database: DatabaseDep) -> AsyncIterator[AsyncSession]:
    async with database.read() as session:
        yield session


async def write_session(request: Request, database: DatabaseDep) -> AsyncIterator[AsyncSession]:
    """One transaction, committed before the answer leaves; an idempotent request brings its own."""
    shared: AsyncSession | None = getattr(request.state, "session", None)
    if shared is not None:
        yield shared
        return
    async with database.write() as session:
        yield session


def read_ahead(
    request: Request, database: DatabaseDep
) -> Callable[[], AbstractAsyncContextManager[AsyncSession]]:
    shared: AsyncSession | None = getattr(request.state, "session", None)
    if shared is None or database.is_sqlite:
        return database.read
    return lambda: nullcontext(shared)


def existing_id(value: int) -> int:
    """An id no row can have is one more object that does not exist."""
    if not 0 < value <= MAX_INTEGER_ID:
        raise NotFoundError
    return value


AddressPolicyDep = Annotated[AddressPolicy, Depends(_address_policy)]
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
