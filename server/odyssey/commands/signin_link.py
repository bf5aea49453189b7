"""`odyssey signin-link`: a way into the browser for somebody without a password."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from pydantic import ValidationError
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.commands.data_directory import DataDirectory
from odyssey.core.clock import PlatformClock
from odyssey.core.database import Database
from odyssey.core.migrate import DatabaseUnusableError, explained, migrate
from odyssey.core.settings import Settings
from odyssey.identity.browser_sessions import create_signin_link
from odyssey.identity.models import Person
from odyssey.identity.repository import find_first_admin, find_org, people_with_email

_EVERY_INTERFACE = frozenset({"0.0.0.0", "::"})  # noqa: S104 - recognised, not bound


class NobodyMeantError(Exception):
    """The person cannot be told from what was given; the message says what to add."""


def signin_link(
    *,
    email: str | None = None,
    org: int | None = None,
    data: Path | None = None,
    database_url: str | None = None,
    url: str | None = None,
    json_output: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """Print a link that signs a person in, once, within 15 minutes.

    Parameters
    ----------
    email
        Whom to sign in (default: the first admin).
    org
        Id of the organisation, if several know the address.
    data
        Data directory of the embedded database; the server may be running.
    database_url
        The Postgres database, if that is what the server uses.
    url
        Address of the server in the link (default: ODYSSEY_PUBLIC_URL, else where the server of the data directory
        listens, else http://host:port of the settings).
    json_output
        Print {url} instead of the link alone.
    """
    try:
        settings = Settings()
        directory = _directory(settings, data, database_url)
        address = url or settings.public_url or (directory and directory.address)
        token = asyncio.run(_create(_database_url(settings, directory, database_url), email, org))
    except ValidationError as error:
        sys.exit(f"odyssey: {error.errors()[0]['msg']}")
    except (NobodyMeantError, DatabaseUnusableError, ValueError) as error:
        sys.exit(f"odyssey: {error}")
    link = link_address(address or browser_address(settings, settings.port), token)
    print(json.dumps({"url": link}) if json_output else link)


def link_address(base: str, token: str) -> str:
    """Put the token into the fragment: browsers send that to nobody, so it is in no log and no Referer."""
    return f"{base.rstrip('/')}/signin#{token}"


def browser_address(settings: Settings, port: int) -> str:
    """Where a browser finds the server; an address that means "every interface" leads nowhere by itself."""
    host = "localhost" if settings.host in _EVERY_INTERFACE else settings.host
    return settings.public_url or local_address(host, port)


def local_address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _directory(settings: Settings, data: Path | None, database_url: str | None) -> DataDirectory | None:
    """Find where the embedded database is; None where the server uses another."""
    if database_url or (settings.database_url and data is None):
        return None
    return DataDirectory(data or settings.data)


def _database_url(settings: Settings, directory: DataDirectory | None, database_url: str | None) -> str:
    if directory is None:
        return str(database_url or settings.database_url)
    if not directory.database_file.exists():
        raise NobodyMeantError(
            f"There is no database in {directory.path}. Start `odyssey up`, or give --data."
        )
    return directory.database_url


async def _create(url: str, email: str | None, org_id: int | None) -> str:
    database = Database(url)
    try:
        with explained(database):
            await migrate(database)
            clock = PlatformClock()
            await clock.begin(database)  # by which the server will judge the link's age
            async with database.write() as session:
                person = await _person_meant(session, email, org_id)
                return await create_signin_link(session, clock, person)
    finally:
        await database.close()


async def _person_meant(session: AsyncSession, email: str | None, org_id: int | None) -> Person:
    if email is None:
        admin = await find_first_admin(session, org_id)
        if admin is None:
            raise NobodyMeantError("There is no admin to sign in. Check --org.")
        return admin
    known = await people_with_email(session, email.lower())
    people = [person for person in known if org_id in (None, person.org_id)]
    if not people:
        raise NobodyMeantError(f"Nobody has the e-mail address {email!r}" + (" there." if known else "."))
    if len(people) > 1:
        orgs = [await find_org(session, person.org_id) for person in people]
        listed = ", ".join(f"{org.id} ({org.name})" for org in orgs if org is not None)
        raise NobodyMeantError(f"Several organisations know {email!r}; choose one with --org: {listed}.")
    return people[0]
