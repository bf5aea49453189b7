"""Tokens of people: what the server did not sign, or signed for something else, opens nothing."""

import base64
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import jwt
import pytest
from support.platform import SECRET_KEY, Org, Platform

from odyssey.identity.keys import (
    MasterKey,
    PersonToken,
    TokenRefusedError,
    issue_person_token,
    read_person_token,
)

MASTER = MasterKey(SECRET_KEY)
HOUR = timedelta(hours=1)
SOMEBODY = PersonToken(person_id=7, org_id=3, password_version=2)

Claims = dict[str, Any]


def claims_of(org: Org) -> Claims:
    (person,) = org.ok(org.get("/api/people"))["items"]
    now = datetime.now(UTC)
    return {
        "sub": str(person["id"]),
        "org": org.ok(org.get("/api/org"))["id"],
        "password_version": 0,
        "aud": "odyssey",
        "iat": now,
        "exp": now + HOUR,
    }


def signed(claims: Claims, key: bytes = MASTER.jwt_key, **options: Any) -> str:
    return jwt.encode(claims, key, **{"algorithm": "HS256", **options})


def present(platform: Platform, token: str) -> httpx.Response:
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.get(f"{platform.url}/api/people", headers=headers, timeout=60, trust_env=False)


def part(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def without(claims: Claims, name: str) -> Claims:
    return {key: value for key, value in claims.items() if key != name}


def unsigned(claims: Claims) -> str:
    return jwt.encode(claims, "", algorithm="none")


def with_swapped_header(claims: Claims) -> str:
    _, body, signature = signed(claims).split(".")
    return f"{part({'alg': 'none', 'typ': 'JWT'})}.{body}.{signature}"


def with_swapped_body(claims: Claims) -> str:
    head, _, signature = signed(claims).split(".")
    return f"{head}.{part(claims | {'iat': 0, 'exp': 2**40})}.{signature}"


FORGERIES: dict[str, Callable[[Claims], str]] = {
    "alg none": unsigned,
    "alg none on a signed token": with_swapped_header,
    "another body": with_swapped_body,
    "no signature": lambda claims: signed(claims).rpartition(".")[0] + ".",
    "two parts": lambda claims: signed(claims).rpartition(".")[0],
    "another key": lambda claims: signed(
        claims, MasterKey("another secret key of the same length..").jwt_key
    ),
    "the secret itself as key": lambda claims: signed(claims, SECRET_KEY.encode()),
    "another key of the same secret": lambda claims: signed(claims, MASTER.wrapping_key),
    "another algorithm": lambda claims: signed(claims, algorithm="HS512", key=MASTER.jwt_key * 2),
    "the right key by another algorithm": lambda claims: signed(
        claims, algorithm="HS384", key=MASTER.jwt_key + bytes(16)
    ),
    "another audience": lambda claims: signed(claims | {"aud": "somebody"}),
    "no audience": lambda claims: signed(without(claims, "aud")),
    "no exp": lambda claims: signed(without(claims, "exp")),
    "no iat": lambda claims: signed(without(claims, "iat")),
    "no sub": lambda claims: signed(without(claims, "sub")),
    "no org": lambda claims: signed(without(claims, "org")),
    "no password version": lambda claims: signed(without(claims, "password_version")),
    "another password": lambda claims: signed(claims | {"password_version": 1}),
    "expired 61 s ago": lambda claims: signed(claims | {"exp": datetime.now(UTC) - timedelta(seconds=61)}),
    "issued tomorrow": lambda claims: signed(claims | {"iat": datetime.now(UTC) + timedelta(days=1)}),
    "kid": lambda claims: signed(claims, headers={"kid": "../../dev/null"}),
    "jku": lambda claims: signed(claims, headers={"jku": "http://127.0.0.1:9/keys"}),
    "jwk": lambda claims: signed(claims, headers={"jwk": {"kty": "oct", "k": "AAAA"}}),
    "x5u": lambda claims: signed(claims, headers={"x5u": "http://127.0.0.1:9/"}),
    "crit": lambda claims: signed(claims, headers={"crit": ["x"], "x": 1}),
    "sub not a number": lambda claims: signed(claims | {"sub": "admin"}),
    "org a list": lambda claims: signed(claims | {"org": [1]}),
    "nobody": lambda claims: signed(claims | {"sub": str(2**40)}),
    "deep header": lambda claims: base64.urlsafe_b64encode(b"[" * 5000).decode() + ".e30.e30",
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES.keys())
def test_a_forged_token_is_401(org: Org, platform: Platform, forge: Callable[[Claims], str]) -> None:
    claims = claims_of(org)
    assert present(platform, signed(claims)).status_code == 200
    answer = present(platform, forge(claims))
    assert (answer.status_code, answer.json()["code"]) == (401, "auth_required")


def test_a_person_is_nobody_in_another_org(org: Org, other_org: Org, platform: Platform) -> None:
    here, there = claims_of(org), claims_of(other_org)
    for mixed in (here | {"org": there["org"]}, here | {"sub": there["sub"]}):
        assert present(platform, signed(mixed)).status_code == 401


def test_a_token_lives_for_twelve_hours() -> None:
    now = datetime.now(UTC)
    issued_at = (now - timedelta(hours=11, minutes=58)).replace(microsecond=0)
    young = issue_person_token(MASTER, SOMEBODY, issued_at)
    assert read_person_token(MASTER, young, now) == (SOMEBODY, issued_at + timedelta(hours=12))
    old = issue_person_token(MASTER, SOMEBODY, now - timedelta(hours=12, minutes=2))
    with pytest.raises(TokenRefusedError):
        read_person_token(MASTER, old, now)


def test_a_token_holds_nothing_but_who_where_and_under_which_password() -> None:
    token = issue_person_token(MASTER, SOMEBODY, datetime.now(UTC))
    assert jwt.get_unverified_header(token) == {"alg": "HS256", "typ": "JWT"}
    read = jwt.decode(token, options={"verify_signature": False})
    assert read.keys() == {"sub", "org", "password_version", "aud", "iat", "exp"}


def test_a_secret_key_that_is_too_short_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 32 characters"):
        MasterKey("x" * 31)
    assert SECRET_KEY not in repr(MASTER)
