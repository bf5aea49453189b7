"""Cassettes in tests that need no live service: kept as recording a run would."""

import json
from typing import Any

from support.platform import Org

from odyssey.endpoints.cassettes.repository import add_cassette, kept_members
from odyssey.endpoints.models import Cassette
from odyssey.journal.models import RunContext
from odyssey.kit.clock import utc_now
from odyssey.kit.ids import new_uuid

NOWHERE = "6f0e4b0e-3a1c-4d2f-9b0a-0123456789ab"
READING: dict[str, Any] = {
    "tool_name": "get_order",
    "arguments": {"order_id": "ord_1"},
    "response": {"order_id": "ord_1", "status": "shipped"},
    "source": "passthrough",
    "upstream": {
        "endpoint_id": NOWHERE,
        "endpoint": "orders",
        "type": "http_openapi",
        "tool_name": "getOrder",
        "status": 200,
        "is_error": False,
        "read_only": True,
    },
}


def keep_cassette(org: Org, run_id: int, *calls: dict[str, Any]) -> str:
    """Keep a cassette of a run with these calls, by default one of an endpoint that is no more; returns its id."""

    async def keep() -> str:
        async with org.platform.database.write() as session:
            context = await session.get_one(RunContext, run_id)
            cassette = Cassette(
                id=new_uuid(),
                org_id=context.org_id,
                name="by hand",
                run_id=run_id,
                attempt=1,
                agent_id=context.agent_id,
                agent_version=context.agent_version,
                created_by=1,
                created_at=utc_now(),
            )
            rows = [
                _kept(call) | {"run_id": run_id, "attempt": 1, "sequence": place, "occurred_at": utc_now()}
                for place, call in enumerate(calls or (READING,), start=1)
            ]
            await add_cassette(session, cassette, rows)
            return cassette.id

    return org.platform.do(keep())


def _kept(call: dict[str, Any]) -> dict[str, Any]:
    arguments, response = (json.dumps(call[name]).encode() for name in ("arguments", "response"))
    return kept_members(call["tool_name"], arguments, response, call["source"], call["upstream"])
