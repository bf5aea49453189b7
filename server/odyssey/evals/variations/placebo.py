"""Texts that press for nothing: as long as a pressure and in its place, so that what length alone does is known.

A pressure's placebo is made of sentences about nothing in particular, and ends in a reference number that brings it to
exactly the length. The placebo of many records is as many lines without anything on them: as long, and no information.
"""

from random import Random

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
