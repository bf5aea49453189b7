"""People, keys, sign-in and the audit log, as their users meet them."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import httpx
import pytest
from conftest import NewDatabase
from support.agents import final
from support.platform import Org, Platform

PASSWORD = "correct horse battery"
AGENT = {"name": "agent", "config": {"endpoint_url": "http://127.0.0.1:9/"}}


def new_email() -> str:
    return f"{uuid4()}@example.com"


def new_person(org: Org, role: str = "viewer", **members: Any) -> dict[str, Any]:
    body = {"email": new_email(), "role": role, "password": PASSWORD, **members}
    person: dict[str, Any] = org.ok(org.post("/api/people", body))
    return person


def sign_in(org: Org, email: str, password: str = PASSWORD) -> httpx.Response:
    url = f"{org.platform.url}/api/auth/token"
    return httpx.post(url, json={"email": email, "password": password}, timeout=60, trust_env=False)


def acting_as(org: Org, secret: str) -> Org:
    return Org(org.platform, secret)


def refusal(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def ask(platform: Platform, *headers: tuple[str, str]) -> httpx.Response:
    return httpx.get(f"{platform.url}/api/org", headers=list(headers), timeout=60, trust_env=False)


@pytest.fixture
def lonely(new_database: NewDatabase) -> Iterator[Platform]:
    """A server nobody else signs in to: failures are counted per address, and all tests come from one."""
    platform = Platform(new_database())
    yield platform
    platform.stop()


def test_a_key_works_by_either_header_and_two_that_differ_do_not(org: Org, platform: Platform) -> None:
    key, other = org.api_key, org.ok(org.post("/api/keys", {"name": "other"}))["key"]
    bearer, header = ("Authorization", f"Bearer {key}"), ("X-API-Key", key)
    for headers in (
        [bearer],
        [header],
        [bearer, header],
        [("authorization", f"bearer {key}")],
        [bearer, bearer],
    ):
        assert ask(platform, *headers).status_code == 200, headers
    basic = ("Authorization", "Basic YTpi")
    assert ask(platform, basic, header).status_code == 200
    for headers in (
        [bearer, ("X-API-Key", other)],
        [bearer, ("Authorization", f"Bearer {other}")],
        [header, ("X-API-Key", "")],
        [("Authorization", f"Bearer {key}x")],
        [("Authorization", f"Bearer {key.upper()}")],
        [("Authorization", key)],
        [basic],
    ):
        assert refusal(ask(platform, *headers)) == (401, "auth_required"), headers
    in_query = httpx.get(
        f"{platform.url}/api/org?api_key={key}&access_token={key}", trust_env=False, timeout=60
    )
    assert in_query.status_code == 401


@pytest.mark.both_databases
def test_a_key_is_shown_once_and_dies_when_it_is_deleted(org: Org) -> None:
    made = org.ok(org.post("/api/keys", {"name": "for the robot"}))
    assert made["key"].startswith("pk_live_")
    assert len(made["key"]) == 48
    robot = acting_as(org, made["key"])
    listed = robot.ok(robot.get("/api/keys"))
    assert listed["next_cursor"] is None
    assert [key["name"] for key in listed["items"]] == ["for the robot", "first key"]
    assert listed["items"][0] == made | {"key": f"****{made['key'][-4:]}"}
    assert made["key"] not in str(listed)
    assert robot.client.delete(f"/api/keys/{made['id']}").status_code == 204
    assert refusal(robot.get("/api/org")) == (401, "auth_required")
    assert refusal(org.client.delete(f"/api/keys/{made['id']}")) == (404, "not_found")
    robot.client.close()


def test_a_key_acts_as_the_person_who_made_it(org: Org) -> None:
    person = new_person(org, "admin")
    signed_in = acting_as(org, org.ok(sign_in(org, person["email"]))["access_token"])
    made = signed_in.ok(signed_in.post("/api/keys", {"name": "theirs"}))
    assert made["person_id"] == person["id"]
    robot = acting_as(org, made["key"])
    assert robot.get("/api/people").status_code == 200
    org.ok(org.put(f"/api/people/{person['id']}", {"role": "viewer"}))
    for one in (robot, signed_in):
        assert one.get("/api/org").status_code == 200
        assert refusal(one.get("/api/people")) == (403, "forbidden")
        assert refusal(one.post("/api/runs", {})) == (403, "forbidden")
    assert org.client.delete(f"/api/people/{person['id']}").status_code == 204
    for one in (robot, signed_in):
        assert refusal(one.get("/api/org")) == (401, "auth_required")
        one.client.close()
    assert [key["name"] for key in org.ok(org.get("/api/keys"))["items"]] == ["first key"]
    assert refusal(org.put(f"/api/people/{person['id']}", {"role": "admin"})) == (404, "not_found")


def test_the_last_admin_stays(org: Org) -> None:
    (me,) = org.ok(org.get("/api/people"))["items"]
    new_person(org, "member")
    before = org.ok(org.get("/api/audit-log"))
    assert refusal(org.client.delete(f"/api/people/{me['id']}")) == (409, "conflict")
    for role in ("viewer", "member"):
        assert refusal(org.put(f"/api/people/{me['id']}", {"role": role})) == (409, "conflict")
    assert org.ok(org.get("/api/audit-log")) == before
    assert org.ok(org.put(f"/api/people/{me['id']}", {"role": "admin"}))["role"] == "admin"
    other = new_person(org, "admin")
    assert org.ok(org.put(f"/api/people/{other['id']}", {"role": "member"}))["role"] == "member"
    org.ok(org.put(f"/api/people/{other['id']}", {"role": "admin"}))
    assert org.client.delete(f"/api/people/{other['id']}").status_code == 204


@pytest.mark.both_databases
def test_two_admins_cannot_demote_each_other_at_once(org: Org) -> None:
    (me,) = org.ok(org.get("/api/people"))["items"]
    other = new_person(org, "admin")
    with ThreadPoolExecutor(2) as pool:
        answers = pool.map(
            lambda person: org.put(f"/api/people/{person['id']}", {"role": "viewer"}), (me, other)
        )
    assert sorted(answer.status_code for answer in answers)[0] == 200
    signed_in = [acting_as(org, org.ok(sign_in(org, other["email"]))["access_token"]), org]
    assert sorted(one.get("/api/people").status_code for one in signed_in) == [200, 403]
    signed_in[0].client.close()


@pytest.mark.both_databases
def test_an_address_is_taken_once_whatever_its_case(org: Org) -> None:
    email = new_email()
    body = {"email": email.upper(), "role": "viewer"}
    keys = [{}, {"Idempotency-Key": "one"}, {}, {"Idempotency-Key": "two"}] * 2
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda key: org.post("/api/people", body, headers=key), keys))
    assert {answer.status_code for answer in answers} == {201, 409}
    assert len({answer.json()["id"] for answer in answers if answer.status_code == 201}) == 1
    refused = {answer.json()["code"] for answer in answers if answer.status_code == 409}
    assert "conflict" in refused <= {"conflict", "idempotency_in_progress"}
    assert [one["email"] for one in org.ok(org.get("/api/people"))["items"]].count(email) == 1


def test_a_person_signs_in_with_a_password_and_only_with_one(org: Org) -> None:
    person = new_person(org, "member", password=None)
    assert person.keys() == {"id", "email", "role", "has_password", "created_at"}
    assert person["has_password"] is False
    assert refusal(sign_in(org, person["email"], "")) == (401, "auth_required")
    changed = org.ok(org.put(f"/api/people/{person['id']}", {"password": PASSWORD}))
    assert changed == person | {"has_password": True}
    answer = org.ok(sign_in(org, person["email"].upper()))
    assert answer.keys() == {"access_token", "token_type", "expires_in"}
    assert (answer["token_type"], answer["expires_in"]) == ("bearer", 12 * 3600)
    member = acting_as(org, answer["access_token"])
    assert member.ok(member.get("/api/org")) == org.ok(org.get("/api/org"))
    member.client.close()
    org.ok(org.put(f"/api/people/{person['id']}", {"password": "another password"}))
    assert refusal(sign_in(org, person["email"])) == (401, "auth_required")
    assert sign_in(org, person["email"], "another password").status_code == 200


def test_a_wrong_password_and_an_unknown_address_are_told_the_same(lonely: Platform) -> None:
    org = lonely.new_org()
    person = new_person(org)
    answers = [
        sign_in(org, person["email"], PASSWORD + "x"),
        sign_in(org, person["email"], ""),
        sign_in(org, new_email()),
        sign_in(org, new_person(org, password=None)["email"]),
    ]
    assert refusal(answers[0]) == (401, "auth_required")
    assert len({answer.text for answer in answers}) == 1
    org.client.close()


def test_the_eleventh_failure_in_a_minute_is_429(lonely: Platform) -> None:
    org = lonely.new_org()
    person = new_person(org)
    assert sign_in(org, person["email"]).status_code == 200
    failures = [
        sign_in(org, email) for email in [person["email"] + ".x"] * 5 + [new_email() for _ in range(5)]
    ]
    assert [answer.status_code for answer in failures] == [401] * 10
    for answer in (sign_in(org, new_email()), sign_in(org, person["email"])):
        assert refusal(answer) == (429, "rate_limited")
        assert answer.json()["retryable"] is True
        assert 1 <= int(answer.headers["retry-after"]) <= 60
    assert org.get("/api/org").status_code == 200
    org.client.close()


def test_the_org_is_renamed(org: Org, other_org: Org) -> None:
    before, other = org.ok(org.get("/api/org")), other_org.ok(other_org.get("/api/org"))
    renamed = org.ok(org.put("/api/org", {"name": "Ærøskøbing 🚢"}))
    assert renamed == before | {"name": "Ærøskøbing 🚢"} == org.ok(org.get("/api/org"))
    assert other_org.ok(other_org.get("/api/org")) == other


@pytest.mark.both_databases
def test_people_page_newest_first(org: Org) -> None:
    ids = [new_person(org, password=None)["id"] for _ in range(4)]
    first = org.ok(org.get("/api/people", params={"limit": 2}))
    assert [one["id"] for one in first["items"]] == ids[:1:-1]
    second = org.ok(org.get("/api/people", params={"limit": 3, "cursor": first["next_cursor"]}))
    assert [one["id"] for one in second["items"]][:2] == ids[1::-1]
    assert second["next_cursor"] is None


def test_every_change_leaves_one_entry_and_no_secret(org: Org, platform: Platform) -> None:
    secret = "header-secret-1234"
    config = {"endpoint_url": "http://127.0.0.1:9/", "auth_header_name": "X-Key", "auth_header_value": secret}
    org.ok(org.put("/api/org", {"name": "Other"}))
    person = new_person(org, "viewer")
    org.ok(org.put(f"/api/people/{person['id']}", {"role": "member", "password": "a new long password"}))
    key = org.ok(org.post("/api/keys", {"name": "spare"}))
    agent = org.ok(org.post("/api/agents", AGENT | {"config": config}))
    org.ok(org.put(f"/api/agents/{agent['id']}", {"name": "renamed"}))
    org.ok(org.post(f"/api/agents/{agent['id']}/publish"))
    (run_id,) = org.start(agent)
    org.wait(run_id)
    for path in (f"/api/agents/{agent['id']}", f"/api/keys/{key['id']}", f"/api/people/{person['id']}"):
        assert org.client.delete(path, headers={"X-Request-ID": "the-last-ones"}).status_code == 204
    log = org.ok(org.get("/api/audit-log"))
    found = [(one["action"], one["object_type"], one["object_id"]) for one in reversed(log["items"])]
    agent_id, person_id = str(agent["id"]), str(person["id"])
    assert found == [
        ("org.rename", "org", str(org.ok(org.get("/api/org"))["id"])),
        ("person.create", "person", person_id),
        ("person.role", "person", person_id),
        ("person.password", "person", person_id),
        ("key.create", "key", key["id"]),
        ("agent.create", "agent", agent_id),
        ("agent.change", "agent", agent_id),
        ("agent.publish", "agent", agent_id),
        ("run.create", "run", str(run_id)),
        ("agent.delete", "agent", agent_id),
        ("key.delete", "key", key["id"]),
        ("person.delete", "person", person_id),
    ]
    me = org.ok(org.get("/api/people"))["items"][-1]["id"]
    first_key = org.ok(org.get("/api/keys"))["items"][-1]["id"]
    assert {(one["person_id"], one["key_id"]) for one in log["items"]} == {(me, first_key)}
    assert [one["request_id"] for one in log["items"]][:4].count("the-last-ones") == 3
    assert len({one["request_id"] for one in log["items"]}) == 9
    for hidden in (secret, PASSWORD, key["key"], org.api_key, "a new long password"):
        assert hidden not in str(log)


@pytest.mark.both_databases
def test_the_log_names_who_did_it_and_pages(org: Org) -> None:
    person = new_person(org, "admin")
    signed_in = acting_as(org, org.ok(sign_in(org, person["email"]))["access_token"])
    made = signed_in.ok(signed_in.post("/api/keys", {"name": "theirs"}))
    robot = acting_as(org, made["key"])
    robot.ok(robot.put("/api/org", {"name": "By the robot"}))
    page = org.ok(org.get("/api/audit-log", params={"limit": 2}))
    actors = [(one["action"], one["person_id"], one["key_id"]) for one in page["items"]]
    assert actors == [("org.rename", person["id"], made["id"]), ("key.create", person["id"], None)]
    rest = org.ok(org.get("/api/audit-log", params={"cursor": page["next_cursor"]}))
    assert [one["action"] for one in rest["items"]] == ["person.create"]
    for one in (signed_in, robot):
        one.client.close()


def test_a_failed_change_leaves_no_entry(org: Org, agent_server: Any) -> None:
    agent = org.agent(agent_server(lambda d: final()).url)
    run = org.run(agent)
    person = new_person(org)
    before = org.ok(org.get("/api/audit-log"))
    for answer in (
        org.put("/api/org", {"name": ""}),
        org.post("/api/people", {"email": person["email"], "role": "admin"}),
        org.put(f"/api/people/{person['id']}", {"role": "member", "password": "short"}),
        org.client.delete("/api/people/999999999"),
        org.client.delete(f"/api/keys/{uuid4()}"),
        org.post("/api/agents", AGENT | {"tools_schema": 5}),
        org.put(f"/api/agents/{agent['id']}", {"config": {"run_timeout_s": 0}}),
        org.post("/api/runs", {"agent_id": agent["id"], "seeds": [{}]}),
        org.post(f"/api/runs/{run['id']}/cancel"),
        org.post("/api/keys", {"name": "x"}, headers={"Idempotency-Key": "k"}),
    ):
        assert 400 <= answer.status_code < 500
    assert org.ok(org.get("/api/audit-log")) == before
