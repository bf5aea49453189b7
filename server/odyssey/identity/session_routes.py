"""Signing in with a browser, signing out, and one's own password."""

from datetime import datetime

from fastapi import Depends, Request, Response

from odyssey.core.database import after_commit
from odyssey.core.depends import ClockDep, ReadSession, SignalsDep, WriteSession
from odyssey.core.errors import NotFoundError, ValidationFailedError
from odyssey.identity.browser_sessions import (
    BegunSession,
    begin_session_by_link,
    begin_session_by_password,
    change_own_password,
)
from odyssey.identity.caller import record_change
from odyssey.identity.guard import (
    Anyone,
    AttemptDep,
    GuardedRouter,
    RenewalDep,
    SiteDep,
    VaultDep,
    Viewer,
    returns_secret,
)
from odyssey.identity.models import Org, Person
from odyssey.identity.open_streams import ACCESS_TOPIC
from odyssey.identity.repository import end_browser_session, find_browser_session, find_org, find_person
from odyssey.identity.schemas import PasswordChange, SessionIn, SessionOut
from odyssey.identity.signin import SigninAttempt
from odyssey.identity.site import csrf_token
from odyssey.records.problems import FieldError

router = GuardedRouter(prefix="/api/auth", tags=["identity"])


@router.post("/session", dependencies=[Depends(returns_secret)])
async def begin_session(
    body: SessionIn,
    caller: Anyone,
    request: Request,
    response: Response,
    attempt: AttemptDep,
    site: SiteDep,
    vault: VaultDep,
) -> SessionOut:
    """Sign a browser in, by a sign-in link or by e-mail and password; the session is its cookie."""
    site.check_origin(request)
    begun = await _begin(body, attempt)
    site.set_cookie(response, begun.token)
    response.headers["Cache-Control"] = "no-store"
    return _session_out(
        begun.person, begun.org, csrf=csrf_token(vault.master, begun.token), expires_at=begun.expires_at
    )


@router.get("/session")
async def get_session(
    caller: Viewer,
    request: Request,
    response: Response,
    session: ReadSession,
    clock: ClockDep,
    site: SiteDep,
    vault: VaultDep,
) -> SessionOut:
    """Tell who you are. `csrf_token` and `expires_at` belong to a browser's session; others have none."""
    response.headers["Cache-Control"] = "no-store"
    person = await find_person(session, caller.org_id, caller.person_id)
    org = await find_org(session, caller.org_id)
    if person is None or org is None:
        raise NotFoundError
    token = site.session_token(request)
    if caller.session_hash is None or token is None:
        return _session_out(person, org)
    found = await find_browser_session(session, caller.session_hash, clock())
    expires_at = None if found is None else found[0].expires_at
    return _session_out(person, org, csrf=csrf_token(vault.master, token), expires_at=expires_at)


@router.delete("/session", status_code=204)
async def end_session(
    caller: Viewer,
    response: Response,
    session: WriteSession,
    signals: SignalsDep,
    clock: ClockDep,
    site: SiteDep,
) -> None:
    """Sign this browser out; a key or token has no session, and nothing happens."""
    if caller.session_hash is None:
        return
    await end_browser_session(session, caller.session_hash)
    record_change(session, caller, clock, "session.end", object_type="person", object_id=caller.person_id)
    after_commit(session, lambda: signals.announce(ACCESS_TOPIC))
    site.clear_cookie(response)


@router.post("/password", status_code=204, dependencies=[Depends(returns_secret)])
async def change_password(
    body: PasswordChange,
    caller: Viewer,
    response: Response,
    attempt: AttemptDep,
    signals: SignalsDep,
    renewal: RenewalDep,
) -> None:
    """Set your own password. Your sessions, sign-in links and tokens end; API keys stay.

    A browser gets a new session: its cookie, and its CSRF token in the header `X-CSRF-Token`.
    """
    token = await change_own_password(
        attempt, signals, caller, password=body.password, current_password=body.current_password
    )
    renewal.send(response, token)


async def _begin(body: SessionIn, attempt: SigninAttempt) -> BegunSession:
    by_password = {"email": body.email, "password": body.password}
    if body.link is not None:
        extra = [name for name, value in by_password.items() if value is not None]
        if extra:
            raise _faults(extra, "leave it out; a link is enough")
        return await begin_session_by_link(attempt, body.link)
    if body.email is None or body.password is None:
        missing = [name for name, value in by_password.items() if value is None]
        raise _faults(missing, "is required, unless you send a link")
    return await begin_session_by_password(attempt, email=body.email, password=body.password)


def _faults(members: list[str], fault: str) -> ValidationFailedError:
    return ValidationFailedError([FieldError(loc=(member,), msg=f"{member}: {fault}") for member in members])


def _session_out(
    person: Person, org: Org, *, csrf: str | None = None, expires_at: datetime | None = None
) -> SessionOut:
    return SessionOut.model_validate(
        {
            "person": {"id": person.id, "email": person.email, "role": person.role},
            "org": {"id": org.id, "name": org.name},
            "csrf_token": csrf,
            "expires_at": expires_at,
        }
    )
