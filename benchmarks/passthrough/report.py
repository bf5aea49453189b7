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
from benchmarks.report import Target

ALLOWED_MS = 0.5
MCP_ALLOWED_MS = 2.0
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


def passthrough_targets(measured: Passthrough) -> list[Target]:
    hop, commits = added(measured, HOP), statistics.median(measured.rounds[COMMITS])
    spent, allowed = added(measured, ODYSSEY), hop + commits + ALLOWED_MS
    text = (
        f"a passthrough call adds at most a bare hop, two commits and {ALLOWED_MS} ms: "
        f"{spent:.3f} ms of {hop:.3f} + {commits:.3f} + {ALLOWED_MS} = {allowed:.3f} ms"
    )
    by_mcp = added(measured, MCP_ODYSSEY)
    mcp_text = f"a call of an MCP server adds at most {MCP_ALLOWED_MS} ms to one by the SDK’s client: {by_mcp:.3f} ms"
    nginx = "not measured" if NGINX not in measured.rounds else f"{spent / added(measured, NGINX):.1f} × that"
    return [
        Target(spent <= allowed, text),
        Target(None, f"beside what nginx’s hop adds, which keeps nothing: {nginx}"),
        Target(by_mcp <= MCP_ALLOWED_MS, mcp_text),
    ]


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
