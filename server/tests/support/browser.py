"""A browser as far as the server can tell: a client that keeps its cookie and sends what a page would."""

from typing import Any

import httpx
from support.platform import Org, Platform

from odyssey.core.clock import PlatformClock
from odyssey.identity.browser_sessions import create_signin_link
from odyssey.identity.repository import find_person


def new_link(org: Org, person_id: int | None = None) -> str:
    """Make a sign-in link of one person, of the organisation's admin if nobody is named."""
    clock = org.platform.part(PlatformClock)
    org_id = org.ok(org.get("/api/org"))["id"]
    wanted = person_id or org.ok(org.get("/api/people"))["items"][-1]["id"]

    async def make() -> str:
        async with org.platform.database.write() as session:
            person = await find_person(session, org_id, wanted)
            assert person is not None
            return await create_signin_link(session, clock, person)

    return org.platform.do(make())


def session_cookies(org: Org, person_id: int | None = None) -> dict[str, str]:
    """Sign somebody in, the organisation's admin if nobody is named; what their browser would keep."""
    with Browser(org.platform) as browser:
        org.ok(browser.sign_in(link=new_link(org, person_id)))
        return dict(browser.client.cookies.items())


class Browser:
    def __init__(self, platform: Platform) -> None:
        self.client = httpx.Client(
            base_url=platform.url,
            timeout=60,
            trust_env=False,
            verify=False,
            event_hooks={"response": [self._remember]},
        )
        self.csrf: dict[str, str] = {}

    def _remember(self, answer: httpx.Response) -> None:
        if "x-csrf-token" in answer.headers:
            self.csrf = {"X-CSRF-Token": answer.headers["x-csrf-token"]}

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def sign_in(self, **body: str) -> httpx.Response:
        answer = self.client.post("/api/auth/session", json=body)
        if answer.status_code == 200:
            self.csrf = {"X-CSRF-Token": answer.json()["csrf_token"]}
        return answer

    @property
    def cookie(self) -> dict[str, str]:
        """What a request of another client needs to be taken for this browser."""
        return {"Cookie": "; ".join(f"{name}={value}" for name, value in self.client.cookies.items())}

    def get(self, path: str) -> httpx.Response:
        return self.client.get(path)

    def post(self, path: str, body: Any = None, **headers: str) -> httpx.Response:
        return self.client.post(path, json=body, headers=self.csrf | headers)

    def delete(self, path: str) -> httpx.Response:
        return self.client.delete(path, headers=self.csrf)
