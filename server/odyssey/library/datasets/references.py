"""The named worlds that rows speak of, looked up once: by id, or in a table also by name."""

from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import NamedTuple, TypeVar

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.kit.ids import MAX_INTEGER_ID
from odyssey.library.datasets.repository import worlds_by_name
from odyssey.library.named_worlds.seeding import seed_worlds
from odyssey.library.seeds import SeedWorld
from odyssey.records.faults import shown
from odyssey.records.tools import LedgerSchema

_AT_ONCE = 1000

Key = TypeVar("Key", str, int)


class Named(NamedTuple):
    """Worlds as rows speak of them."""

    texts: set[str]
    ids: set[int]


class Referred(NamedTuple):
    worlds: Mapping[int, SeedWorld]
    by_text: Mapping[str, int | str]
    """The id, or what is wrong with what a table says."""


async def look_up(
    session: AsyncSession, org_id: int, spoken_of: Named, schema: LedgerSchema | None = None
) -> Referred:
    """Find the worlds as they are now: a row goes by what its world holds when it is uploaded."""
    texts, ids = spoken_of
    named = {text: _as_id(text) for text in texts}
    worlds = await _worlds(session, org_id, ids | set(filter(None, named.values())), schema)
    others = [text for text, world_id in named.items() if world_id not in worlds]
    by_name: dict[str, list[int]] = {}
    for part in _parts(others):
        by_name |= await worlds_by_name(session, org_id, part)
    worlds |= await _worlds(
        session, org_id, {found[0] for found in by_name.values() if len(found) == 1}, schema
    )
    by_text: dict[str, int | str] = {text: _by_name(text, by_name.get(text, [])) for text in others}
    for text, world_id in named.items():
        if world_id is not None and text not in by_text:
            by_text[text] = world_id
    return Referred(worlds, by_text)


async def _worlds(
    session: AsyncSession, org_id: int, ids: Collection[int], schema: LedgerSchema | None
) -> dict[int, SeedWorld]:
    found: dict[int, SeedWorld] = {}
    for part in _parts(ids):
        found |= await seed_worlds(session, org_id, part, schema)
    return found


def _as_id(text: str) -> int | None:
    plain = text.strip()
    if not plain.isascii() or not plain.isdecimal() or len(plain) > len(str(MAX_INTEGER_ID)):
        return None
    return int(plain) if 0 < int(plain) <= MAX_INTEGER_ID else None


def _by_name(text: str, found: list[int]) -> int | str:
    if len(found) == 1:
        return found[0]
    if not found:
        return f"there is no world {shown(text)}; write the id or the exact name of one"
    ids = ", ".join(map(str, found[:5]))
    return f"{len(found)} worlds are called {shown(text)}; write the id of one: {ids}"


def _parts(values: Collection[Key]) -> Iterator[list[Key]]:
    rest = iter(values)
    while part := list(islice(rest, _AT_ONCE)):
        yield part
