"""Keys derived from the one secret the operator holds, and the tokens of people and runs; no key is ever stored."""

import hashlib
import hmac
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import jwt
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from sqlalchemy import Connection, bindparam, insert, update

from odyssey.core.tables import table_of
from odyssey.identity.models import RunToken
from odyssey.kit.ids import new_jti, new_run_token


class MasterKey:
    def __init__(self, secret: str) -> None:
        if len(secret) < 32:
            raise ValueError(
                "the secret key must have at least 32 characters; make one with: openssl rand -hex 32"
            )
        self._secret = secret.encode("utf-8")
        self.id = hashlib.sha256(b"odyssey key id" + self._derive("id")).hexdigest()[:16]

    def __repr__(self) -> str:
        return f"MasterKey(id={self.id!r})"

    @property
    def wrapping_key(self) -> bytes:
        return self._derive("wrap data keys")

    @property
    def jwt_key(self) -> bytes:
        return self._derive("sign people's tokens")

    def digest(self, purpose: str, message: bytes) -> str:
        """Keyed hash, so that a copy of the database does not allow guessing the message."""
        return hmac.new(self._derive(purpose), message, hashlib.sha256).hexdigest()

    def _derive(self, purpose: str) -> bytes:
        derivation = HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=purpose.encode("utf-8"))
        return derivation.derive(self._secret)


def token_hash(token: str) -> str:
    """Every bearer secret meets the database only as this."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


# JWTs for people: one algorithm, twelve hours, nothing in them but who, where and under which password.

LIFETIME = timedelta(hours=12)
_BETWEEN_SERVERS = timedelta(seconds=5)
"""By how much the one who issued a token may be ahead of the one who reads it."""
_ALGORITHM = "HS256"
_AUDIENCE = "odyssey"
_REQUIRED = ["exp", "iat", "aud", "sub", "org", "password_version"]


class TokenRefusedError(Exception):
    """The token is not one of ours, or its time is over."""


class PersonToken(NamedTuple):
    person_id: int
    org_id: int
    password_version: int
    """A count rather than a time: no two clocks and no fraction of a second decide whether a token is too old."""


def issue_person_token(master: MasterKey, holder: PersonToken, now: datetime) -> str:
    claims = {
        "sub": str(holder.person_id),
        "org": holder.org_id,
        "password_version": holder.password_version,
        "aud": _AUDIENCE,
        "iat": now,
        "exp": now + LIFETIME,
    }
    return jwt.encode(claims, master.jwt_key, algorithm=_ALGORITHM)


def read_person_token(master: MasterKey, token: str, now: datetime) -> tuple[PersonToken, datetime]:
    """Read whose token it is and when it ends; good now means by the clock it was issued by, not by this machine's."""
    try:
        if set(jwt.get_unverified_header(token)) - {"alg", "typ"}:
            raise TokenRefusedError
        claims = jwt.decode(
            token,
            master.jwt_key,
            algorithms=[_ALGORITHM],
            audience=_AUDIENCE,
            options={"require": _REQUIRED, "verify_exp": False, "verify_iat": False},
        )
        if int(claims["iat"]) > (now + _BETWEEN_SERVERS).timestamp() or int(claims["exp"]) <= now.timestamp():
            raise TokenRefusedError
        holder = PersonToken(int(claims["sub"]), int(claims["org"]), int(claims["password_version"]))
        return holder, datetime.fromtimestamp(claims["exp"], UTC)
    except (jwt.PyJWTError, ValueError, TypeError) as error:
        raise TokenRefusedError from error


# Run tokens: minted when an attempt is dispatched, revoked when it ends, known to us only by hash.

_TOKENS = table_of(RunToken)
_STORE = insert(_TOKENS)
_REVOKE = (
    update(_TOKENS)
    .where(_TOKENS.c.run_id == bindparam("of_run"), _TOKENS.c.revoked_at.is_(None))
    .values(revoked_at=bindparam("now"))
)


class MintedToken(NamedTuple):
    """A new token and what is kept of it."""

    token: str
    jti: str
    org_id: int
    run_id: int
    attempt: int
    expires_at: datetime


def mint_run_token(*, org_id: int, run_id: int, attempt: int, expires_at: datetime) -> MintedToken:
    """Draw a token; it is good once it is stored."""
    return MintedToken(new_run_token(), new_jti(), org_id, run_id, attempt, expires_at)


def store_run_tokens(connection: Connection, minted: Sequence[MintedToken]) -> None:
    rows = []
    for each in minted:
        members = each._asdict()
        rows.append(members | {"token_hash": token_hash(members.pop("token"))})
    if rows:
        connection.execute(_STORE, rows)


def revoke_run_tokens(connection: Connection, run_ids: Collection[int], now: datetime) -> None:
    """Revoke the tokens of every attempt so far."""
    if run_ids:
        connection.execute(_REVOKE, [{"of_run": run_id, "now": now} for run_id in run_ids])
