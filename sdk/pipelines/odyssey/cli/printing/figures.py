"""Shares and their intervals, money, and what became of the runs of a batch, in words."""

from collections.abc import Mapping

from pipelines.odyssey.cli.printing.screen import Part, Screen, clean, many, word
from pipelines.odyssey.client import types as t

VERDICTS = ("PASS", "FAIL", "PENDING", "NOT APPLICABLE")
STYLES = {"PASS": "green", "FAIL": "red", "PENDING": "yellow"}


def percent(share: float) -> str:
    return f"{share * 100:.1f} %"


def estimate(figure: t.EstimateOut | t.PassKOut | t.RateOut | None) -> str:
    """Say a share with its interval: `87.5 % (52.9 % to 97.8 %)`."""
    if figure is None or figure["share"] is None or figure["interval"] is None:
        return "nothing graded"
    low, high = figure["interval"]
    return f"{percent(figure['share'])} ({percent(low)} to {percent(high)})"


def difference(figure: t.EstimateOut | None) -> str:
    """Say a difference of shares in percentage points."""
    if figure is None:
        return "nothing both have graded"
    low, high = figure["interval"]
    return f"{_points(figure['share'])} points ({_points(low)} to {_points(high)})"


def money(usd: float) -> str:
    return f"{usd:.4f} USD"


def verdict_part(verdict: object) -> Part:
    return Part(clean(str(verdict)), STYLES.get(str(verdict), ""))


def counted(counts: Mapping[str, object], names: tuple[str, ...] | None = None) -> str:
    """Say counts that are not zero: `7 PASS, 1 FAIL`."""
    said = [f"{counts[name]} {clean(name)}" for name in names or tuple(counts) if counts.get(name)]
    return ", ".join(said) or "none"


def print_figures(screen: Screen, batch: t.BatchOut) -> None:
    """Print what the runs of a batch came to."""
    screen.line(f"  verdicts  {counted(batch['verdicts'], VERDICTS)}")
    if batch["failure_modes"]:
        modes = (f"{number} {word(mode)}" for mode, number in batch["failure_modes"].items())
        screen.line(f"  why       {', '.join(modes)}")
    if batch["cost_usd"]:
        screen.line(f"  cost      {money(batch['cost_usd'])}")
    print_reliability(screen, batch, graded_of(batch))


def graded_of(batch: t.BatchOut) -> str:
    """Say of how many runs a pass rate is, and how many are left out: `, 5 of 5 graded; 10 of 15 runs left out`."""
    verdicts, planned = batch["verdicts"], batch["planned_runs"]
    graded = verdicts["PASS"] + verdicts["FAIL"]
    if not graded:
        return ""
    without = planned - graded
    return f", {verdicts['PASS']} of {graded} graded" + (
        f"; {without} of {many(planned, 'run')} without a verdict left out" if without else ""
    )


def print_reliability(screen: Screen, figures: t.BatchOut | t.SideOut, counts: str = "") -> None:
    """Print the pass rate, and pass^k for every k that was tried."""
    screen.line(f"  pass rate {estimate(figures['pass_rate'])}{counts}")
    for figure in figures["pass_k"]:
        if figure["k"] > 1:
            left_out = figure.get("left_out")
            note = f"; {many(left_out, 'row')} with fewer graded runs left out" if left_out else ""
            screen.line(f"  pass^{figure['k']:<4} {estimate(figure)}{note}")


def _points(share: float) -> str:
    return f"{share * 100:+.1f}"
