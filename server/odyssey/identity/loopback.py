"""Whether this server may reach its own machine.

On a laptop agent and platform are one person's, and loopback is open. Behind a proxy, or with several organisations, it
would open the machine's own services to strangers: then only the operator can open it.
"""

import logging
from ipaddress import ip_address
from urllib.parse import urlsplit

from odyssey.core.addresses import AddressPolicy, parse_allow_list
from odyssey.core.database import Database
from odyssey.core.settings import LOOPBACK_HOSTS, Settings
from odyssey.identity.repository import has_several_orgs

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
