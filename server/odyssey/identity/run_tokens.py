"""Run tokens: minted when an attempt is dispatched, revoked when it ends, known to us only by hash."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, insert, update

from odyssey.core.tables import table_of
from odyssey.identity.keys import token_hash
from odyssey.identity.models import RunToken
from odyssey.kit.ids import new_jti, new_run_token

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
