"""New ids that look like the ids a world already has; the same seed and call give the same id."""

import hashlib
import re
import uuid
from collections import Counter
from collections.abc import Callable, Collection
from itertools import count

from odyssey.simulation.world.words import singular, tokens

_NUMBERED = re.compile(r"(.*?)([0-9]{1,18})", re.DOTALL)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_HEX = re.compile(r"(?=.*[a-f])[0-9a-f]{8,64}")


def new_id(entity_type: str, taken: Collection[str], *, random_seed: int, sequence: int) -> str:
    """Follow the style of at least half of the ids in `taken`, or name the type and count."""
    ids = list(taken)
    if _most(ids, _UUID):
        return _drawn(ids, random_seed, sequence, _as_uuid)
    if _most(ids, _HEX):
        length = Counter(len(each) for each in ids if _HEX.fullmatch(each)).most_common(1)[0][0]
        return _drawn(ids, random_seed, sequence, lambda digest: digest.hex()[:length])
    return _next_number(ids) or _counted(entity_type, ids)


def _most(ids: list[str], style: re.Pattern[str]) -> bool:
    return bool(ids) and 2 * sum(1 for each in ids if style.fullmatch(each)) >= len(ids)


def _drawn(ids: list[str], random_seed: int, sequence: int, render: Callable[[bytes], str]) -> str:
    for draw in count():
        candidate = render(hashlib.sha256(f"id:{random_seed}:{sequence}:{draw}".encode()).digest())
        if candidate not in ids:
            return candidate
    raise AssertionError("count() does not end")


def _as_uuid(digest: bytes) -> str:
    return str(uuid.UUID(bytes=digest[:16], version=4))


def _next_number(ids: list[str]) -> str | None:
    matches = [found for each in ids if (found := _NUMBERED.fullmatch(each))]
    if not matches:
        return None
    prefix, shared = Counter(found[1] for found in matches).most_common(1)[0]
    if 2 * shared < len(ids):
        return None
    highest = max((found[2] for found in matches if found[1] == prefix), key=int)
    return f"{prefix}{int(highest) + 1:0{len(highest)}d}"


def _counted(entity_type: str, ids: list[str]) -> str:
    words = tokens(entity_type)
    stem = "_".join((*words[:-1], singular(words[-1]))) if words else entity_type
    numbers = count(len(ids) + 1)
    return next(candidate for number in numbers if (candidate := f"{stem}_{number}") not in ids)
