"""Signing in with a browser: links, passwords, the cookie, and what ends a session."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from http.cookies import SimpleCookie
from typing import Any
from uuid import uuid4

import httpx
import pytest
from conftest import NewDatabase
from sqlalchemy import select
from support.browser import Browser, new_link
from support.clocks import GivenClock, JumpingWall
from support.platform import Org, Platform

from odyssey.identity.models import BrowserSession, SigninLink

PASSWORD = "correct horse battery"
NEW_PASSWORD = "another correct horse"


@pytest.fixture
def clock() -> JumpingWall:
    return JumpingWall()


@pytest.fixture
def alone(new_database: NewDatabase, clock: JumpingWall) -> Iterator[Org]:
    """An organisation on a server of its own: failures are counted per address, and all tests come from one."""
    platform = Platform(new_database(), clock=GivenClock(clock))
    yield platform.new_org()
    platform.stop()


@pytest.fixture
def browser(platform: Platform) -> Iterator[Browser]:
    with Browser(platform) as browser:
        yield browser


@pytest.fixture
def second(platform: Platform) -> Iterator[Browser]:
    with Browser(platform) as browser:
        yield browser


def refusal(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def new_person(org: Org, role: str = "member", password: str | None = PASSWORD) -> dict[str, Any]:
    body = {"email": f"{uuid4()}@example.com", "role": role, "password": password}
    person: dict[str, Any] = org.ok(org.post("/api/people", body))
    return person


def token_of(org: Org, email: str, password: str = PASSWORD) -> str:
    token: str = org.ok(org.post("/api/auth/token", {"email": email, "password": password}))["access_token"]
    return token


def works(platform: Platform, **headers: str) -> bool:
    answer = httpx.get(f"{platform.url}/api/org", headers=headers, timeout=60, trust_env=False)
    assert answer.status_code in {200, 401}
    return answer.status_code == 200


def test_a_link_signs_in_and_the_session_says_who_it_is(org: Org, browser: Browser) -> None:
    (admin,) = org.ok(org.get("/api/people"))["items"]
    begun = org.ok(browser.sign_in(link=new_link(org)))
    assert begun["person"] == {"id": admin["id"], "email": admin["email"], "role": "admin"}
    assert begun["org"] == {"id": org.ok(org.get("/api/org"))["id"], "name": "Test"}
    assert begun.keys() == {"person", "org", "csrf_token", "expires_at"}
    assert org.ok(browser.get("/api/auth/session")) == begun
    assert org.ok(org.get("/api/auth/session")) == begun | {"csrf_token": None, "expires_at": None}
    assert browser.get("/api/people").status_code == 200


def test_a_password_signs_in_with_the_role_of_its_person(org: Org, browser: Browser) -> None:
    person = new_person(org, "viewer")
    begun = org.ok(browser.sign_in(email=person["email"].upper(), password=PASSWORD))
    assert begun["person"] == {"id": person["id"], "email": person["email"], "role": "viewer"}
    assert refusal(browser.get("/api/people")) == (403, "forbidden")
    org.ok(org.put(f"/api/people/{person['id']}", {"role": "admin"}))
    assert browser.get("/api/people").status_code == 200


@pytest.mark.parametrize(
    ("body", "members"),
    [
        ({}, ["email", "password"]),
        ({"email": "a@example.com"}, ["password"]),
        ({"password": "x"}, ["email"]),
        ({"link": "x", "email": "a@example.com"}, ["email"]),
        ({"link": "x", "email": "a@example.com", "password": "x"}, ["email", "password"]),
    ],
)
def test_it_is_either_a_link_or_a_password(
    browser: Browser, body: dict[str, str], members: list[str]
) -> None:
    answer = browser.sign_in(**body)
    assert refusal(answer) == (422, "validation_failed")
    assert [fault["loc"] for fault in answer.json()["errors"]] == [[member] for member in members]


@pytest.mark.both_databases
def test_a_link_works_once_however_many_try_at_once(alone: Org) -> None:
    link = new_link(alone)
    with Browser(alone.platform) as browser, ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: browser.sign_in(link=link), range(8)))
    assert sorted(answer.status_code for answer in answers) == [200, *[401] * 7]
    refused = next(answer for answer in answers if answer.status_code == 401)
    assert refused.json()["code"] == "auth_required"
    for word in ("once", "15 minutes", "odyssey signin-link"):
        assert word in refused.json()["detail"]
    assert "set-cookie" not in refused.headers


@pytest.mark.both_databases
def test_a_link_lives_for_fifteen_minutes_and_a_session_for_a_week(alone: Org, clock: JumpingWall) -> None:
    early, late = new_link(alone), new_link(alone)
    with Browser(alone.platform) as browser:
        clock.ahead = timedelta(minutes=14, seconds=50)
        alone.ok(browser.sign_in(link=early))
        clock.ahead = timedelta(minutes=15, seconds=1)
        assert refusal(browser.sign_in(link=late)) == (401, "auth_required")
        clock.ahead = timedelta(days=7, minutes=14)
        assert works(alone.platform, **browser.cookie)
        with browser.client.stream("GET", "/api/runs/events") as stream:
            clock.ahead = timedelta(days=7, minutes=15)
            assert refusal(browser.get("/api/org")) == (401, "auth_required")
            key = alone.ok(alone.post("/api/keys", {"name": "any"}))
            alone.client.delete(f"/api/keys/{key['id']}")  # has the server look who may still listen
            assert all(line in ("", ": open") for line in stream.iter_lines())


def test_the_eleventh_wrong_link_in_a_minute_is_429_and_a_right_one_still_works(
    alone: Org, clock: JumpingWall
) -> None:
    person = new_person(alone)
    with Browser(alone.platform) as browser:
        for _ in range(5):
            assert refusal(browser.sign_in(link="nonsense")) == (401, "auth_required")
            wrong = browser.sign_in(email=person["email"], password="wrong")
            assert refusal(wrong) == (401, "auth_required")
        for body in ({"link": "x"}, {"email": person["email"], "password": PASSWORD}):
            assert refusal(browser.sign_in(**body)) == (429, "rate_limited")
        assert browser.sign_in(link=new_link(alone)).status_code == 200
        clock.ahead = timedelta(minutes=1, seconds=5)
        assert browser.sign_in(email=person["email"], password=PASSWORD).status_code == 200


def guess(platform: Platform, address: str, email: str, password: str = "wrong") -> httpx.Response:
    """Try to sign in from another address of this machine: 127.0.0.0/8 is all its own."""
    transport = httpx.HTTPTransport(local_address=address, verify=False)  # making a TLS context is slow
    with httpx.Client(base_url=platform.url, transport=transport, timeout=60) as client:
        return client.post("/api/auth/token", json={"email": email, "password": password})


@pytest.mark.both_databases
def test_a_person_has_twenty_tries_however_many_come_at_once(
    org: Org, browser: Browser, platform: Platform
) -> None:
    person, other = new_person(org), new_person(org)
    email = person["email"]
    with ThreadPoolExecutor(8) as pool:
        tries = [(f"127.0.1.{number % 4}", email.upper() if number % 2 else email) for number in range(32)]
        answers = list(pool.map(lambda one: guess(platform, *one), tries))
    assert sorted(answer.status_code for answer in answers) == [401] * 20 + [429] * 12
    refused = guess(platform, "127.0.1.9", email, PASSWORD)
    assert refusal(refused) == (429, "rate_limited")
    assert "odyssey signin-link" in refused.json()["detail"]
    assert 60 < int(refused.headers["retry-after"]) <= 900
    assert guess(platform, "127.0.1.9", other["email"], PASSWORD).status_code == 200
    assert browser.sign_in(link=new_link(org, person["id"])).status_code == 200


@pytest.mark.both_databases
def test_an_address_has_ten_tries_however_many_come_at_once(platform: Platform) -> None:
    people = [f"{uuid4()}@example.com" for _ in range(16)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda email: guess(platform, "127.0.2.1", email), people))
    assert sorted(answer.status_code for answer in answers) == [401] * 10 + [429] * 6


def test_a_person_may_try_again_after_fifteen_minutes(alone: Org, clock: JumpingWall) -> None:
    email = new_person(alone)["email"]
    for number in range(20):
        assert guess(alone.platform, f"127.0.0.{number % 2 + 2}", email).status_code == 401
    for minutes, status in ((14, 429), (16, 200)):
        clock.ahead = timedelta(minutes=minutes)
        assert guess(alone.platform, "127.0.0.9", email, PASSWORD).status_code == status


@pytest.mark.both_databases
def test_the_database_knows_tokens_only_by_hash(org: Org, browser: Browser) -> None:
    unused = new_link(org)
    org.ok(browser.sign_in(link=new_link(org)))
    (session_token,) = browser.client.cookies.values()
    assert len(session_token) == len(unused) == 43  # 256 bits in base64url

    async def stored() -> str:
        async with org.platform.database.read() as session:
            links = (await session.scalars(select(SigninLink))).all()
            sessions = (await session.scalars(select(BrowserSession))).all()
            return str([vars(row) for row in (*links, *sessions)])

    everything = org.platform.do(stored())
    assert "token_hash" in everything
    for secret in (unused, session_token, browser.csrf["X-CSRF-Token"]):
        assert secret not in everything


def morsel_of(answer: httpx.Response) -> Any:
    (morsel,) = SimpleCookie(answer.headers["set-cookie"]).values()
    return morsel


def test_the_cookie_is_for_this_server_alone(org: Org, browser: Browser) -> None:
    answer = browser.sign_in(link=new_link(org))
    morsel, port = morsel_of(answer), httpx.URL(org.platform.url).port
    assert (morsel.key, morsel["path"], morsel["domain"]) == (f"odyssey_session_{port}", "/", "")
    assert (morsel["httponly"], morsel["samesite"], morsel["secure"]) == (True, "strict", "")
    assert morsel["max-age"] == str(7 * 24 * 3600)
    assert answer.headers["cache-control"] == "no-store"


def test_behind_https_the_cookie_is_secure_and_bound_to_the_host(new_database: NewDatabase) -> None:
    platform = Platform(new_database(), public_url="https://odyssey.example/")
    org = platform.new_org()
    with Browser(platform) as browser:
        morsel = morsel_of(browser.sign_in(link=new_link(org)))
        assert morsel.key == "__Host-odyssey_session"
        assert (morsel["secure"], morsel["httponly"], morsel["samesite"]) == (True, True, "strict")
        assert (morsel["path"], morsel["domain"]) == ("/", "")
        assert works(platform, Cookie=f"{morsel.key}={morsel.value}")
        assert not works(platform, Cookie=f"odyssey_session_80={morsel.value}")
        headers = {"Cookie": f"{morsel.key}={morsel.value}"} | browser.csrf
        browser.client.cookies.clear()
        for origin, status in (("http://odyssey.example", 403), ("https://odyssey.example", 204)):
            sent = headers | {"Origin": origin}
            assert browser.client.delete("/api/auth/session", headers=sent).status_code == status
    platform.stop()


def test_a_change_by_cookie_needs_the_token_of_its_own_session(
    org: Org, browser: Browser, second: Browser
) -> None:
    org.ok(browser.sign_in(link=new_link(org)))
    org.ok(second.sign_in(link=new_link(org)))
    before = org.ok(org.get("/api/audit-log"))
    for csrf in ({}, {"X-CSRF-Token": ""}, {"X-CSRF-Token": "0" * 64}, second.csrf):
        browser.csrf, own = csrf, browser.csrf
        for answer in (
            browser.post("/api/keys", {"name": "forged"}),
            browser.post("/api/agents/validate", {}),
            browser.delete("/api/auth/session"),
            browser.client.put("/api/org", json={"name": "forged"}, headers=csrf),
        ):
            assert refusal(answer) == (403, "csrf_token_invalid"), csrf
        browser.csrf = own
    not_ascii = [(b"X-CSRF-Token", "é".encode())]
    assert refusal(browser.client.delete("/api/auth/session", headers=not_ascii))[0] == 403
    assert org.ok(org.get("/api/audit-log")) == before
    assert browser.post("/api/keys", {"name": "mine"}).status_code == 201


def test_a_key_in_a_header_comes_before_the_cookie(org: Org, browser: Browser) -> None:
    viewer = new_person(org, "viewer")
    org.ok(browser.sign_in(email=viewer["email"], password=PASSWORD))
    key = {"X-API-Key": org.api_key, "Origin": "https://elsewhere.example"}
    assert browser.client.post("/api/keys", json={"name": "by key"}, headers=key).status_code == 201
    assert refusal(browser.client.get("/api/org", headers={"X-API-Key": "pk_live_x"})) == (
        401,
        "auth_required",
    )
    assert browser.client.get("/api/org", headers={"Authorization": "Basic YTpi"}).status_code == 200


def test_another_sites_page_is_refused(org: Org, browser: Browser, platform: Platform) -> None:
    org.ok(browser.sign_in(link=new_link(org)))
    other_port = f"http://127.0.0.1:{int(platform.url.rpartition(':')[2]) ^ 1}"
    for foreign in (
        {"Origin": "https://elsewhere.example"},
        {"Origin": other_port},
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": f"{platform.url}.elsewhere.example"},
        {"Origin": platform.url.replace("http", "ftp")},
        {"Sec-Fetch-Site": "cross-site"},
        {"Origin": platform.url, "Sec-Fetch-Site": "cross-site"},
    ):
        assert refusal(browser.post("/api/keys", {"name": "x"}, **foreign)) == (403, "origin_not_allowed")
        link = new_link(org)
        signing_in = browser.client.post("/api/auth/session", json={"link": link}, headers=foreign)
        assert refusal(signing_in) == (403, "origin_not_allowed")
    for own in (
        {"Origin": platform.url, "Sec-Fetch-Site": "same-origin"},
        {"Origin": "http://LocalHost:5173", "Host": "localhost:5173"},
    ):
        assert browser.post("/api/keys", {"name": "x"}, **own).status_code == 201


@pytest.mark.both_databases
def test_signing_out_ends_this_session_alone(org: Org, browser: Browser, second: Browser) -> None:
    org.ok(browser.sign_in(link=new_link(org)))
    org.ok(second.sign_in(link=new_link(org)))
    cookie = browser.cookie
    answer = browser.delete("/api/auth/session")
    assert answer.status_code == 204
    assert morsel_of(answer).value == ""
    assert morsel_of(answer)["max-age"] == "0"
    assert not browser.client.cookies
    assert not works(org.platform, **cookie)
    assert works(org.platform, **second.cookie)


def test_signing_out_with_a_key_does_nothing(org: Org) -> None:
    answer = org.client.delete("/api/auth/session")
    assert (answer.status_code, "set-cookie" in answer.headers) == (204, False)
    assert org.ok(org.get("/api/audit-log"))["items"] == []


@pytest.mark.both_databases
def test_who_is_deleted_is_signed_out(org: Org, browser: Browser) -> None:
    person = new_person(org)
    unused = new_link(org, person["id"])
    org.ok(browser.sign_in(link=new_link(org, person["id"])))
    assert org.client.delete(f"/api/people/{person['id']}").status_code == 204
    assert refusal(browser.get("/api/org")) == (401, "auth_required")
    assert refusal(browser.sign_in(link=unused)) == (401, "auth_required")


def test_the_first_password_needs_no_other(org: Org, browser: Browser) -> None:
    person = new_person(org, "viewer", password=None)
    org.ok(browser.sign_in(link=new_link(org, person["id"])))
    assert browser.post("/api/auth/password", {"password": PASSWORD}).status_code == 204
    assert browser.get("/api/org").status_code == 200
    assert token_of(org, person["email"])


def test_a_new_password_ends_whatever_the_old_one_opened(
    org: Org, browser: Browser, second: Browser, platform: Platform
) -> None:
    person = new_person(org, "admin")
    for one in (browser, second):
        org.ok(one.sign_in(email=person["email"], password=PASSWORD))
    key = org.ok(browser.post("/api/keys", {"name": "theirs"}))["key"]
    token, link = token_of(org, person["email"]), new_link(org, person["id"])
    change = {"password": NEW_PASSWORD, "current_password": PASSWORD}
    copied = browser.cookie
    assert browser.post("/api/auth/password", change).status_code == 204
    after = token_of(org, person["email"], NEW_PASSWORD)
    assert not works(platform, **copied)
    assert works(platform, **browser.cookie)
    assert browser.post("/api/keys", {"name": "with the new session"}).status_code == 201
    assert works(platform, Authorization=f"Bearer {after}")
    assert works(platform, Authorization=f"Bearer {key}")
    assert not works(platform, **second.cookie)
    assert not works(platform, Authorization=f"Bearer {token}")
    assert refusal(second.sign_in(link=link)) == (401, "auth_required")


def test_an_admin_who_sets_a_password_signs_its_person_out(org: Org, browser: Browser) -> None:
    person = new_person(org)
    org.ok(browser.sign_in(email=person["email"], password=PASSWORD))
    token = token_of(org, person["email"])
    org.ok(org.put(f"/api/people/{person['id']}", {"role": "viewer"}))
    assert works(org.platform, **browser.cookie)
    org.ok(org.put(f"/api/people/{person['id']}", {"password": NEW_PASSWORD}))
    assert not works(org.platform, **browser.cookie)
    assert not works(org.platform, Authorization=f"Bearer {token}")


@pytest.mark.both_databases
def test_an_admin_who_sets_their_own_password_stays_signed_in_here(
    org: Org, browser: Browser, second: Browser
) -> None:
    begun = org.ok(browser.sign_in(link=new_link(org)))
    org.ok(second.sign_in(link=new_link(org)))
    copied = browser.cookie
    change = browser.client.put(
        f"/api/people/{begun['person']['id']}", json={"password": PASSWORD}, headers=browser.csrf
    )
    assert change.status_code == 200
    assert not works(org.platform, **copied)
    assert works(org.platform, **browser.cookie)
    assert browser.post("/api/keys", {"name": "with the new session"}).status_code == 201
    assert not works(org.platform, **second.cookie)


def test_who_has_a_password_must_show_it_whatever_they_came_with(alone: Org) -> None:
    person = new_person(alone, "admin")
    change = "/api/auth/password"
    with Browser(alone.platform) as browser:
        alone.ok(browser.sign_in(link=new_link(alone, person["id"])))
        key = alone.ok(browser.post("/api/keys", {"name": "theirs"}))["key"]
        robot = Org(alone.platform, key)
        token = Org(alone.platform, token_of(alone, person["email"]))
        for one in (browser, robot, token):
            missing = one.post(change, {"password": NEW_PASSWORD})
            wrong = one.post(change, {"password": NEW_PASSWORD, "current_password": NEW_PASSWORD})
            for answer in (missing, wrong):
                assert refusal(answer) == (422, "validation_failed")
                assert [fault["loc"] for fault in answer.json()["errors"]] == [["current_password"]]
        for _ in range(7):
            assert robot.post(change, {"password": PASSWORD, "current_password": "x"}).status_code == 422
        right = {"password": NEW_PASSWORD, "current_password": PASSWORD}
        assert refusal(robot.post(change, right)) == (429, "rate_limited")
    for one in (robot, token):
        one.client.close()


def test_signing_in_and_out_and_a_new_password_are_in_the_audit_log(org: Org, browser: Browser) -> None:
    person = new_person(org, "viewer")
    org.ok(browser.sign_in(link=new_link(org, person["id"])))
    assert browser.delete("/api/auth/session").status_code == 204
    org.ok(browser.sign_in(email=person["email"], password=PASSWORD))
    change = {"password": NEW_PASSWORD, "current_password": PASSWORD}
    assert browser.post("/api/auth/password", change).status_code == 204
    log = org.ok(org.get("/api/audit-log"))["items"]
    found = [(one["action"], one["person_id"], one["object_type"], one["object_id"]) for one in log[:-1]]
    actions = ("person.password", "session.begin_by_password", "session.end", "session.begin_by_link")
    assert found == [(action, person["id"], "person", str(person["id"])) for action in actions]


def test_a_stream_ends_with_its_session(org: Org, browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("odyssey.core.feeds.COMMENT_EVERY_S", 0.1)
    org.ok(browser.sign_in(link=new_link(org)))
    with browser.client.stream("GET", "/api/runs/events") as response:
        lines = response.iter_lines()
        for _ in range(3):
            assert next(line for line in lines if line).startswith(":")
        assert browser.delete("/api/auth/session").status_code == 204
        assert all(not line or line.startswith(":") for line in lines)
