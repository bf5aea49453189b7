"""Passwords, argon2id. Hashing takes a tenth of a second on purpose, so it never runs on the event loop."""

import asyncio
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

HASHER = PasswordHasher()


async def hash_password(password: str) -> str:
    return await asyncio.to_thread(HASHER.hash, password)


async def password_matches(password_hash: str | None, password: str) -> bool:
    """Compare in the same time whether or not there is a password to compare with."""
    return await asyncio.to_thread(_verify, password_hash, password)


def _verify(password_hash: str | None, password: str) -> bool:
    try:
        HASHER.verify(password_hash or _nobody(), password)
    except (VerifyMismatchError, InvalidHashError):
        return False
    return password_hash is not None


@cache
def _nobody() -> str:
    """Make a hash to compare with where there is none; not on import, which every command would wait for."""
    return HASHER.hash("nobody has this password")
