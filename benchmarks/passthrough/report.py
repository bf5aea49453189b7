"""The figures of the passthrough as a table, targets and JSON."""

import statistics
from collections.abc import Iterable
from typing import Any

from benchmarks.passthrough.measure import (
    COMMITS,
    DIRECT,
    HOP,
    MCP_DIRECT,
    MCP_GATEWAY,
    MCP_ODYSSEY,
    NAMES,
    NGINX,
    ODYSSEY,
    Passthrough,
)
from benchmarks.targets import Outcome, Target

ALLOWED_MS = 0.5
PASSED_ON = Target(f"what a passthrough call adds ÷ a bare hop, two commits and {ALLOWED_MS} ms", at_most=1)
BY_MCP = Target("milliseconds that a call of an MCP server adds to one by the SDK’s client", at_most=2)
_BESIDE = {NGINX: DIRECT, HOP: DIRECT, ODYSSEY: DIRECT, MCP_ODYSSEY: MCP_DIRECT, MCP_GATEWAY: MCP_DIRECT}
"""What each subject adds to."""


def passthrough_table(measured: Passthrough) -> Iterable[str]:
    yield ""
    yield f"{'one connection':<34}{'p50 ms':>10}{'added ms':>12}{'÷ the first':>14}"
    yield "-" * 70
    for key, name in NAMES.items():
        if key not in measured.rounds:
            yield f"{name:<34}{'skipped':>10}"
            continue
        line = f"{name:<34}{statistics.median(measured.rounds[key]):>10.3f}"
        if key in _BESIDE:
            line += f"{added(measured, key):>12.3f}{ratio(measured, key):>14.2f}"
        yield line
    yield "p50: median of the rounds; added and ÷: to the service itself or to the SDK’s client, round by round."
    hop, commits, spent = _parts(measured)
    yield f"a bare hop adds {hop:.3f} ms, two commits take {commits:.3f} ms; a passthrough call adds {spent:.3f} ms"
    if NGINX in measured.rounds:
        yield f"and {spent / added(measured, NGINX):.1f} × what nginx’s hop adds, which keeps nothing"


def passthrough_outcomes(measured: Passthrough) -> list[Outcome]:
    hop, commits, spent = _parts(measured)
    return [
        PASSED_ON.measured(spent / (hop + commits + ALLOWED_MS)),
        BY_MCP.measured(added(measured, MCP_ODYSSEY)),
    ]


def _parts(measured: Passthrough) -> tuple[float, float, float]:
    """Milliseconds that a bare hop adds, that two commits take, and that a passthrough call adds."""
    return added(measured, HOP), statistics.median(measured.rounds[COMMITS]), added(measured, ODYSSEY)


def passthrough_json(measured: Passthrough) -> dict[str, Any]:
    return {
        key: {
            "p50_ms": statistics.median(rounds),
            "added_ms": added(measured, key) if key in _BESIDE else None,
            "rounds": rounds,
        }
        for key, rounds in measured.rounds.items()
    }


def added(measured: Passthrough, key: str) -> float:
    pairs = zip(measured.rounds[key], measured.rounds[_BESIDE[key]], strict=True)
    return statistics.median(own - other for own, other in pairs)


def ratio(measured: Passthrough, key: str) -> float:
    pairs = zip(measured.rounds[key], measured.rounds[_BESIDE[key]], strict=True)
    return statistics.median(own / other for own, other in pairs)
