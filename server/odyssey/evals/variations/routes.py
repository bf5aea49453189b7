"""Variations over HTTP (wire-contract.md#d12)."""

from typing import Annotated
from uuid import UUID

from fastapi import Depends

from odyssey.core.depends import ClockDep, Cursor, Limit, ReadSession, WriteSession
from odyssey.core.paging import start_of
from odyssey.evals.models import CustomVariation
from odyssey.evals.variations.keep import VariationKeeper
from odyssey.evals.variations.repository import get_custom, list_custom
from odyssey.evals.variations.schemas import (
    BUILT_IN,
    VariationChange,
    VariationIn,
    VariationOut,
    VariationsPage,
    doses_out,
    placebos_out,
)
from odyssey.identity.guard import GuardedRouter, Member, Viewer
from odyssey.kit.pagination import DEFAULT_LIMIT, encode_cursor

router = GuardedRouter(prefix="/api/v1/eval/variations", tags=["evals"])


def _keeper(session: WriteSession, caller: Member, clock: ClockDep) -> VariationKeeper:
    return VariationKeeper(session, clock, caller)


KeeperDep = Annotated[VariationKeeper, Depends(_keeper, scope="function")]


@router.get("")
async def get_variations(
    caller: Viewer, session: ReadSession, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> VariationsPage:
    """List the organisation's own variations, newest first, and then the seven that are built in."""
    own = [_out(variation) for variation in await list_custom(session, caller.org_id)]
    every, start = [*own, *BUILT_IN], start_of(cursor) or 0
    end = start + limit
    next_cursor = encode_cursor(end) if end < len(every) else None
    return VariationsPage(items=every[start:end], next_cursor=next_cursor)


@router.post("", status_code=201)
async def create_variation(body: VariationIn, keeper: KeeperDep) -> VariationOut:
    """Add a pressure of your own. Its placebos are made for you, as long as each text."""
    return _out(await keeper.create(body))


@router.get("/{variation_id}")
async def get_one_variation(variation_id: UUID, caller: Viewer, session: ReadSession) -> VariationOut:
    return _out(await get_custom(session, caller.org_id, str(variation_id)))


@router.put("/{variation_id}")
async def change_variation(variation_id: UUID, body: VariationChange, keeper: KeeperDep) -> VariationOut:
    """Change what is given; what is omitted stays. Runs keep the texts they had."""
    return _out(await keeper.change(str(variation_id), body))


@router.delete("/{variation_id}", status_code=204)
async def delete_variation(variation_id: UUID, keeper: KeeperDep) -> None:
    await keeper.delete(str(variation_id))


def _out(variation: CustomVariation) -> VariationOut:
    return VariationOut(
        id=UUID(variation.id),
        name=variation.name,
        description=variation.content["description"],
        built_in=False,
        doses=doses_out(variation.content["doses"]),
        placebos=placebos_out(variation.content["doses"]),
        created_at=variation.created_at,
        updated_at=variation.updated_at,
    )
