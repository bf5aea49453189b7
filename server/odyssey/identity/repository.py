"""All SQL of identity."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.identity.caller import Caller, Role
from odyssey.identity.models import ApiKey, AuditEntry, IdempotentResponse, Org, Person, SigninFailure


async def any_org_exists(session: AsyncSession) -> bool:
    return (await session.scalar(select(Org.id).limit(1))) is not None


async def find_org(session: AsyncSession, org_id: int) -> Org | None:
    return await session.get(Org, org_id)


async def find_caller_by_key_hash(session: AsyncSession, key_hash: str) -> Caller | None:
    statement = (
        select(ApiKey, Person).join(Person, ApiKey.person_id == Person.id).where(ApiKey.key_hash == key_hash)
    )
    row = (await session.execute(statement)).first()
    if row is None:
        return None
    key, person = row
    return Caller(org_id=key.org_id, person_id=person.id, role=Role[person.role], key_id=key.id)


async def find_person(session: AsyncSession, org_id: int, person_id: int) -> Person | None:
    return (
        await session.scalars(select(Person).where(Person.id == person_id, Person.org_id == org_id))
    ).first()


async def people_with_email(session: AsyncSession, email: str) -> Sequence[Person]:
    return (await session.scalars(select(Person).where(Person.email == email).order_by(Person.id))).all()


async def lock_admins(session: AsyncSession, org_id: int) -> set[int]:
    """Ids of the org's admins, who stay admins until this transaction ends."""
    admins = select(Person.id).where(Person.org_id == org_id, Person.role == Role.admin.name)
    return set(await session.scalars(admins.order_by(Person.id).with_for_update()))


async def list_people(
    session: AsyncSession, org_id: int, before_id: int | None, limit: int
) -> Sequence[Person]:
    statement = select(Person).where(Person.org_id == org_id).order_by(Person.id.desc()).limit(limit)
    if before_id is not None:
        statement = statement.where(Person.id < before_id)
    return (await session.scalars(statement)).all()


async def list_keys(
    session: AsyncSession, org_id: int, before: datetime | None, limit: int
) -> Sequence[ApiKey]:
    statement = select(ApiKey).where(ApiKey.org_id == org_id).order_by(ApiKey.created_at.desc()).limit(limit)
    if before is not None:
        statement = statement.where(ApiKey.created_at < before)
    return (await session.scalars(statement)).all()


async def find_key(session: AsyncSession, org_id: int, key_id: str) -> ApiKey | None:
    return (await session.scalars(select(ApiKey).where(ApiKey.id == key_id, ApiKey.org_id == org_id))).first()


async def list_audit_entries(
    session: AsyncSession, org_id: int, before_id: int | None, limit: int
) -> Sequence[AuditEntry]:
    statement = (
        select(AuditEntry).where(AuditEntry.org_id == org_id).order_by(AuditEntry.id.desc()).limit(limit)
    )
    if before_id is not None:
        statement = statement.where(AuditEntry.id < before_id)
    return (await session.scalars(statement)).all()


async def count_signin_failures(session: AsyncSession, address: str, since: datetime) -> int:
    statement = select(func.count()).where(
        SigninFailure.address == address, SigninFailure.occurred_at > since
    )
    return await session.scalar(statement) or 0


async def forget_signin_failures(session: AsyncSession, before: datetime) -> None:
    await session.execute(delete(SigninFailure).where(SigninFailure.occurred_at <= before))


async def find_idempotent_response(
    session: AsyncSession, scope: str, since: datetime
) -> IdempotentResponse | None:
    statement = select(IdempotentResponse).where(
        IdempotentResponse.scope == scope, IdempotentResponse.created_at > since
    )
    return (await session.scalars(statement)).first()


async def forget_idempotent_responses(session: AsyncSession, before: datetime) -> None:
    await session.execute(delete(IdempotentResponse).where(IdempotentResponse.created_at <= before))
