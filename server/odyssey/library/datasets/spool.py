"""Rows made ready to be stored, on disk until they are: a transaction then only writes, and memory stays bounded."""

import tempfile

import msgspec

from odyssey.library.seeds import Seed

_ROWS_AT_ONCE = 500
_SIZE_AT_ONCE = 4 * 1024 * 1024
_LENGTH_BYTES = 8


class ReadyRow(msgspec.Struct, array_like=True):
    position: int
    seed: bytes
    """As `Seed.stored()`, in JSON."""
    initial_state_hash: str
    conduct_hash: str | None
    row_hash: str


class Part(msgspec.Struct, array_like=True):
    rows: list[ReadyRow]
    documents: dict[str, str]
    """Initial states by hash, each once."""


class SpoolWriter:
    """Writes rows to the file of a spool, in whatever process they are read. Use it in `with`."""

    def __init__(self, path: str) -> None:
        self._file = open(path, "wb")  # noqa: SIM115  `__exit__` closes it
        self._part = Part([], {})
        self._size = 0

    def __enter__(self) -> "SpoolWriter":
        return self

    def __exit__(self, *error: object) -> None:
        self._put_away()
        self._file.close()

    def add(self, position: int, seed: Seed, size: int) -> None:
        self._part.rows.append(_ready(position, seed, self._part.documents))
        self._size += size
        if len(self._part.rows) >= _ROWS_AT_ONCE or self._size >= _SIZE_AT_ONCE:
            self._put_away()

    def _put_away(self) -> None:
        if self._part.rows:
            packed = msgspec.msgpack.encode(self._part)
            self._file.write(len(packed).to_bytes(_LENGTH_BYTES))
            self._file.write(packed)
        self._part, self._size = Part([], {}), 0


class Spool:
    """Reads rows that were written, some at a time. Use it in `with`: its file ends with the block."""

    def __init__(self) -> None:
        self._file = tempfile.NamedTemporaryFile()  # noqa: SIM115  `__exit__` closes it

    def __enter__(self) -> "Spool":
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    @property
    def path(self) -> str:
        return self._file.name

    def next_part(self) -> Part | None:
        length = self._file.read(_LENGTH_BYTES)
        if not length:
            return None
        return msgspec.msgpack.decode(self._file.read(int.from_bytes(length)), type=Part)


def _ready(position: int, seed: Seed, documents: dict[str, str]) -> ReadyRow:
    if seed.world is None:
        documents[seed.initial_state.hash] = seed.initial_state.text
        state_hash, conduct_hash = seed.initial_state.hash, None
    else:
        state_hash, conduct_hash = seed.world.state_hash, seed.world.conduct_hash
    row_hash = seed.row_hash(state_hash, conduct_hash)
    return ReadyRow(position, msgspec.json.encode(seed.stored()), state_hash, conduct_hash, row_hash)
