"""JWTs for people: one algorithm, twelve hours, nothing in them but who, where and under which password."""

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import jwt

from odyssey.identity.keys import MasterKey

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


class ReadToken(NamedTuple):
    holder: PersonToken
    expires_at: datetime


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


def read_person_token(master: MasterKey, token: str, now: datetime) -> ReadToken:
    """Read a token that is good now: by the clock it was issued by, not by the one of this machine."""
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
        return ReadToken(holder, datetime.fromtimestamp(claims["exp"], UTC))
    except (jwt.PyJWTError, ValueError, TypeError) as error:
        raise TokenRefusedError from error
