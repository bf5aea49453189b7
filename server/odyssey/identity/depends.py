"""What a route of identity may ask for, beside what `core.depends` offers."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Request

from odyssey.core.depends import ClockDep, DatabaseDep
from odyssey.core.feeds import OpenStream
from odyssey.identity.open_streams import OpenStreams
from odyssey.identity.signin import SigninAttempt
from odyssey.identity.site import SessionRenewal, Site
from odyssey.identity.vault import Vault


def _vault(request: Request) -> Vault:
    vault: Vault = request.app.state.vault
    return vault


def _site(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


def _attempt(request: Request, database: DatabaseDep, clock: ClockDep) -> SigninAttempt:
    return SigninAttempt(database, clock, request.client.host if request.client else "unknown")


async def open_stream(request: Request) -> AsyncIterator[OpenStream]:
    """Take a place for a stream; it is free again when the answer has ended, however it ended."""
    streams: OpenStreams = request.app.state.open_streams
    with streams.open(request.state.caller) as opened:
        yield opened


def _renewal(request: Request) -> SessionRenewal:
    return SessionRenewal(_site(request), _vault(request).master)


VaultDep = Annotated[Vault, Depends(_vault)]
SiteDep = Annotated[Site, Depends(_site)]
AttemptDep = Annotated[SigninAttempt, Depends(_attempt)]
OpenStreamDep = Annotated[OpenStream, Depends(open_stream, scope="request")]
RenewalDep = Annotated[SessionRenewal, Depends(_renewal)]
