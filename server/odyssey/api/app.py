"""The ASGI application: which routers there are, and what stands around them."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Annotated, Any

from fastapi import FastAPI
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from sqlalchemy import text

from odyssey import __version__
from odyssey.agents.routes import program_router as programs
from odyssey.agents.routes import router as agents
from odyssey.api.edges import Edges, install
from odyssey.api.interface import Interface
from odyssey.api.openapi import build_openapi, openapi_endpoint
from odyssey.batches.routes import router as batches
from odyssey.batches.routes import run_requests
from odyssey.core.database import StorageUnavailableError
from odyssey.core.depends import DatabaseDep, part
from odyssey.core.errors import OdysseyError
from odyssey.dispatch.reply import AGENT_RESPONSE_SCHEMA
from odyssey.dispatch.routes import router as connections
from odyssey.endpoints.cassettes.routes import router as cassettes
from odyssey.endpoints.routes import router as endpoints
from odyssey.evals.eval_runs.routes import router as eval_runs
from odyssey.evals.scenarios.routes import file_router as scenario_files
from odyssey.evals.scenarios.routes import router as scenarios
from odyssey.evals.variations.routes import router as variations
from odyssey.identity.credential_routes import router as credentials
from odyssey.identity.guard import Anyone, GuardedRouter
from odyssey.identity.routes import router as identity
from odyssey.identity.session_routes import router as browser_sessions
from odyssey.library.behaviour_routes import router as behaviours
from odyssey.library.compiling.routes import router as compiling
from odyssey.library.datasets.routes import router as datasets
from odyssey.library.named_worlds.routes import router as worlds
from odyssey.library.readings import router as readings
from odyssey.matrices.comparisons.routes import router as comparisons
from odyssey.matrices.reports.routes import router as matrix_files
from odyssey.matrices.routes import router as matrices
from odyssey.matrices.stream import router as matrix_streams
from odyssey.models.routes import router as settings
from odyssey.reviews.routes import router as reviews
from odyssey.runs.executor import Executor
from odyssey.runs.routes import consistency_router as consistency
from odyssey.runs.routes import router as runs
from odyssey.runs.stream import router as streams
from odyssey.runs.verdicts.routes import router as verdicts

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


def build_app(lifespan: Lifespan | None = None) -> FastAPI:
    """Mount every router; the proxy is no part of it, see `front`."""
    app = FastAPI(
        title="Odyssey",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,  # FastAPI would build it on the event loop
        redirect_slashes=False,
    )
    for router in (
        system,
        browser_sessions,
        identity,
        settings,
        agents,
        programs,
        connections,
        compiling,
        credentials,
        endpoints,
        streams,
        run_requests,
        runs,
        consistency,
        verdicts,
        batches,
        worlds,
        readings,
        behaviours,
        datasets,
        scenario_files,
        scenarios,
        variations,
        eval_runs,
        comparisons,
        matrices,
        matrix_streams,
        matrix_files,
        reviews,
        cassettes,
    ):
        app.include_router(router)
    install(app)
    app.add_middleware(Interface)
    app.add_middleware(Edges)
    app.openapi = lambda: build_openapi(app)  # type: ignore[method-assign] # FastAPI's documented way
    app.add_route("/openapi.json", openapi_endpoint(app), methods=["GET"], include_in_schema=False)
    return app


# Health, and the public schema of an agent's response.

system = GuardedRouter(prefix="", tags=["system"])


_PATIENCE_S = 2.0
"""How long a database may be silent before the server says that it is not ready."""


class Health(BaseModel):
    status: str
    version: str


class DrainingError(OdysseyError):
    status, code, title, retryable = 503, "draining", "The server is stopping", True

    def __init__(self) -> None:
        super().__init__("This server finishes its runs and takes no new ones. Ask another.", retry_after_s=1)


@system.get("/health")
async def get_health(caller: Anyone) -> Health:
    """Say which version answers; the same as `/health/live`."""
    return _OK


@system.get("/health/live")
async def get_liveness(caller: Anyone) -> Health:
    """Say that the process answers. Restart it if it does not; a database that is away is no reason to."""
    return _OK


@system.get("/health/ready")
async def get_readiness(
    caller: Anyone, database: DatabaseDep, executor: Annotated[Executor, part(Executor)]
) -> Health:
    """Say that requests may be sent here: the database answers and the server is not stopping."""
    if executor.is_stopping:
        raise DrainingError
    try:
        async with asyncio.timeout(_PATIENCE_S), database.read() as session:
            await session.execute(text("SELECT 1"))
    except TimeoutError as error:
        raise StorageUnavailableError from error
    return _OK


_OK = Health(status="ok", version=__version__)


@system.get("/schemas/agent-response.json", response_class=JSONResponse)
async def get_agent_response_schema(caller: Anyone) -> dict[str, Any]:
    """Describe what an agent answers to a dispatch."""
    return AGENT_RESPONSE_SCHEMA
