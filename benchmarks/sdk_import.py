"""What importing the SDK costs, beside the `import httpx` that every HTTP client of an agent pays."""

import subprocess
import sys
import time
from collections.abc import Iterable
from typing import NamedTuple

from benchmarks.targets import Outcome, Target

AT_WORK = "what an agent uses"
SUBJECTS = {
    "import pipelines.odyssey": "import pipelines.odyssey",
    AT_WORK: (
        "from pipelines.odyssey import Envelope, Tool, proxy_call, register_dispatch_route, safe_thinking"
    ),
    "the client": "from pipelines.odyssey import Client",
}
AT_MOST = Target(f"importing {AT_WORK} ÷ `import httpx`", at_most=1.5)
_NOTHING = "pass"
_PEER = "import httpx"


class SdkImport(NamedTuple):
    ratios: dict[str, float]
    """Time beyond a bare interpreter, as a share of what `import httpx` takes beyond it."""


def measure_sdk_import(rounds: int) -> SdkImport:
    """Start interpreters in turn and compare the fastest of each: noise only ever adds."""
    codes = [_NOTHING, _PEER, *SUBJECTS.values()]
    best = dict.fromkeys(codes, float("inf"))
    for _ in range(rounds):
        for code in codes:
            best[code] = min(best[code], _seconds(code))
    floor = best[_NOTHING]
    return SdkImport({name: (best[code] - floor) / (best[_PEER] - floor) for name, code in SUBJECTS.items()})


def _seconds(code: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - started


def sdk_table(measured: SdkImport) -> Iterable[str]:
    yield "\nimporting the SDK, beyond a bare interpreter    × import httpx"
    for name, ratio in measured.ratios.items():
        yield f"  {name:<44}  {ratio:.2f}"


def sdk_outcome(measured: SdkImport) -> Outcome:
    return AT_MOST.measured(measured.ratios[AT_WORK])
