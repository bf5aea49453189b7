"""Orgs, people, keys and the audit log over HTTP."""

from typing import Annotated
from uuid import UUID

from fastapi import Depends, Response
from sqlalchemy.exc import IntegrityError

from odyssey.core.database import after_commit
from odyssey.core.depends import (
    ClockDep,
    Cursor,
    Limit,
    ObjectId,
    ReadSession,
    SignalsDep,
    SortedCursor,
    WriteSession,
)
from odyssey.core.errors import ConflictError, NotFoundError
from odyssey.core.paging import PageRequest, start_of
from odyssey.identity.bootstrap import new_key_row
from odyssey.identity.browser_sessions import set_password
from odyssey.identity.caller import Role, record_change
from odyssey.identity.guard import (
    Admin,
    Anyone,
    AttemptDep,
    GuardedRouter,
    RenewalDep,
    VaultDep,
    Viewer,
    returns_secret,
)
from odyssey.identity.models import ApiKey, AuditEntry, Org, Person
from odyssey.identity.open_streams import ACCESS_TOPIC
from odyssey.identity.repository import (
    PERSON_ORDER,
    find_key,
    find_org,
    find_person,
    list_audit_entries,
    list_keys,
    list_people,
    lock_admins,
    lock_person,
)
from odyssey.identity.schemas import (
    AuditEntryOut,
    AuditPage,
    KeyIn,
    KeyOut,
    KeysPage,
    NewKeyOut,
    OrgIn,
    OrgOut,
    PeoplePage,
    PersonChange,
    PersonIn,
    PersonOut,
    SignedIn,
    SignIn,
)
from odyssey.identity.signin import hash_password, sign_in
from odyssey.kit.clock import from_microseconds, microseconds
from odyssey.kit.ids import new_api_key
from odyssey.kit.pagination import DEFAULT_LIMIT, cut_page

router = GuardedRouter(prefix="/api", tags=["identity"])


@router.post("/auth/token", dependencies=[Depends(returns_secret)])
async def create_token(body: SignIn, caller: Anyone, attempt: AttemptDep, vault: VaultDep) -> SignedIn:
    return await sign_in(attempt, vault.master, email=body.email, password=body.password)


@router.get("/org")
async def get_org(caller: Viewer, session: ReadSession) -> OrgOut:
    return _org_out(await find_org(session, caller.org_id))


@router.put("/org")
async def rename_org(body: OrgIn, caller: Admin, session: WriteSession, clock: ClockDep) -> OrgOut:
    org = await find_org(session, caller.org_id)
    assert org is not None
    record_change(
        session,
        caller,
        clock,
        "org.rename",
        object_type="org",
        object_id=org.id,
        before=org.name,
        after=body.name,
    )
    org.name = body.name
    return _org_out(org)


@router.get("/people")
async def get_people(
    caller: Admin,
    session: ReadSession,
    cursor: SortedCursor = None,
    limit: Limit = DEFAULT_LIMIT,
    sort: Annotated[str | None, PERSON_ORDER] = None,
) -> PeoplePage:
    page = await list_people(session, caller.org_id, PageRequest(limit, cursor, sort))
    return PeoplePage(items=[_person_out(person) for person in page.items], next_cursor=page.next_cursor)


@router.post("/people", status_code=201)
async def create_person(body: PersonIn, caller: Admin, session: WriteSession, clock: ClockDep) -> PersonOut:
    password_hash = await hash_password(body.password) if body.password else None
    person = Person(
        org_id=caller.org_id,
        email=body.email,
        role=body.role,
        password_hash=password_hash,
        created_at=clock(),
    )
    session.add(person)
    try:
        await session.flush()
    except IntegrityError:
        raise ConflictError("Somebody in this organisation has that e-mail address already.") from None
    record_change(
        session, caller, clock, "person.create", object_type="person", object_id=person.id, after=body.role
    )
    return _person_out(person)


@router.put("/people/{person_id}")
async def change_person(
    person_id: ObjectId,
    body: PersonChange,
    caller: Admin,
    response: Response,
    session: WriteSession,
    signals: SignalsDep,
    clock: ClockDep,
    renewal: RenewalDep,
) -> PersonOut:
    """Change role or password. A new password ends the person's sessions, sign-in links and tokens.

    If it is your own, your browser gets a new session, as from `POST /api/auth/password`.
    """
    person = await _person(session, caller.org_id, person_id)
    if body.role is not None and body.role != person.role:
        await _keep_an_admin(session, person)
        record_change(
            session,
            caller,
            clock,
            "person.role",
            object_type="person",
            object_id=person.id,
            before=person.role,
            after=body.role,
        )
        person.role = body.role
    if body.password is not None:
        password_hash = await hash_password(body.password)
        locked = await lock_person(session, person.id)
        if locked is None:
            raise NotFoundError
        token = await set_password(session, signals, caller, clock, locked, password_hash)
        renewal.send(response, token)
    return _person_out(person)


@router.delete("/people/{person_id}", status_code=204)
async def delete_person(
    person_id: ObjectId, caller: Admin, session: WriteSession, signals: SignalsDep, clock: ClockDep
) -> None:
    person = await _person(session, caller.org_id, person_id)
    await _keep_an_admin(session, person)
    record_change(
        session, caller, clock, "person.delete", object_type="person", object_id=person.id, before=person.role
    )
    await session.delete(person)
    after_commit(session, lambda: signals.announce(ACCESS_TOPIC))


@router.get("/keys")
async def get_keys(
    caller: Admin, session: ReadSession, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> KeysPage:
    start = start_of(cursor)
    before = None if start is None else from_microseconds(start)
    rows = await list_keys(session, caller.org_id, before, limit + 1)
    page = cut_page(rows, limit, lambda key: microseconds(key.created_at))
    return KeysPage(items=[_key_out(key) for key in page.items], next_cursor=page.next_cursor)


@router.post("/keys", status_code=201, dependencies=[Depends(returns_secret)])
async def create_key(body: KeyIn, caller: Admin, session: WriteSession, clock: ClockDep) -> NewKeyOut:
    """Make a key that acts as you; it is shown this once."""
    person = await _person(session, caller.org_id, caller.person_id)
    secret = new_api_key()
    key = new_key_row(person, secret, body.name, clock)
    session.add(key)
    record_change(session, caller, clock, "key.create", object_type="key", object_id=key.id, after=body.name)
    return NewKeyOut(**(_key_out(key).model_dump() | {"key": secret}))


@router.delete("/keys/{key_id}", status_code=204)
async def delete_key(
    key_id: UUID, caller: Admin, session: WriteSession, signals: SignalsDep, clock: ClockDep
) -> None:
    key = await find_key(session, caller.org_id, str(key_id))
    if key is None:
        raise NotFoundError
    record_change(session, caller, clock, "key.delete", object_type="key", object_id=key.id, before=key.name)
    await session.delete(key)
    after_commit(session, lambda: signals.announce(ACCESS_TOPIC))


@router.get("/audit-log")
async def get_audit_log(
    caller: Admin, session: ReadSession, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> AuditPage:
    rows = await list_audit_entries(session, caller.org_id, start_of(cursor), limit + 1)
    page = cut_page(rows, limit, lambda entry: entry.id)
    return AuditPage(items=[_audit_out(entry) for entry in page.items], next_cursor=page.next_cursor)


async def _person(session: ReadSession, org_id: int, person_id: int) -> Person:
    person = await find_person(session, org_id, person_id)
    if person is None:
        raise NotFoundError
    return person


async def _keep_an_admin(session: ReadSession, person: Person) -> None:
    if person.role == Role.admin.name and not await lock_admins(session, person.org_id) - {person.id}:
        raise ConflictError("This is the only admin; make somebody else one first.")


def _org_out(org: Org | None) -> OrgOut:
    assert org is not None
    return OrgOut(id=org.id, name=org.name, created_at=org.created_at)


def _person_out(person: Person) -> PersonOut:
    return PersonOut.model_validate(
        {
            "id": person.id,
            "email": person.email,
            "role": person.role,
            "has_password": person.password_hash is not None,
            "created_at": person.created_at,
        }
    )


def _key_out(key: ApiKey) -> KeyOut:
    return KeyOut(
        id=key.id,
        name=key.name,
        person_id=key.person_id,
        key=f"****{key.last_four}",
        created_at=key.created_at,
    )


def _audit_out(entry: AuditEntry) -> AuditEntryOut:
    return AuditEntryOut.model_validate(entry, from_attributes=True)
