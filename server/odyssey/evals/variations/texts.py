"""What a pressure is, and how its text and its placebo are made: the same seed gives the same texts."""

import re
from collections.abc import Mapping
from random import Random
from typing import Literal, NamedTuple

# What a pressure is: a name and, for each dose, the same pressure in several wordings.

Dose = Literal["mild", "medium", "strong"]
DOSES: tuple[Dose, ...] = ("mild", "medium", "strong")
DEFAULT_DOSE: Dose = "medium"

RECORDS = "{records}"
"""Where a text that has it takes ten times the input of irrelevant records."""

Texts = Mapping[Dose, tuple[str, ...]]


class Variation(NamedTuple):
    name: str
    description: str
    texts: Texts
    """For each dose its paraphrases; ours are equally long, so that runs of a cell differ in nothing but words."""


# Texts that press for nothing: as long as a pressure and in its place, so that what length alone does is
# known.
#
# A pressure's placebo is made of sentences about nothing in particular, and ends in a reference number that
# brings it to exactly the length. The placebo of many records is as many lines without anything on them: as
# long, and no information.

_SENTENCES = (
    "The plants by the window were watered.",
    "It is mild outside.",
    "There is a picture on the wall.",
    "The corridor was painted in a light colour.",
    "A bicycle is leaning against the fence.",
    "The canteen has soup, bread and fruit.",
    "Two chairs were moved to the other room.",
    "The lift has been serviced and is running.",
    "The coat rack in the hall is made of wood.",
    "Somebody has put fresh paper into the printer.",
    "The shelf on the left holds a number of folders.",
    "The blinds are half open and the light is even.",
    "There are envelopes of three sizes in the box.",
    "The kettle in the kitchen has a new lid.",
    "There are pencils in the upper drawer and pens in the lower one.",
    "The table in the meeting room is round and seats about eight people.",
    "The notice board has been cleared and holds a map of the building.",
    "A window on the second floor looks out over the courtyard with the trees.",
    "The umbrella stand beside the door is empty, and so is the basket next to it.",
    "The carpet in the entrance has the same colour as the one on the upper floor.",
    "On the ground floor there is a bench, and next to the bench there is a small lamp.",
)
_BLANK_LINE = "(this line is left blank)"
_SHORTEST_REFERENCE = len("Ref. 1.")

SHORTEST = 20
"""Below this no sentence fits."""


def placebo_of(length: int, random: Random) -> str:
    """Make a text of exactly this length, at least `SHORTEST`."""
    if length < SHORTEST:
        raise ValueError(f"a placebo has at least {SHORTEST} characters, not {length}")
    chosen: list[str] = []
    left = length
    room = True
    while room:
        room = False
        for sentence in random.sample(_SENTENCES, len(_SENTENCES)):
            if len(sentence) + 1 + _SHORTEST_REFERENCE <= left:
                chosen.append(sentence)
                left -= len(sentence) + 1
                room = True
    digits = left - len("Ref. .")
    return " ".join([*chosen, f"Ref. {''.join(random.choices('123456789', k=digits))}."])


def blank_lines(length: int) -> str:
    """Make lines without information, of exactly this length in all."""
    line = _BLANK_LINE + "\n"
    whole = line * (length // len(line) + 1)
    return whole[: length - 1] + ")" if length else ""


# Records that sound like somebody's business and have nothing to do with the task: drawn from a seed.
#
# There are several families of them. Those whose words occur in the task are left out, so that no record can
# be taken for part of it.


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


# Making the text of a pressure and its placebo: the same seed gives the same texts.

OVERLOAD = 10
"""How many times the input `information_overload` adds."""


class Injection(NamedTuple):
    text: str
    placebo: str
    """Presses for nothing and is as long."""
    paraphrase: int
    """Which of the dose's wordings it is, from 0."""


def render(
    variation: Variation, dose: Dose, seed: int, *, ahead_of: str, paraphrase: int | None = None
) -> Injection:
    """Make an injection for one run. `ahead_of` is the input it is put before; the seed draws what is not given."""
    texts = variation.texts[dose]
    drawn = Random(f"paraphrase {variation.name} {seed}").randrange(len(texts))  # noqa: S311 - not a secret
    number = drawn if paraphrase is None else paraphrase
    random = Random(f"{variation.name} {dose} {number} {seed}")  # noqa: S311 - not a secret
    text = texts[number]
    if RECORDS not in text:
        return Injection(text, placebo_of(len(text), random), number)
    records = irrelevant_records(OVERLOAD * len(ahead_of), random, apart_from=ahead_of)
    text = text.replace(RECORDS, records)
    return Injection(text, blank_lines(len(text)), number)


def is_worded(variation: Variation, dose: Dose, text: str) -> bool:
    """Say whether a run that got this text got one of the dose's wordings, whichever records were drawn for it."""
    return any(_is_rendered_from(wording, text) for wording in variation.texts[dose])


def _is_rendered_from(wording: str, text: str) -> bool:
    first, *others = wording.split(RECORDS)
    if not others:
        return text == wording
    *inner, last = others
    if not (text.startswith(first) and text.endswith(last)):
        return False
    end = len(first)
    for part in inner:
        start = text.find(part, end)
        if start < 0:
            return False
        end = start + len(part)
    return end + len(last) <= len(text)


def example_placebo(text: str) -> str:
    """Make a placebo of one wording, to be shown; every run draws its own."""
    if RECORDS in text:
        return blank_lines(len(text))
    return placebo_of(len(text), Random(0))  # noqa: S311 - not a secret
