"""Texts of strangers in a prompt: each stands between marks drawn anew for each question.

Whoever wrote such a text cannot know the mark, so nothing in it can end its section, begin another or speak with our
voice. A mark that occurs in any of the texts is drawn again.
"""

import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

Draw = Callable[[], str]


class Fenced(NamedTuple):
    text: str
    mark: str


def new_mark() -> str:
    return secrets.token_hex(16)


def new_short_mark() -> str:
    """Nobody guesses it either; for prompts of many small sections, each of which has it twice."""
    return secrets.token_hex(8)


def fence(sections: Mapping[str, str], *, beside: Iterable[str] = (), draw: Draw = new_mark) -> Fenced:
    """Put every text into a section of its name; the mark occurs neither in one of them nor in those `beside`."""
    texts = [text.casefold() for text in (*sections.values(), *beside)]
    mark = draw()
    while any(mark.casefold() in text for text in texts):
        mark = draw()
    fenced = (f"<<{mark} {name}>>\n{text}\n<</{mark} {name}>>" for name, text in sections.items())
    return Fenced("\n\n".join(fenced), mark)


def cut(text: str, longest: int) -> str:
    """Shorten a text, and say by how much."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}… ({len(text) - longest} more characters)"


def as_json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def plain(text: str) -> str:
    """No request can carry half a character."""
    return text.encode("utf-8", "replace").decode()
