"""Run tokens: minted when an attempt is dispatched, revoked when it ends, known to us only by hash."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.identity.keys import token_hash
from odyssey.identity.models import RunToken
from odyssey.kit.ids import new_jti, new_run_token


class MintedToken(NamedTuple):
    token: str
    jti: str


def mint_run_token(
    session: AsyncSession, *, org_id: int, run_id: int, attempt: int, expires_at: datetime
) -> MintedToken:
    minted = MintedToken(new_run_token(), new_jti())
    session.add(
        RunToken(
            token_hash=token_hash(minted.token),
            jti=minted.jti,
            org_id=org_id,
            run_id=run_id,
            attempt=attempt,
            expires_at=expires_at,
        )
    )
    return minted


async def revoke_run_tokens(session: AsyncSession, run_id: int, now: datetime) -> None:
    live = update(RunToken).where(RunToken.run_id == run_id, RunToken.revoked_at.is_(None))
    await session.execute(live.values(revoked_at=now))


async def find_run_token(session: AsyncSession, token: str) -> RunToken | None:
    return await session.get(RunToken, token_hash(token))
