"""Identifiers and secrets, drawn where they are needed and nowhere else."""

import secrets
import uuid

API_KEY_PREFIX = "pk_live_"
MAX_INTEGER_ID = 2**63 - 1


def new_uuid() -> str:
    return str(uuid.uuid4())


def new_api_key() -> str:
    return API_KEY_PREFIX + secrets.token_hex(20)


def new_run_token() -> str:
    """256 random bits, opaque to the agent that holds them."""
    return secrets.token_urlsafe(32)


def new_browser_token() -> str:
    """256 random bits for a session's cookie or a sign-in link; safe in both without quoting."""
    return secrets.token_urlsafe(32)


def new_jti() -> str:
    return secrets.token_hex(16)


def new_random_seed() -> int:
    """A 64-bit seed that survives every JSON number type: signed and exact."""
    return secrets.randbits(63)
