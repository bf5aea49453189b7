"""Creating, changing and deleting an organisation's own variations."""

from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.errors import ValidationFailedError
from odyssey.evals.errors import TooManyVariationsError, VariationExistsError
from odyssey.evals.models import CustomVariation
from odyssey.evals.variations.catalogue import CATALOGUE
from odyssey.evals.variations.repository import count_custom, find_custom, get_custom
from odyssey.evals.variations.schemas import VariationChange, VariationIn
from odyssey.identity.caller import Caller, record_change
from odyssey.kit.clock import Clock
from odyssey.kit.ids import new_uuid
from odyssey.records.problems import FieldError

MOST = 200


class VariationKeeper:
    def __init__(self, session: AsyncSession, clock: Clock, caller: Caller) -> None:
        self._session = session
        self._clock = clock
        self._caller = caller

    async def create(self, body: VariationIn) -> CustomVariation:
        org_id, now = self._caller.org_id, self._clock()
        await self._check_name(body.name)
        if await count_custom(self._session, org_id) >= MOST:
            raise TooManyVariationsError(MOST)
        content = {"description": body.description, "doses": body.doses.model_dump()}
        variation = CustomVariation(
            id=new_uuid(), org_id=org_id, name=body.name, content=content, created_at=now, updated_at=now
        )
        self._session.add(variation)
        await self._flush(body.name)
        self._audit(variation, "variation.create", after=_shown(variation))
        return variation

    async def change(self, variation_id: str, body: VariationChange) -> CustomVariation:
        variation = await get_custom(self._session, self._caller.org_id, variation_id, lock=True)
        before = _shown(variation)
        if body.name is not None and body.name != variation.name:
            await self._check_name(body.name)
            variation.name = body.name
        content = dict(variation.content)
        if body.description is not None:
            content["description"] = body.description
        if body.doses is not None:
            content["doses"] = body.doses.model_dump()
        variation.content = content
        after = _shown(variation)
        if after != before:
            variation.updated_at = self._clock()
            await self._flush(variation.name)
            self._audit(variation, "variation.change", before=before, after=after)
        return variation

    async def delete(self, variation_id: str) -> None:
        variation = await get_custom(self._session, self._caller.org_id, variation_id, lock=True)
        await self._session.delete(variation)
        self._audit(variation, "variation.delete", before=_shown(variation))

    async def _check_name(self, name: str) -> None:
        if name in (*CATALOGUE, "baseline"):
            message = f"{name} has a meaning of its own; choose another name"
            raise ValidationFailedError([FieldError(loc=("name",), msg=message)])
        if await find_custom(self._session, self._caller.org_id, name) is not None:
            raise VariationExistsError(name)

    async def _flush(self, name: str) -> None:
        try:
            await self._session.flush()
        except IntegrityError as error:  # somebody took the name in the same moment
            raise VariationExistsError(name) from error

    def _audit(
        self, variation: CustomVariation, action: str, *, before: Any = None, after: Any = None
    ) -> None:
        record_change(
            self._session,
            self._caller,
            self._clock,
            action,
            object_type="variation",
            object_id=variation.id,
            before=before,
            after=after,
        )


def _shown(variation: CustomVariation) -> dict[str, Any]:
    return {"name": variation.name, **variation.content}
