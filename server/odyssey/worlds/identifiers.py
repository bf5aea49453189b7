"""New ids that look like the ids a world already has; the same seed and call give the same id."""

import hashlib
import re
import uuid
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from itertools import count

from odyssey.kit.words import singular, tokens
from odyssey.worlds.ledger import Ledger

_NUMBERED = re.compile(r"(.*?)([0-9]{1,18})", re.DOTALL)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_CODE = re.compile(r"(?=.*[0-9])(?=.*[A-Z])[A-Z0-9]{4,24}|[A-Z]{4,12}")
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_HEX = re.compile(r"(?=.*[a-f])[0-9a-f]{8,64}")
SAMPLE = 100
"""How many of the newest ids are looked at, beside the oldest: enough to see a style, whatever the size."""


def new_id(
    world: Ledger, entity_type: str, drawn: Sequence[str] = (), *, random_seed: int, sequence: int
) -> str:
    """An id for one more entity of a type, that none has and that was not `drawn` for another one."""
    newest = world.newest_ids(entity_type, SAMPLE)
    seen = dict.fromkeys([*world.sample(entity_type).entities, *reversed(newest), *drawn[-1:]])
    entities = world.entities(entity_type)
    return next_id(entity_type, list(seen), entities, drawn, random_seed=random_seed, sequence=sequence)


def next_id(noun: str, seen: list[str], *taken: Container[str], random_seed: int, sequence: int) -> str:
    """An id that is in none of those `taken`.

    It follows the style of at least half of the ids that were `seen`, or names the noun and counts.
    """
    if _most(seen, _UUID):
        return _drawn(taken, random_seed, sequence, _as_uuid)
    if _most(seen, _HEX):
        length = Counter(len(each) for each in seen if _HEX.fullmatch(each)).most_common(1)[0][0]
        return _drawn(taken, random_seed, sequence, lambda digest: digest.hex()[:length])
    numbered = _numbered(seen)
    if numbered is None and _most(seen, _CODE) and len({len(each) for each in seen}) == 1:
        return _drawn(taken, random_seed, sequence, lambda digest: _as_code(digest, len(seen[0])))
    numbered = numbered or _named(noun, len(seen))
    return _first_free(numbered, taken)


def _most(ids: list[str], style: re.Pattern[str]) -> bool:
    return bool(ids) and 2 * sum(1 for each in ids if style.fullmatch(each)) >= len(ids)


def _first_free(ids: Iterator[str], taken: Sequence[Container[str]]) -> str:
    return next(each for each in ids if not any(each in others for others in taken))


def _drawn(
    taken: Sequence[Container[str]], random_seed: int, sequence: int, render: Callable[[bytes], str]
) -> str:
    draws = (hashlib.sha256(f"id:{random_seed}:{sequence}:{draw}".encode()).digest() for draw in count())
    return _first_free((render(draw) for draw in draws), taken)


def _as_uuid(digest: bytes) -> str:
    return str(uuid.UUID(bytes=digest[:16], version=4))


def _as_code(digest: bytes, length: int) -> str:
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in digest[:length])


def _numbered(seen: list[str]) -> Iterator[str] | None:
    """The numbers after the highest, behind the commonest prefix."""
    matches = [found for each in seen if (found := _NUMBERED.fullmatch(each))]
    if not matches:
        return None
    prefix, shared = Counter(found[1] for found in matches).most_common(1)[0]
    if 2 * shared < len(seen):
        return None
    highest = max((found[2] for found in matches if found[1] == prefix), key=int)
    return (f"{prefix}{number:0{len(highest)}d}" for number in count(int(highest) + 1))


def _named(noun: str, seen: int) -> Iterator[str]:
    words = tokens(noun)
    stem = "_".join((*words[:-1], singular(words[-1]))) if words else noun
    return (f"{stem}_{number}" for number in count(seen + 1))
