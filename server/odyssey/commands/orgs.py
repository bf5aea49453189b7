"""`odyssey orgs create`: another organisation on the same server."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from odyssey.commands.data_directory import DataDirectory, StartRefusedError
from odyssey.commands.signin_link import local_address
from odyssey.core.database import Database
from odyssey.core.migrate import DatabaseUnusableError, explained, migrate
from odyssey.core.settings import Settings
from odyssey.identity.bootstrap import SECOND_ORG_REFUSED, create_org, is_open_unasked
from odyssey.identity.repository import any_org_exists
from odyssey.kit.clock import utc_now

app = App(name="orgs", help="Organisations of this server.")


@app.command
def create(
    name: str,
    *,
    admin: str,
    data: Path | None = None,
    database_url: str | None = None,
    json_output: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """Make an organisation with one admin and print its API key.

    Parameters
    ----------
    name
        What to call it.
    admin
        E-mail address of its first admin.
    data
        Data directory of the embedded database.
    database_url
        The Postgres database, if that is what the server uses.
    json_output
        Print {name, api_key} instead of the key alone.
    """
    settings = Settings()
    url = database_url or (settings.database_url if data is None else None)
    known_address = settings.public_url
    try:
        if url is None:
            directory = DataDirectory(data or settings.data)
            directory.make_private()
            url = directory.database_url
            known_address = known_address or directory.address
        public_url = known_address or local_address(settings.host, settings.port)
        key = asyncio.run(_create(url, name, admin, alone=is_open_unasked(settings, public_url)))
    except (DatabaseUnusableError, StartRefusedError, ValueError) as error:
        sys.exit(f"odyssey: {error}")
    print(json.dumps({"name": name, "api_key": key}) if json_output else key)


async def _create(url: str, name: str, admin: str, *, alone: bool) -> str:
    """Make it; where an organisation must be `alone`, only the first."""
    database = Database(url)
    try:
        with explained(database):
            await migrate(database)
            async with database.write() as session:
                if alone and await any_org_exists(session):
                    raise StartRefusedError(SECOND_ORG_REFUSED)
                return await create_org(session, utc_now, name=name, admin_email=admin.lower())
    finally:
        await database.close()
