"""How much work one document may cause: references let a small text stand for any amount of it."""

from typing import Any

import msgspec

EFFORT = 64 * 1024 * 1024
"""In bytes of JSON gone through, for all schemas of a document together; some tens of seconds at the very worst."""

LARGEST_PART = 1024 * 1024


class Effort:
    def __init__(self, left: int = EFFORT) -> None:
        self._left = left

    def allows(self, part: Any) -> bool:
        """Whether a part of the document may be gone through; it is counted as if it were."""
        size = len(msgspec.json.encode(part))
        return size <= LARGEST_PART and self.spend(size)

    def spend(self, size: int) -> bool:
        self._left -= size
        return self._left > 0
