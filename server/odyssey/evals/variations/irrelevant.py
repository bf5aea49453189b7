"""Records that sound like somebody's business and have nothing to do with the task: drawn from a seed.

There are several families of them. Those whose words occur in the task are left out, so that no record can be taken for
part of it.
"""

import re
from collections.abc import Mapping
from random import Random
from typing import NamedTuple


class _Family(NamedTuple):
    """Lines of one kind: the blanks of the pattern are filled with one of the words, or a number of the range."""

    pattern: str
    words: Mapping[str, tuple[str, ...]]
    numbers: Mapping[str, tuple[int, int]]
    topics: frozenset[str]
    """What the family is about, in the words a task about it would use."""

    def line(self, random: Random) -> str:
        drawn = {name: random.choice(words) for name, words in self.words.items()}
        counted = {name: str(random.randint(*ends)) for name, ends in self.numbers.items()}
        return self.pattern.format_map(drawn | counted)


_FAMILIES = (
    _Family(
        "Gauge {place}: water level {level} cm at {hour}:{minute}, {trend} by {change} cm since the last reading.",
        {
            "place": ("Upper Weir", "Stone Bridge", "Mill Bend", "Old Ferry", "North Lock", "Reed Island"),
            "trend": ("rising", "falling", "risen briefly, then falling", "almost steady, up"),
        },
        {"level": (84, 612), "hour": (10, 23), "minute": (10, 59), "change": (1, 19)},
        frozenset({"water", "river", "gauge", "flood", "level"}),
    ),
    _Family(
        "Ring {letters}{ring}: {bird}, {age}, weighed {grams} g, released at net {net} after {minutes} minutes.",
        {
            "letters": ("KA", "DM", "SV", "LT", "PX"),
            "bird": ("reed warbler", "great tit", "blackcap", "robin", "wren", "goldcrest", "chiffchaff"),
            "age": ("first year", "adult", "age not determined", "second year"),
        },
        {"ring": (10432, 98761), "grams": (6, 31), "net": (1, 24), "minutes": (2, 14)},
        frozenset({"bird", "birds", "ring", "species", "wildlife"}),
    ),
    _Family(
        "Exhibit {number}: {object} of {material}, {century}th century, moved from case {case} to store {store}; "
        "condition {condition}.",
        {
            "object": ("jug", "comb", "candlestick", "seal", "buckle", "figurine", "inkwell", "thimble"),
            "material": ("pewter", "walnut", "bone", "glazed clay", "brass", "horn"),
            "condition": ("stable", "good", "slightly worn", "to be cleaned"),
        },
        {"number": (1204, 9876), "century": (14, 19), "case": (1, 60), "store": (1, 9)},
        frozenset({"museum", "exhibit", "collection", "artefact", "antique"}),
    ),
    _Family(
        "Choir rehearsal {number}: {piece}, bars {first} to {last} repeated, {voices} present, "
        "room at {degrees} degrees.",
        {
            "piece": (
                "evening song",
                "spring cantata",
                "the shepherd's round",
                "third psalm",
                "harvest hymn",
            ),
            "voices": ("all voices", "sopranos and altos", "tenors only", "basses and tenors"),
        },
        {"number": (11, 97), "first": (3, 60), "last": (61, 140), "degrees": (17, 23)},
        frozenset({"choir", "music", "song", "concert", "rehearsal"}),
    ),
    _Family(
        "Telescope log {number}: field {letter}-{field}, exposure {seconds} s through the {filter} filter, {sky}, "
        "seeing {tenths} tenths.",
        {
            "letter": ("A", "C", "F", "K", "R"),
            "filter": ("blue", "green", "red", "near infrared", "clear"),
            "sky": ("thin cloud in the west", "clear", "moon below the horizon", "light haze"),
        },
        {"number": (301, 9402), "field": (12, 88), "seconds": (15, 900), "tenths": (11, 38)},
        frozenset({"telescope", "star", "astronomy", "observatory", "sky"}),
    ),
    _Family(
        "Bed {row}{bed}: {plant} sown at {depth} mm, {seedlings} seedlings counted on day {day}, soil {soil}.",
        {
            "row": ("A", "B", "C", "D", "E"),
            "plant": ("radish", "chard", "lupin", "fennel", "borage", "marigold", "kohlrabi"),
            "soil": ("moist", "dry on top", "loosened", "covered with straw"),
        },
        {"bed": (1, 40), "depth": (5, 40), "seedlings": (3, 96), "day": (4, 21)},
        frozenset({"garden", "plant", "plants", "seed", "soil", "crop"}),
    ),
    _Family(
        "Organ pipe {rank}-{pipe}: {stop}, tuned by {cents} cents, wind pressure {pressure} mm, {finding}.",
        {
            "rank": ("I", "II", "III", "IV"),
            "stop": ("principal", "gedackt", "mixture", "trumpet", "flute"),
            "finding": ("speaks cleanly", "leather renewed", "slow in speech", "to be voiced again"),
        },
        {"pipe": (1, 56), "cents": (1, 17), "pressure": (62, 95)},
        frozenset({"organ", "pipe", "pipes", "instrument"}),
    ),
)
_BREAKS_OFF = "..."
_WORD = re.compile(r"[a-z]+")


def irrelevant_records(length: int, random: Random, *, apart_from: str) -> str:
    """Draw lines of exactly `length` characters in all; the last one breaks off."""
    spoken = set(_WORD.findall(apart_from.lower()))
    families = [family for family in _FAMILIES if not family.topics & spoken] or list(_FAMILIES)
    lines: list[str] = []
    drawn = 0
    while drawn < length:
        line = random.choice(families).line(random)
        lines.append(line)
        drawn += len(line) + 1
    return "\n".join(lines)[: length - len(_BREAKS_OFF)] + _BREAKS_OFF
