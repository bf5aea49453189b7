"""OpenAPI documents that calls go by, read once and kept as long as there is room."""

import asyncio

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.endpoints.openapi.document import ApiDocument, read_document
from odyssey.journal.contents import load_text

MOST_CHARACTERS = 32 * 1024 * 1024


class Documents:
    """By hash; of those that are too many, the one unused for longest goes first."""

    def __init__(self, most_characters: int = MOST_CHARACTERS) -> None:
        self._most = most_characters
        self._kept: dict[str, tuple[int, ApiDocument]] = {}
        self._size = 0

    async def load(self, session: AsyncSession, org_id: int, digest: str) -> ApiDocument:
        kept = self._kept.pop(digest, None)
        if kept is None:
            text = await load_text(session, org_id, digest)
            kept = (len(text), await asyncio.to_thread(read_document, text))
            twin = self._kept.pop(digest, None)  # somebody else may have read it meanwhile
            self._size += kept[0] - (0 if twin is None else twin[0])
        self._kept[digest] = kept
        while self._size > self._most and len(self._kept) > 1:
            size, _ = self._kept.pop(next(iter(self._kept)))
            self._size -= size
        return kept[1]
