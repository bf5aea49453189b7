"""JWTs for people: one algorithm, twelve hours, nothing in them but who and where."""

from datetime import datetime, timedelta

import jwt

from odyssey.identity.keys import MasterKey

LIFETIME = timedelta(hours=12)
_ALGORITHM = "HS256"
_AUDIENCE = "odyssey"
_REQUIRED = ["exp", "iat", "aud", "sub", "org"]


class TokenRefusedError(Exception):
    """The token is not one of ours, or its time is over."""


def issue_person_token(master: MasterKey, *, person_id: int, org_id: int, now: datetime) -> str:
    claims = {"sub": str(person_id), "org": org_id, "aud": _AUDIENCE, "iat": now, "exp": now + LIFETIME}
    return jwt.encode(claims, master.jwt_key, algorithm=_ALGORITHM)


def read_person_token(master: MasterKey, token: str) -> tuple[int, int]:
    """Return (person id, org id)."""
    try:
        if set(jwt.get_unverified_header(token)) - {"alg", "typ"}:
            raise TokenRefusedError
        claims = jwt.decode(
            token, master.jwt_key, algorithms=[_ALGORITHM], audience=_AUDIENCE, options={"require": _REQUIRED}
        )
        return int(claims["sub"]), int(claims["org"])
    except (jwt.PyJWTError, ValueError, TypeError) as error:
        raise TokenRefusedError from error
