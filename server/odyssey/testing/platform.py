"""The platform of a test session: the real application, an embedded database, and the desk of open runs."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from odyssey.api.front import Front
from odyssey.api.receipt import with_deadline
from odyssey.core.database import Database
from odyssey.core.migrate import migrate
from odyssey.core.settings import Settings
from odyssey.identity.bootstrap import create_org
from odyssey.kit.clock import utc_now
from odyssey.kit.ids import new_api_key
from odyssey.main import create_app
from odyssey.testing.api import Api
from odyssey.testing.desk import Desk
from odyssey.testing.served import Served


class LocalPlatform:
    """Starts on construction, ends with `stop()`; of the environment's settings it takes none."""

    def __init__(self, folder: Path) -> None:
        database_url = f"sqlite+aiosqlite:///{folder / 'odyssey.db'}"
        # Constructed, or the environment would be read, which is of the platform somebody runs beside the tests.
        settings = Settings.model_construct(data=folder, drain_seconds=0.2, max_runs=256, allow_loopback=True)

        def make(url: str) -> Front:
            return create_app(settings, database_url=database_url, secret_key=new_api_key(), public_url=url)

        with ThreadPoolExecutor(1) as aside:  # here a loop of the test's may be running
            api_key = aside.submit(asyncio.run, _first_key(database_url)).result()
        self._server = Served(make, http=with_deadline(settings.receipt_seconds))
        self.api = Api(self._server.url, api_key)
        self.desk = Desk()
        self._desk_server = Served(lambda _: self.desk, lifespan="off")
        self.desk_url = f"{self._desk_server.url}/dispatch"

    @property
    def url(self) -> str:
        return self.api.url

    def stop(self) -> None:
        self._desk_server.stop()
        self._server.stop()


async def _first_key(database_url: str) -> str:
    database = Database(database_url)
    try:
        await migrate(database)
        async with database.write() as session:
            return await create_org(session, utc_now, name="Tests", admin_email="tests@localhost")
    finally:
        await database.close()
