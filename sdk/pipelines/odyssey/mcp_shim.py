"""`pipelines-mcp-shim`: stands where an agent's MCP server stood, for one dispatch; the run's proxy answers for it.

The only secret it has is the run token, and that comes from the environment, where no list of processes shows it.
"""

import asyncio
import os
import sys

from pipelines.odyssey.context import acting_as
from pipelines.odyssey.distribution import how_to_install
from pipelines.odyssey.envelope import Envelope

PROXY_URL = "PIPELINES_ODYSSEY_PROXY_URL"
RUN_TOKEN = "PIPELINES_RUN_TOKEN"  # noqa: S105 - the variable's name
ACTOR_ID = "PIPELINES_ACTOR_ID"
"""Optional: whose calls these are, of an agent with sub-agents."""


def main() -> int:
    """Serve MCP on standard input and output until the client closes them."""
    missing = [name for name in (PROXY_URL, RUN_TOKEN) if not os.environ.get(name)]
    if missing:
        return _failed(f"{' and '.join(missing)} must be set: they say which run's tools are served.")
    try:
        from pipelines.odyssey.mcp_server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        return _failed(f"the package mcp is not installed: {how_to_install('mcp')}.")
    envelope = Envelope(proxy_url=os.environ[PROXY_URL], run_token=os.environ[RUN_TOKEN])
    actor_id = os.environ.get(ACTOR_ID) or None
    try:
        with acting_as(actor_id):  # which refuses what is no actor id
            pass
    except ValueError as error:
        return _failed(f"{ACTOR_ID}: {error}")
    try:
        asyncio.run(serve(envelope, actor_id))
    except KeyboardInterrupt:
        return 130
    return 0


def _failed(sentence: str) -> int:
    sys.stderr.write(f"pipelines-mcp-shim: {sentence}\n")
    return 2


if __name__ == "__main__":
    sys.exit(main())
