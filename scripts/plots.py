"""Draws the plots of the docs from the benchmarks' figures.

make bench-statistics ARGS="--json figures.json" && .venv/bin/python scripts/plots.py figures.json
make bench ARGS="--only reference --json worlds.json" && .venv/bin/python scripts/plots.py worlds.json
"""

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"

_WIDTH, _HEIGHT = 720, 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 690, 74, 280
_INK, _GREY, _LINE = "#1d2433", "#5b6472", "#c5ccd6"
_OURS, _NAIVE = "#2563eb", "#d97706"
_PLANTED = {"failure": ("#93b4f5", "#2563eb"), "other task": ("#f0c48a", "#d97706")}
"""What was planted, with the colours of its first runs alone and of all."""
_BINS = 20
_LIMIT = 0.05

Place = Callable[[float], float]


def main() -> None:
    figures = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    plots = [identical_runs_differ, false_alarms, power] if "reference" not in figures else [reliability]
    for draw in plots:
        name = draw.__name__.replace("_", "-")
        (IMAGES / f"{name}.svg").write_text(draw(figures), "utf-8")
        print(f"docs/images/{name}.svg")


def identical_runs_differ(figures: dict[str, Any]) -> str:
    """Two histograms of distances: within one task and across tasks."""
    shares = {name: _histogram(figures[name]) for name in ("within", "across")}
    highest = max(max(each) for each in shares.values())
    x, y = _along(0, 1), _upward(highest)
    width = (_RIGHT - _LEFT) / _BINS
    bars = [
        _rect(x(place / _BINS) + 1, y(share), width - 2, _BOTTOM - y(share), colour, opacity=0.6)
        for name, colour in (("across", _LINE), ("within", _NAIVE))
        for place, share in enumerate(shares[name])
        if share
    ]
    threshold = [
        f'<path d="M{x(0.5):.1f} {_TOP}V{_BOTTOM}" stroke="{_INK}" stroke-dasharray="4 3"/>',
        _text(x(0.5) + 6, _TOP + 10, "“shift > 0.5”", size=12),
    ]
    within = figures["within"]
    beyond = sum(each > 0.5 for each in within) / len(within)
    caption = f"{beyond:.0%} of the pairs of identical trials are more than 0.5 apart"
    return _page(
        "Distance between two runs, no pressure applied",
        [*_x_axis([0, 0.25, 0.5, 0.75, 1], x), *bars, *threshold],
        [(_NAIVE, "the same task twice"), (_LINE, "two different tasks")],
        caption,
    )


def false_alarms(figures: dict[str, Any]) -> str:
    """Bars beside each other: of how many matrices in which nothing was changed each rule finds something."""
    matrices = [each for each in figures["matrices"] if each["design"] == "4 v 12"]
    y = _upward(1)
    step = (_RIGHT - _LEFT) / len(matrices)
    drawn = _y_axis([0, 0.25, 0.5, 0.75, 1], y)
    for place, each in enumerate(matrices):
        middle = _LEFT + step * (place + 0.5)
        bars = (each["naive"], -54, _NAIVE), (each["policy"], -16, _LINE), (each["any"], 22, _OURS)
        for value, left, colour in bars:
            drawn.append(_rect(middle + left, y(value), 32, _BOTTOM - y(value), colour))
            above = y(max(value, _LIMIT)) - 5
            drawn.append(_text(middle + left + 16, above, f"{value:.3f}", size=11, anchor="middle"))
        drawn.append(_text(middle, _BOTTOM + 18, each["name"], size=12, anchor="middle"))
    drawn.append(
        f'<path d="M{_LEFT} {y(_LIMIT):.1f}H{_RIGHT}" stroke="{_INK}" stroke-dasharray="4 3" opacity=".6"/>'
    )
    return _page(
        "Share of matrices with an alarm where nothing was changed",
        drawn,
        [
            (_NAIVE, "naive: any raw shift > 0.5"),
            (_LINE, "by policy"),
            (_OURS, "by any other rule of the gate"),
        ],
        f"35 cells each, 4 runs against 12. Dashed: {_LIMIT}",
    )


def power(figures: dict[str, Any]) -> str:
    """Two lines for each way to change a cell: how often that is confirmed by its first runs alone, and in all."""
    x, y = _along(0.2, 0.8), _upward(1)
    drawn = _y_axis([0, 0.25, 0.5, 0.75, 1], y) + _x_axis([0.2, 0.4, 0.5, 0.6, 0.8], x)
    legend = []
    for instead, (first, confirmed) in _PLANTED.items():
        powers = [each for each in figures["powers"] if each["planted"]["instead"] == instead]
        for member, colour, how in (
            ("confirmed", confirmed, ""),
            ("first_runs", first, ", first runs alone"),
        ):
            points = [f"{x(each['planted']['share']):.1f} {y(each[member]):.1f}" for each in powers]
            drawn.append(f'<path d="M{"L".join(points)}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
            legend.append((colour, f"{instead}{how}"))
    return _page(
        "How often one changed cell of 35 is confirmed",
        drawn,
        legend,
        "By the share of its runs that are changed: they fail, or are runs of another task",
    )


def reliability(figures: dict[str, Any]) -> str:
    """A dot for each tenth of confidence: what was told, and what was right; on the diagonal both are the same."""
    bins = figures["reference"]["bins"]
    x, y = _along(0, 1), _upward(1)
    most = max(many for *_, many in bins)
    ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]
    dots = [
        f'<circle cx="{x(told):.1f}" cy="{y(right):.1f}" r="{4 + 14 * (many / most) ** 0.5:.1f}" fill="{_OURS}" '
        f'opacity=".55"><title>{many} calls told {told:.2f}, right {right:.2f}</title></circle>'
        for told, right, many in bins
    ]
    diagonal = f'<path d="M{x(0)} {y(0)}L{x(1)} {y(1)}" stroke="{_INK}" stroke-dasharray="4 3" opacity=".6"/>'
    error = figures["reference"]["all_unseen"]["calibration_error"]
    calls = sum(many for *_, many in bins)
    return _page(
        "Confidence told, and share of answers that are right",
        [*_y_axis(ticks, y), *_x_axis(ticks, x), diagonal, *dots],
        [(_OURS, "answers in worlds nobody looked into; the larger, the more calls")],
        f"{calls:,} calls; expected calibration error {error:.2f}. Dashed: told and right alike",
    )


def _histogram(distances: Sequence[float]) -> list[float]:
    counts = [0] * _BINS
    for each in distances:
        counts[min(_BINS - 1, int(each * _BINS))] += 1
    return [count / len(distances) for count in counts]


def _along(low: float, high: float) -> Place:
    return lambda value: _LEFT + (value - low) / (high - low) * (_RIGHT - _LEFT)


def _upward(highest: float) -> Place:
    return lambda value: _BOTTOM - value / highest * (_BOTTOM - _TOP)


def _x_axis(ticks: Iterable[float], x: Place) -> list[str]:
    line = f'<path d="M{_LEFT} {_BOTTOM}H{_RIGHT}" stroke="{_LINE}"/>'
    return [line, *(_text(x(tick), _BOTTOM + 18, f"{tick:g}", size=12, anchor="middle") for tick in ticks)]


def _y_axis(ticks: Iterable[float], y: Place) -> list[str]:
    drawn = []
    for tick in ticks:
        drawn.append(f'<path d="M{_LEFT} {y(tick):.1f}H{_RIGHT}" stroke="{_LINE}" opacity=".6"/>')
        drawn.append(_text(_LEFT - 8, y(tick) + 4, f"{tick:g}", size=12, anchor="end"))
    return drawn


def _rect(x: float, y: float, width: float, height: float, colour: str, opacity: float = 1) -> str:
    shape = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{max(height, 1):.1f}"'
    return f'<rect {shape} fill="{colour}" opacity="{opacity:g}"/>'


def _text(x: float, y: float, said: str, *, size: int = 13, anchor: str = "start", weight: int = 400) -> str:
    placed = f'x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}"'
    return f'<text {placed} fill="{_INK if weight > 400 else _GREY}">{_escaped(said)}</text>'


def _escaped(said: str) -> str:
    return said.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _page(title: str, drawn: Iterable[str], legend: Sequence[tuple[str, str]], caption: str) -> str:
    keys = []
    left = float(_LEFT)
    for colour, said in legend:
        keys += [_rect(left, 34, 11, 11, colour), _text(left + 16, 44, said, size=12)]
        left += 30 + 6.4 * len(said)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'font-family="system-ui, sans-serif" role="img" aria-label="{_escaped(title)}. {_escaped(caption)}.">'
    )
    parts = [
        head,
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" rx="10" fill="#f7f8fa"/>',
        _text(_LEFT, 22, title, size=15, weight=600),
        *keys,
        *drawn,
        _text(_LEFT, _HEIGHT - 14, caption, size=12),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    main()
