"""Health, and the public schema of an agent's response."""

from typing import Any

from fastapi.responses import JSONResponse
from pydantic import BaseModel

from odyssey import __version__
from odyssey.dispatch.response_schema import AGENT_RESPONSE_SCHEMA
from odyssey.identity.guard import Anyone, GuardedRouter

router = GuardedRouter(prefix="", tags=["system"])


class Health(BaseModel):
    status: str
    version: str


@router.get("/health")
async def get_health(caller: Anyone) -> Health:
    return Health(status="ok", version=__version__)


@router.get("/schemas/agent-response.json", response_class=JSONResponse)
async def get_agent_response_schema(caller: Anyone) -> dict[str, Any]:
    """Describe what an agent answers to a dispatch."""
    return AGENT_RESPONSE_SCHEMA
