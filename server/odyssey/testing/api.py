"""The platform's own API, asked as every client asks it."""

import http.client
import json
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from odyssey.testing.errors import RefusedError

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
