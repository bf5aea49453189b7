"""Where two behaviours first part ways."""

from typing import Any, NamedTuple


class Differs(NamedTuple):
    where: str
    """A path, a call, a word: in the words of the part it belongs to."""
    left: Any
    """None also where there is nothing on this side."""
    right: Any
