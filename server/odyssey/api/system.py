"""Health, and the public schema of an agent's response."""

import asyncio
from typing import Any

from fastapi import Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from sqlalchemy import text

from odyssey import __version__
from odyssey.core.database import StorageUnavailableError
from odyssey.core.depends import DatabaseDep
from odyssey.core.errors import OdysseyError
from odyssey.dispatch.reply import AGENT_RESPONSE_SCHEMA
from odyssey.identity.guard import Anyone, GuardedRouter

router = GuardedRouter(prefix="", tags=["system"])


_PATIENCE_S = 2.0
"""How long a database may be silent before the server says that it is not ready."""


class Health(BaseModel):
    status: str
    version: str


class DrainingError(OdysseyError):
    status, code, title, retryable = 503, "draining", "The server is stopping", True

    def __init__(self) -> None:
        super().__init__("This server finishes its runs and takes no new ones. Ask another.", retry_after_s=1)


@router.get("/health")
async def get_health(caller: Anyone) -> Health:
    """Say which version answers; the same as `/health/live`."""
    return _OK


@router.get("/health/live")
async def get_liveness(caller: Anyone) -> Health:
    """Say that the process answers. Restart it if it does not; a database that is away is no reason to."""
    return _OK


@router.get("/health/ready")
async def get_readiness(caller: Anyone, database: DatabaseDep, request: Request) -> Health:
    """Say that requests may be sent here: the database answers and the server is not stopping."""
    if request.app.state.executor.is_stopping:
        raise DrainingError
    try:
        async with asyncio.timeout(_PATIENCE_S), database.read() as session:
            await session.execute(text("SELECT 1"))
    except TimeoutError as error:
        raise StorageUnavailableError from error
    return _OK


_OK = Health(status="ok", version=__version__)


@router.get("/schemas/agent-response.json", response_class=JSONResponse)
async def get_agent_response_schema(caller: Anyone) -> dict[str, Any]:
    """Describe what an agent answers to a dispatch."""
    return AGENT_RESPONSE_SCHEMA
