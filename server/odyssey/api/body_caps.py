"""How large the body of a request may be: one table, by the beginning of the address (wire-contract.md#e1).

Whatever may carry a whole world, as the seeds of a request for runs do, has the cap of worlds. Batches are asked for at
`/api/runs`; eval runs and matrices name scenarios by id, so they need no more than anybody else. The per-run proxy
counts for itself, before FastAPI is reached: 1 MiB as well.
"""

MIB = 1024 * 1024
DEFAULT_CAP = MIB
BODY_CAPS = {
    "/api/agents": 2 * MIB,
    "/api/tool-endpoints": 2 * MIB,
    "/api/worlds": 16 * MIB,
    "/api/runs": 16 * MIB,
    "/api/v1/eval/scenarios": 16 * MIB,
    "/api/datasets": 64 * MIB,
}


def body_cap(path: str) -> int:
    """Return how many bytes a body sent to this path may have."""
    for prefix, cap in BODY_CAPS.items():
        if path == prefix or path.startswith(prefix + "/"):
            return cap
    return DEFAULT_CAP


def in_words(cap: int) -> str:
    return f"{cap // MIB} MiB"
