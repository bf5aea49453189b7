"""Figures and names as every form writes them."""

from collections.abc import Callable, Sequence

from odyssey.kit.words import listed
from odyssey.matrices.comparisons.schemas import RateOut

Quote = Callable[[str], str]
"""Writes a name that somebody else chose so that it stays a name."""

_NAMES_TOLD = 3


def figure(value: float | None) -> str:
    if value is None:
        return "–"
    return "0.00" if abs(value) < 0.005 else f"{value:.2f}"


def ends(interval: Sequence[float] | None) -> str:
    return "–" if interval is None else f"{figure(interval[0])} to {figure(interval[1])}"


def chance(value: float | None) -> str:
    """Say a p-value or a q-value."""
    if value is None:
        return "–"
    return "below 0.001" if value < 0.001 else f"{value:.3f}"


def percent(share: float | None) -> str:
    return "–" if share is None else f"{share * 100:.0f} %"


def share_of(matches: RateOut) -> str:
    """Say a share and of how many: `92 % (11 of 12)`."""
    return "–" if matches.share is None else f"{percent(matches.share)} ({rate(matches)})"


def rate(matches: RateOut) -> str:
    return "–" if matches.share is None else f"{matches.matched} of {matches.runs}"


def spoken(variation: str) -> str:
    """A variation as a person reads it."""
    return variation.replace("_", " ")


def many(number: int, noun: str, plural: str | None = None) -> str:
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def some_of(names: Sequence[str], quote: Quote) -> str:
    """Name the first few of them and count the rest."""
    told = list(dict.fromkeys(names))
    parts = [quote(name) for name in told[:_NAMES_TOLD]]
    if len(told) > _NAMES_TOLD:
        parts.append(f"{len(told) - _NAMES_TOLD} more")
    return listed(parts)
