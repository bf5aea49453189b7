"""Secrets at rest: AES-256-GCM under a data key per org, itself wrapped by a key outside the database."""

import base64
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.identity.keys import MasterKey
from odyssey.identity.models import DataKey
from odyssey.kit.clock import Clock
from odyssey.kit.ids import new_uuid

_NONCE_BYTES = 12
_SHOWN = 4
_LONG_ENOUGH_TO_SHOW = 12


class UnsealError(Exception):
    """The secret cannot be opened with the key this server was started with."""


class Vault:
    def __init__(self, master: MasterKey, clock: Clock) -> None:
        self.master = master
        self._clock = clock

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
        newest = select(DataKey).where(DataKey.org_id == org_id).order_by(DataKey.created_at.desc()).limit(1)
        row = (await session.scalars(newest)).first()
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
