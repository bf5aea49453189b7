"""All SQL of identity."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.errors import NotFoundError
from odyssey.core.paging import ListOrder, PageRequest
from odyssey.identity.caller import Caller, Role
from odyssey.identity.models import (
    ApiKey,
    AuditEntry,
    BrowserSession,
    Credential,
    DataKey,
    IdempotentResponse,
    Org,
    Person,
    SigninFailure,
    SigninLink,
)
from odyssey.kit.pagination import Page

_SIGNINS = 0x0D_15_5E_8
"""The number of an advisory lock of Postgres."""

PERSON_ORDER = ListOrder(
    Person.id,
    {"id": Person.id, "email": Person.email, "role": Person.role, "created_at": Person.created_at},
)


async def any_org_exists(session: AsyncSession) -> bool:
    return (await session.scalar(select(Org.id).limit(1))) is not None


async def has_several_orgs(session: AsyncSession) -> bool:
    return len((await session.scalars(select(Org.id).limit(2))).all()) > 1


async def find_org(session: AsyncSession, org_id: int) -> Org | None:
    return await session.get(Org, org_id)


async def find_data_key(session: AsyncSession, org_id: int) -> DataKey | None:
    """The newest of the org: the one that seals."""
    newest = select(DataKey).where(DataKey.org_id == org_id).order_by(DataKey.created_at.desc()).limit(1)
    return (await session.scalars(newest)).first()


async def list_data_keys(session: AsyncSession) -> Sequence[DataKey]:
    return (await session.scalars(select(DataKey).order_by(DataKey.created_at))).all()


async def find_caller_by_key_hash(session: AsyncSession, key_hash: str) -> Caller | None:
    statement = (
        select(ApiKey, Person).join(Person, ApiKey.person_id == Person.id).where(ApiKey.key_hash == key_hash)
    )
    row = (await session.execute(statement)).first()
    if row is None:
        return None
    key, person = row
    return Caller(org_id=key.org_id, person_id=person.id, role=Role[person.role], key_id=key.id)


async def callers_known(session: AsyncSession, callers: Collection[Caller], now: datetime) -> set[Caller]:
    """Return those of the callers who would be let in now, with one statement for each way of coming in."""
    current = [caller for caller in callers if caller.expires_at is None or caller.expires_at > now]
    keys = [caller.key_id for caller in current if caller.key_id is not None]
    sessions = [caller.session_hash for caller in current if caller.session_hash is not None]
    people = [caller.person_id for caller in current if caller.password_version is not None]
    known: set[object] = set()
    if keys:
        known.update(await session.scalars(select(ApiKey.id).where(ApiKey.id.in_(keys))))
    if sessions:
        ours = select(BrowserSession.token_hash).where(BrowserSession.token_hash.in_(sessions))
        known.update(await session.scalars(ours))
    if people:
        versions = select(Person.id, Person.password_version).where(Person.id.in_(people))
        known.update(tuple(row) for row in await session.execute(versions))
    return {caller for caller in current if _way_in(caller) in known}


def _way_in(caller: Caller) -> object:
    return caller.key_id or caller.session_hash or (caller.person_id, caller.password_version)


async def find_person(session: AsyncSession, org_id: int, person_id: int) -> Person | None:
    return (
        await session.scalars(select(Person).where(Person.id == person_id, Person.org_id == org_id))
    ).first()


async def people_with_email(session: AsyncSession, email: str) -> Sequence[Person]:
    return (await session.scalars(select(Person).where(Person.email == email).order_by(Person.id))).all()


async def find_first_admin(session: AsyncSession, org_id: int | None = None) -> Person | None:
    """The admin who was there first, of the given org or else of the first one."""
    admins = select(Person).where(Person.role == Role.admin.name)
    if org_id is not None:
        admins = admins.where(Person.org_id == org_id)
    return (await session.scalars(admins.order_by(Person.org_id, Person.id).limit(1))).first()


async def lock_person(session: AsyncSession, person_id: int) -> Person | None:
    """Read a person as they are now, and keep others from changing them until this transaction ends.

    Whoever writes a person's sessions or links takes this lock first, so that all take them in one order.
    """
    statement = select(Person).where(Person.id == person_id).with_for_update()
    return (await session.scalars(statement.execution_options(populate_existing=True))).first()


async def lock_admins(session: AsyncSession, org_id: int) -> set[int]:
    """Ids of the org's admins, who stay admins until this transaction ends."""
    admins = select(Person.id).where(Person.org_id == org_id, Person.role == Role.admin.name)
    return set(await session.scalars(admins.order_by(Person.id).with_for_update()))


async def list_people(session: AsyncSession, org_id: int, page: PageRequest) -> Page[Person]:
    return await PERSON_ORDER.page(session, select(Person).where(Person.org_id == org_id), page)


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


async def lock_signins(session: AsyncSession) -> None:
    """Let nobody else count tries until this transaction ends. On SQLite only one writes anyway."""
    if session.get_bind().dialect.name != "sqlite":
        await session.execute(select(func.pg_advisory_xact_lock(_SIGNINS)))


async def count_signin_failures(
    session: AsyncSession, since: datetime, *, address: str | None = None, email_hash: str | None = None
) -> tuple[int, datetime | None]:
    """Count those of an address or of a person, whichever is given; also say when the first was."""
    whose = SigninFailure.email_hash == email_hash if address is None else SigninFailure.address == address
    found = select(func.count(), func.min(SigninFailure.occurred_at)).where(
        whose, SigninFailure.occurred_at > since
    )
    number, first_at = (await session.execute(found)).one()
    return number, first_at


async def forget_signin_failure(session: AsyncSession, failure_id: int) -> None:
    await session.execute(delete(SigninFailure).where(SigninFailure.id == failure_id))


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


async def find_browser_session(
    session: AsyncSession, session_hash: str, now: datetime
) -> tuple[BrowserSession, Person] | None:
    statement = (
        select(BrowserSession, Person)
        .join(Person, BrowserSession.person_id == Person.id)
        .where(BrowserSession.token_hash == session_hash, BrowserSession.expires_at > now)
    )
    row = (await session.execute(statement)).first()
    return None if row is None else (row[0], row[1])


async def end_browser_session(session: AsyncSession, session_hash: str) -> None:
    await session.execute(delete(BrowserSession).where(BrowserSession.token_hash == session_hash))


async def end_browser_sessions(session: AsyncSession, person_id: int) -> None:
    await session.execute(delete(BrowserSession).where(BrowserSession.person_id == person_id))


async def forget_expired_sessions(session: AsyncSession, person_id: int, now: datetime) -> None:
    theirs = delete(BrowserSession).where(BrowserSession.person_id == person_id)
    await session.execute(theirs.where(BrowserSession.expires_at <= now))


async def use_signin_link(session: AsyncSession, link_hash: str, now: datetime) -> Person | None:
    """Take the link away and return whose it was; of several who try at once one gets the person."""
    usable = (SigninLink.token_hash == link_hash, SigninLink.expires_at > now)
    person_id = await session.scalar(select(SigninLink.person_id).where(*usable))
    person = None if person_id is None else await lock_person(session, person_id)
    taken = await session.scalar(delete(SigninLink).where(*usable).returning(SigninLink.person_id))
    return None if taken is None else person


async def forget_signin_links(session: AsyncSession, person_id: int, before: datetime | None = None) -> None:
    theirs = delete(SigninLink).where(SigninLink.person_id == person_id)
    if before is not None:
        theirs = theirs.where(SigninLink.expires_at <= before)
    await session.execute(theirs)


# All SQL of credentials. Every look-up names the org.

CREDENTIAL_ORDER = ListOrder(
    Credential.number,
    {
        "name": Credential.name,
        "created_at": Credential.created_at,
        "updated_at": Credential.updated_at,
    },
)


async def find_credential(
    session: AsyncSession, org_id: int, name: str, *, lock: bool = False
) -> Credential | None:
    statement = select(Credential).where(Credential.org_id == org_id, Credential.name == name)
    if lock:
        statement = statement.with_for_update().execution_options(populate_existing=True)
    return (await session.scalars(statement)).first()


async def get_credential(session: AsyncSession, org_id: int, name: str) -> Credential:
    """Lock one that is about to be changed."""
    found = await find_credential(session, org_id, name, lock=True)
    if found is None:
        raise NotFoundError
    return found


async def list_credentials(session: AsyncSession, org_id: int, page: PageRequest) -> Page[Credential]:
    statement = select(Credential).where(Credential.org_id == org_id)
    return await CREDENTIAL_ORDER.page(session, statement, page)


async def all_credentials(session: AsyncSession, org_id: int) -> Sequence[Credential]:
    return (await session.scalars(select(Credential).where(Credential.org_id == org_id))).all()


async def names_like(session: AsyncSession, org_id: int, start: str) -> set[str]:
    """Return the names that begin so."""
    begins = Credential.name.startswith(start, autoescape=True)
    statement = select(Credential.name).where(Credential.org_id == org_id, begins)
    return set((await session.scalars(statement)).all())
