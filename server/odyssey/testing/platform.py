"""The platform of a test session: the real application, an embedded database, and the desk of open runs."""

import asyncio
import http.client
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from odyssey.api.front import Front
from odyssey.api.receipt import with_deadline
from odyssey.core.database import Database
from odyssey.core.migrate import migrate
from odyssey.core.settings import Settings
from odyssey.identity.bootstrap import create_org
from odyssey.kit.clock import utc_now
from odyssey.kit.ids import new_api_key
from odyssey.main import create_app
from odyssey.testing.desk import Desk
from odyssey.testing.errors import RefusedError
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


# The platform's own API, asked as every client asks it.
_PATIENCE_S = 120.0
_PAGE = 200


class Api:
    def __init__(self, url: str, api_key: str) -> None:
        self.url = url
        self._authority = urlsplit(url).netloc
        self._headers = {"Authorization": f"Bearer {api_key}", "Content-Type": "application/json"}

    def ask(self, method: str, path: str, body: Any = None, *, what: str = "The platform refused") -> Any:
        """Send one request and return the answer; `what` begins the sentence of a refusal."""
        connection = http.client.HTTPConnection(self._authority, timeout=_PATIENCE_S)
        try:
            sent = None if body is None else json.dumps(body)
            connection.request(method, quote(path, safe="/?=&%"), sent, self._headers)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        told = json.loads(content) if content else None
        if answer.status >= 400:
            raise RefusedError(what, answer.status, told or {})
        return told

    def pages(self, path: str) -> list[dict[str, Any]]:
        """All items of a list."""
        items: list[dict[str, Any]] = []
        query: dict[str, Any] = {"limit": _PAGE}
        while True:
            page = self.ask("GET", f"{path}?{urlencode(query)}")
            items += page["items"]
            if page["next_cursor"] is None:
                return items
            query["cursor"] = page["next_cursor"]
