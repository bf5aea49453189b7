"""Secrets at rest: AES-256-GCM under a data key per org, itself wrapped by a key outside the database."""

import base64
import logging
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.identity.keys import MasterKey
from odyssey.identity.models import DataKey
from odyssey.identity.repository import find_data_key, list_data_keys
from odyssey.kit.clock import Clock
from odyssey.kit.ids import new_uuid

log = logging.getLogger(__name__)

_NONCE_BYTES = 12
_SHOWN = 4
_LONG_ENOUGH_TO_SHOW = 12


class UnsealError(Exception):
    """The secret cannot be opened with the key this server was started with."""


class Vault:
    def __init__(self, master: MasterKey, clock: Clock) -> None:
        self.master = master
        self._clock = clock

    async def check_key(self, session: AsyncSession) -> None:
        """Raise UnsealError if the server's key opens none of the keys in the database.

        If it opens some, then earlier servers had several keys; no key opens everything, so it may as well be this one.
        """
        rows = await list_data_keys(session)
        closed: list[tuple[int, UnsealError]] = []
        for row in rows:
            try:
                self._unwrap(row)
            except UnsealError as error:
                closed.append((row.org_id, error))
        if closed and len(closed) == len(rows):
            raise closed[0][1]
        for org_id, why in closed:
            log.warning("secrets of an organisation stay closed", extra={"org_id": org_id, "why": str(why)})

    async def ensure_data_key(self, session: AsyncSession, org_id: int) -> None:
        """See to it that there is a key by which the next start can tell whether the server's is still the same."""
        await self._current_key(session, org_id)

    async def seal(self, session: AsyncSession, org_id: int, purpose: str, secret: str) -> str:
        """Encrypt for one org and one purpose; it opens for no other."""
        key_id, key = await self._current_key(session, org_id)
        nonce = os.urandom(_NONCE_BYTES)
        sealed = AESGCM(key).encrypt(nonce, secret.encode("utf-8"), _context(org_id, purpose))
        return f"{key_id}:{base64.b64encode(nonce + sealed).decode('ascii')}"

    async def open(self, session: AsyncSession, org_id: int, purpose: str, sealed: str) -> str:
        key_id, _, payload = sealed.partition(":")
        row = await session.get(DataKey, key_id)
        if row is None or row.org_id != org_id:
            raise UnsealError("the data key of this secret is gone")
        key = self._unwrap(row)
        try:
            raw = base64.b64decode(payload, validate=True)
            opened = AESGCM(key).decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], _context(org_id, purpose))
        except (InvalidTag, ValueError) as error:
            raise UnsealError("the secret was sealed for something else, or is damaged") from error
        return opened.decode("utf-8")

    async def _current_key(self, session: AsyncSession, org_id: int) -> tuple[str, bytes]:
        row = await find_data_key(session, org_id)
        if row is not None:
            return row.id, self._unwrap(row)
        key, key_id, nonce = AESGCM.generate_key(256), new_uuid(), os.urandom(_NONCE_BYTES)
        wrapped = nonce + AESGCM(self.master.wrapping_key).encrypt(nonce, key, _context(org_id, key_id))
        session.add(
            DataKey(
                id=key_id,
                org_id=org_id,
                master_key_id=self.master.id,
                wrapped=wrapped,
                created_at=self._clock(),
            )
        )
        await session.flush()
        return key_id, key

    def _unwrap(self, row: DataKey) -> bytes:
        nonce, wrapped = row.wrapped[:_NONCE_BYTES], row.wrapped[_NONCE_BYTES:]
        try:
            return AESGCM(self.master.wrapping_key).decrypt(nonce, wrapped, _context(row.org_id, row.id))
        except InvalidTag as error:
            raise UnsealError(
                f"secrets were sealed under key {row.master_key_id}, this server has {self.master.id}; "
                "start it with the ODYSSEY_SECRET_KEY it had before"
            ) from error


def hint_of(secret: str) -> str:
    """Enough to tell two secrets apart; of a short one, nothing."""
    return "****" + (secret[-_SHOWN:] if len(secret) >= _LONG_ENOUGH_TO_SHOW else "")


def _context(org_id: int, purpose: str) -> bytes:
    return f"{org_id}|{purpose}".encode()
