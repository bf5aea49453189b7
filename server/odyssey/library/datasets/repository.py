"""All SQL of datasets. Every look-up names the org; a deleted dataset does not exist."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import and_, case, func, insert, literal, select, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.errors import NotFoundError
from odyssey.core.paging import ListOrder, PageRequest
from odyssey.core.tables import IntegerId
from odyssey.journal.models import Content
from odyssey.kit.pagination import Page
from odyssey.library.models import Dataset, StoredWorld, Task

DATASET_ORDER = ListOrder(
    Dataset.id,
    {
        "id": Dataset.id,
        "name": Dataset.name,
        "revision": Dataset.revision,
        "row_count": Dataset.row_count,
        "created_at": Dataset.created_at,
        "updated_at": Dataset.updated_at,
    },
)
_DATASETS_LOCK = 0x0D5E << 48  # with the org's id: a number nobody else locks


class StoredRow(NamedTuple):
    task_id: int
    position: int
    seed: dict[str, Any]
    state_hash: str
    state: str | None
    """Its text; None if it comes from a named world."""
    conduct_hash: str | None
    """Of how a named world behaves; None if the seed says that itself."""


async def get_dataset(session: AsyncSession, org_id: int, dataset_id: int, *, lock: bool = False) -> Dataset:
    statement = select(Dataset).where(
        Dataset.id == dataset_id, Dataset.org_id == org_id, Dataset.deleted_at.is_(None)
    )
    if lock:
        statement = statement.with_for_update().execution_options(populate_existing=True)
    dataset = (await session.scalars(statement)).first()
    if dataset is None:
        raise NotFoundError
    return dataset


async def list_datasets(
    session: AsyncSession, org_id: int, page: PageRequest, *, q: str | None
) -> Page[Dataset]:
    statement = select(Dataset).where(Dataset.org_id == org_id, Dataset.deleted_at.is_(None))
    if q:
        statement = statement.where(Dataset.name.icontains(q, autoescape=True))
    return await DATASET_ORDER.page(session, statement, page)


async def worlds_by_name(session: AsyncSession, org_id: int, names: Collection[str]) -> dict[str, list[int]]:
    """Return the worlds that are called so, oldest first."""
    statement = select(StoredWorld.name, StoredWorld.id).where(
        StoredWorld.org_id == org_id, StoredWorld.name.in_(names), StoredWorld.deleted_at.is_(None)
    )
    found: defaultdict[str, list[int]] = defaultdict(list)
    for name, world_id in await session.execute(statement.order_by(StoredWorld.id)):
        found[name].append(world_id)
    return dict(found)


async def write_alone(session: AsyncSession, org_id: int) -> None:
    """Let one writer of rows after another: two could wait for each other's contents. SQLite has one writer anyway."""
    if session.get_bind().dialect.name != "sqlite":
        await session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _DATASETS_LOCK ^ org_id})


async def store_documents(session: AsyncSession, org_id: int, documents: Mapping[str, str]) -> None:
    """Keep texts once each; the key is the hash."""
    if not documents:
        return
    insert_new = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    rows = [{"org_id": org_id, "hash": key, "text": documents[key]} for key in sorted(documents)]
    await session.execute(insert_new(Content).on_conflict_do_nothing(), rows)


async def store_rows(session: AsyncSession, rows: list[dict[str, Any]]) -> None:
    """Write without objects in between: there may be many, and on SQLite nobody else writes meanwhile."""
    await (await session.connection()).execute(insert(Task.__table__), rows)  # type: ignore[arg-type] # it is a Table


async def row_sizes(
    session: AsyncSession, dataset_id: int, revision: int, *, start: int, limit: int
) -> list[tuple[int, int]]:
    """Return positions and how many characters each row has."""
    state = case((Task.conduct_hash.is_(None), func.length(Content.text)), else_=0)
    statement = (
        select(Task.position, func.length(Task.seed) + state)
        .join(Content, _content_of_task())
        .where(
            Task.dataset_id == dataset_id,
            Task.revision == revision,
            Task.position >= literal(start, IntegerId),
        )
        .order_by(Task.position)
        .limit(limit)
    )
    return [(position, size) for position, size in await session.execute(statement)]


async def load_rows(
    session: AsyncSession, dataset_id: int, revision: int, *, first: int, last: int
) -> list[StoredRow]:
    """Read rows by their positions, both ends included."""
    statement = (
        select(Task.id, Task.position, Task.seed, Task.initial_state_hash, Content.text, Task.conduct_hash)
        .outerjoin(Content, and_(_content_of_task(), Task.conduct_hash.is_(None)))
        .where(Task.dataset_id == dataset_id, Task.revision == revision, Task.position.between(first, last))
        .order_by(Task.position)
    )
    return [StoredRow(*row) for row in await session.execute(statement)]


async def seeds_of(
    session: AsyncSession, dataset: Dataset, *, start: int, limit: int
) -> list[tuple[int, int, dict[str, Any]]]:
    """Read what rows say but for their worlds: position, task and seed of each."""
    statement = (
        select(Task.position, Task.id, Task.seed)
        .where(
            Task.dataset_id == dataset.id,
            Task.revision == dataset.revision,
            Task.position.between(start, start + limit - 1),
        )
        .order_by(Task.position)
    )
    return [(position, task_id, seed) for position, task_id, seed in await session.execute(statement)]


async def first_tasks(session: AsyncSession, dataset_id: int, revision: int, limit: int) -> Sequence[Task]:
    statement = select(Task).where(Task.dataset_id == dataset_id, Task.revision == revision)
    return (await session.scalars(statement.order_by(Task.position).limit(limit))).all()


def _content_of_task() -> Any:
    return and_(Content.org_id == Task.org_id, Content.hash == Task.initial_state_hash)
