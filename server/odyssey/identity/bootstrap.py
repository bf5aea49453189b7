"""What a new server settles: the first org, its admin and their key, and whether it may reach its own machine."""

import logging
import re
from ipaddress import ip_address
from urllib.parse import urlsplit

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.addresses import AddressPolicy, parse_allow_list
from odyssey.core.database import Database
from odyssey.core.settings import LOOPBACK_HOSTS, Settings
from odyssey.identity.caller import Role
from odyssey.identity.keys import token_hash
from odyssey.identity.models import ApiKey, Org, Person
from odyssey.identity.repository import any_org_exists, has_several_orgs
from odyssey.kit.clock import Clock
from odyssey.kit.ids import API_KEY_PREFIX, new_api_key, new_uuid

_API_KEY = re.compile(rf"{API_KEY_PREFIX}[0-9a-f]{{40}}")


def check_api_key_shape(key: str) -> None:
    if not _API_KEY.fullmatch(key):
        raise ValueError("ODYSSEY_BOOTSTRAP_API_KEY must be pk_live_ followed by 40 lower-case hex digits")


async def create_org(
    session: AsyncSession, clock: Clock, *, name: str, admin_email: str, api_key: str | None = None
) -> str:
    """Make an org with one admin and one key; the key is returned and exists nowhere else in clear."""
    api_key = api_key or new_api_key()
    now = clock()
    org = Org(name=name, created_at=now)
    session.add(org)
    await session.flush()
    admin = Person(org_id=org.id, email=admin_email, role=Role.admin.name, created_at=now)
    session.add(admin)
    await session.flush()
    session.add(new_key_row(admin, api_key, "first key", clock))
    return api_key


async def bootstrap(session: AsyncSession, clock: Clock, api_key: str | None) -> str | None:
    """On an empty database make the first org; returns its key, or None when there was one already."""
    if await any_org_exists(session):
        return None
    return await create_org(session, clock, name="Default", admin_email="admin@localhost", api_key=api_key)


def new_key_row(person: Person, api_key: str, name: str, clock: Clock) -> ApiKey:
    return ApiKey(
        id=new_uuid(),
        org_id=person.org_id,
        person_id=person.id,
        name=name,
        last_four=api_key[-4:],
        key_hash=token_hash(api_key),
        created_at=clock(),
    )


# Whether this server may reach its own machine.
#
# On a laptop agent and platform are one person's, and loopback is open. Behind a proxy, or with several
# organisations, it would open the machine's own services to strangers: then only the operator can open it.

log = logging.getLogger(__name__)

_SETTING = "ODYSSEY_ALLOW_LOOPBACK"
SECOND_ORG_REFUSED = (
    "As it is set here, the server may reach its own machine (loopback), because it has one organisation; a second one "
    f"could read what listens there. First set {_SETTING}, here and where the server is started: false closes it, "
    "true opens it to every organisation."
)
_SEVERAL_ORGS = (
    f"Loopback is closed, because there are several organisations; {_SETTING}=true opens it to all of them."
)
_PUBLIC = (
    f"Loopback is closed, because ODYSSEY_PUBLIC_URL is not a loopback address; {_SETTING}=true opens it."
)


def is_open_unasked(settings: Settings, public_url: str) -> bool:
    """Whether nobody has said that loopback is open, and it is all the same as long as there is one organisation."""
    return settings.allow_loopback is None and settings.is_loopback and _is_loopback(public_url)


class LoopbackRules:
    """The address rules of a server. Without a setting they ask, at every connection, whether there is a second org."""

    def __init__(self, settings: Settings, public_url: str, database: Database) -> None:
        self._allow = parse_allow_list(settings.outbound_allow)
        self._database = database
        self._open_unasked = is_open_unasked(settings, public_url)
        self._policy = AddressPolicy(self._allow, settings.allow_loopback or self._open_unasked)
        if settings.allow_loopback is None and settings.is_loopback and not self._open_unasked:
            self._close(_PUBLIC)

    async def now(self) -> AddressPolicy:
        if self._open_unasked:
            async with self._database.read() as session:
                several = await has_several_orgs(session)
            if several and self._open_unasked:
                self._close(_SEVERAL_ORGS)  # for good: organisations are not deleted
        return self._policy

    def _close(self, why: str) -> None:
        self._open_unasked = False
        self._policy = AddressPolicy(self._allow, allow_loopback=False, closed=why)
        log.log(logging.WARNING if why == _SEVERAL_ORGS else logging.INFO, why)


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    if host in LOOPBACK_HOSTS or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
