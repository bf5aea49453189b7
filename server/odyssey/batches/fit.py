"""Whether the rows of a dataset fit the agent they are to be run on: their states against its ledger schema."""

import asyncio
from collections.abc import Iterator

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.ledger_schema import check_initial_state
from odyssey.batches.repository import StateUse, rows_with_state, states_of_rows
from odyssey.core.errors import ValidationFailedError
from odyssey.journal.contents import load_texts
from odyssey.library.models import Dataset
from odyssey.records.problems import FieldError
from odyssey.records.tools import LedgerSchema

_AT_ONCE = 200
_MOST_ERRORS = 100
_MOST_OF_A_STATE = 10


async def check_rows_fit(session: AsyncSession, dataset: Dataset, schema: LedgerSchema | None) -> None:
    """Raise 422 with the rows whose state contradicts the schema; a state many rows share is read once."""
    if schema is None:
        return
    errors: list[FieldError] = []
    for part in _parts(await states_of_rows(session, dataset.id, dataset.revision)):
        texts = await load_texts(session, dataset.org_id, [each.hash for each in part])
        found = await asyncio.to_thread(_contradictions, [texts[each.hash] for each in part], schema)
        for state, faults in zip(part, found, strict=True):
            if faults:
                errors += await _at_rows(session, dataset, state, faults)
        if len(errors) >= _MOST_ERRORS:
            break
    if errors:
        errors.sort(key=lambda error: error.loc[1])
        raise ValidationFailedError(errors[:_MOST_ERRORS])


def _parts(states: list[StateUse]) -> Iterator[list[StateUse]]:
    """Part states into what may be in memory together; a named world may be large, and so comes alone."""
    worlds = [state for state in states if state.is_world]
    own = [state for state in states if not state.is_world]
    yield from ([world] for world in worlds)
    yield from (own[start : start + _AT_ONCE] for start in range(0, len(own), _AT_ONCE))


def _contradictions(texts: list[str], schema: LedgerSchema) -> list[list[FieldError]]:
    return [check_initial_state(msgspec.json.decode(text), schema)[:_MOST_OF_A_STATE] for text in texts]


async def _at_rows(
    session: AsyncSession, dataset: Dataset, state: StateUse, faults: list[FieldError]
) -> list[FieldError]:
    column = "world" if state.is_world else "state"
    positions = await rows_with_state(session, dataset.id, dataset.revision, state, limit=_MOST_ERRORS)
    return [
        FieldError(loc=("rows", position, column, *fault.loc[1:]), msg=fault.msg)
        for position in positions
        for fault in faults
    ]
