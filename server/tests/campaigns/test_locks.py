"""Who ends a campaign and who acts on what it is of hold the two in one order, so that neither waits for the other."""

import asyncio

import pytest
from sqlalchemy import update
from support.evals import scenario
from support.experiments import start_matrix
from support.platform import Org, Platform

from odyssey.batches.repository import batch_of_campaign, get_batch
from odyssey.campaigns.repository import held_state
from odyssey.matrices.models import Matrix
from odyssey.matrices.repository import get_matrix
from odyssey.runs.models import Batch


@pytest.mark.both_databases
def test_a_matrix_is_held_by_its_campaign(platform: Platform, org: Org) -> None:
    org.agent("http://127.0.0.1:9")  # nobody answers there, so that the campaign stays as it is
    matrix_id = start_matrix(org, [scenario(org)["id"]], "time_pressure")["id"]
    org_id = org.ok(org.get("/api/org"))["id"]

    async def both() -> str:
        async with platform.database.read() as session:
            campaign_id = (await get_matrix(session, org_id, matrix_id)).campaign_id

        async def act() -> str:
            async with platform.database.write() as session:
                return (await get_matrix(session, org_id, matrix_id, lock=True)).name or ""

        async with platform.database.write() as session:
            await held_state(session, campaign_id)
            acting = asyncio.create_task(act())
            for _ in range(20):  # on Postgres it has come to wait for us by now, or will when we are done
                await asyncio.sleep(0.01)
            await session.execute(update(Matrix).where(Matrix.id == matrix_id).values(name="written"))
        return await acting

    assert platform.do(both()) == "written"


@pytest.mark.both_databases
def test_a_batch_is_held_by_its_campaign(platform: Platform, org: Org) -> None:
    agent = org.agent("http://127.0.0.1:9")
    seeds = [{"user_instruction": "x"}]
    made = org.ok(org.post("/api/runs", {"agent_id": agent["id"], "seeds": seeds, "repeats": 2}))
    org_id, batch_id = org.ok(org.get("/api/org"))["id"], made["batch"]["id"]

    async def both() -> int:
        async with platform.database.read() as session:
            campaign_id = (await get_batch(session, org_id, batch_id)).campaign_id
            assert (await batch_of_campaign(session, campaign_id)).id == batch_id

        async def act() -> int:
            async with platform.database.write() as session:
                return (await get_batch(session, org_id, batch_id, lock=True)).repeats

        async with platform.database.write() as session:
            await held_state(session, campaign_id)
            acting = asyncio.create_task(act())
            for _ in range(20):
                await asyncio.sleep(0.01)
            await session.execute(update(Batch).where(Batch.id == batch_id).values(repeats=3))
        return await acting

    assert platform.do(both()) == 3
