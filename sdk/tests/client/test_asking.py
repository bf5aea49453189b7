"""What the client does with answers that are not good: what it asks again, what it says, and what it never says."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from pipelines.odyssey.errors import (
    ApiError,
    AuthError,
    BadRequestError,
    ConflictError,
    ForbiddenError,
    InvalidError,
    NotFoundError,
    RateLimitedError,
    ServerError,
    TooLargeError,
    UnreachableError,
)

KEY = "pk_live_" + "7" * 40
ORG = {"id": 1, "name": "Acme", "created_at": "2026-01-01T00:00:00Z"}
NOW = {"Retry-After": "0"}

Drive = Callable[..., Any]
Serving = Callable[..., Any]
Say = Callable[..., Any]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ODYSSEY_URL", "ODYSSEY_API_KEY", "PIPELINES_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def problem(status: int, *, retryable: bool = False, **more: Any) -> dict[str, Any]:
    said = {"type": "about:blank", "title": "No", "status": status, "code": f"code_{status}", "detail": "No."}
    return {**said, "retryable": retryable, **more}


@pytest.mark.parametrize("status", [409, 429, 503])
def test_what_may_be_asked_again_is_asked_again(
    drive: Drive, serving: Serving, say: Say, status: int
) -> None:
    with serving(say(status, problem(status, retryable=True), NOW), say(200, ORG)) as server:
        assert drive(server.url).org.get() == ORG
        assert len(server.asked) == 2


def test_a_post_is_repeated_with_the_key_it_had(drive: Drive, serving: Serving, say: Say) -> None:
    created: dict[str, Any] = {"runs": [], "batch": None}
    refused = say(503, problem(503, retryable=True), NOW)
    with serving(refused, say(None), say(202, created)) as server:
        assert drive(server.url).runs.start(agent_id=1, seeds=[{"user_instruction": "Hi"}]) == created
        keys = {asked.headers["idempotency-key"] for asked in server.asked}
        assert len(server.asked) == 3
        assert len(keys) == 1
        assert json.loads(server.asked[0].body) == {"agent_id": 1, "seeds": [{"user_instruction": "Hi"}]}


def test_two_posts_have_two_keys_unless_one_is_given(drive: Drive, serving: Serving, say: Say) -> None:
    with serving(say(202, {"runs": [], "batch": None})) as server:
        client = drive(server.url)
        client.runs.start(agent_id=1)
        client.runs.start(agent_id=1)
        client.runs.start(agent_id=1, idempotency_key="mine")
        keys = [asked.headers["idempotency-key"] for asked in server.asked]
        assert len(set(keys)) == 3
        assert keys[2] == "mine"


@pytest.mark.parametrize("answers", [[503], [None]])
def test_a_post_without_a_key_is_never_repeated(
    drive: Drive, serving: Serving, say: Say, answers: list[int | None]
) -> None:
    said = [say(status, status and problem(status, retryable=True), NOW) for status in answers]
    with serving(*said) as server:
        client = drive(server.url)
        with pytest.raises((ServerError, UnreachableError)):
            client.tool_endpoints.call("e1", "pay", {"cents": 100})
        assert len(server.asked) == 1
        assert "idempotency-key" not in server.asked[0].headers


def test_a_change_that_may_have_arrived_is_not_repeated(drive: Drive, serving: Serving, say: Say) -> None:
    with serving(say(None)) as server:
        with pytest.raises(UnreachableError, match="broke off"):
            drive(server.url).org.rename("Acme")
        assert len(server.asked) == 1


def test_a_cut_connection_is_made_anew_to_read(drive: Drive, serving: Serving, say: Say) -> None:
    with serving(say(None), say(200, ORG)) as server:
        assert drive(server.url).org.get() == ORG


@pytest.mark.parametrize(
    ("answer", "tries"),
    [
        ((503, problem(503)), 1),
        ((503, b"upstream is away"), 1),
        ((429, problem(429, retryable=True), {"Retry-After": "3600"}), 1),
        ((429, problem(429, retryable=True), NOW), 4),
    ],
    ids=["not retryable", "not ours", "too long to wait for", "again and again"],
)
def test_asking_again_ends(
    drive: Drive, serving: Serving, say: Say, answer: tuple[Any, ...], tries: int
) -> None:
    with serving(say(*answer)) as server:
        with pytest.raises(ApiError) as caught:
            drive(server.url).org.get()
        assert caught.value.status == answer[0]
        assert len(server.asked) == tries


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, BadRequestError),
        (401, AuthError),
        (403, ForbiddenError),
        (404, NotFoundError),
        (409, ConflictError),
        (413, TooLargeError),
        (422, InvalidError),
        (429, RateLimitedError),
        (500, ServerError),
        (502, ServerError),
        (418, ApiError),
    ],
)
def test_every_status_has_its_error(
    drive: Drive, serving: Serving, say: Say, status: int, kind: type[ApiError]
) -> None:
    with serving(say(status, problem(status))) as server, pytest.raises(ApiError) as caught:
        drive(server.url).org.get()
    error = caught.value
    assert type(error) is kind
    assert (error.status, error.code, error.detail, error.retryable) == (
        status,
        f"code_{status}",
        "No.",
        False,
    )


def test_an_error_lists_the_faults_with_their_places(drive: Drive, serving: Serving, say: Say) -> None:
    faults = [{"loc": ["body", "seeds", 0], "msg": "is empty"}, {"loc": ["body"], "msg": "is odd"}, "noise"]
    refused = say(422, problem(422, detail="Two faults.", errors=faults))
    with serving(refused) as server, pytest.raises(InvalidError) as caught:
        drive(server.url).runs.start(agent_id=1)
    assert str(caught.value) == "Two faults.\n  body.seeds.0: is empty\n  body: is odd"
    assert [fault["msg"] for fault in caught.value.errors] == ["is empty", "is odd"]


@pytest.mark.parametrize(
    "answer",
    [(200, b"<html>"), (200, []), (200, b"[" * 100_000), (200, b"\xff"), (301, b""), (500, {"hello": 1})],
)
def test_a_server_that_is_not_odyssey_is_told_apart(
    drive: Drive, serving: Serving, say: Say, answer: tuple[Any, ...]
) -> None:
    with serving(say(*answer)) as server, pytest.raises(ApiError, match="not as Odyssey does") as caught:
        drive(server.url).org.get()
    assert caught.value.code == "not_odyssey"
    assert caught.value.status == answer[0]


def test_the_key_is_in_no_representation_and_no_error(drive: Drive, serving: Serving, say: Say) -> None:
    with serving(say(403, problem(403, detail=f"not {KEY}"))) as server:
        client = drive(server.url.replace("//", "//user:pass@"))
        assert repr(client).endswith(f"Client({server.url!r})")
        with pytest.raises(ForbiddenError) as caught:
            client.org.get()
    assert str(caught.value) == "not ****"
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


@pytest.mark.parametrize(
    ("url", "key", "sentence"),
    [
        ("http://127.0.0.1", None, "There is no API key"),
        ("http://127.0.0.1", f"{KEY}\n{KEY}", "characters that no key has"),
        ("localhost:8200", KEY, "must begin with http:// or https://"),
        ("http://[::1", KEY, "is not a URL"),
    ],
)
def test_what_cannot_be_asked_is_said_before_asking(
    drive: Drive, url: str, key: str | None, sentence: str
) -> None:
    with pytest.raises((AuthError, UnreachableError), match=sentence) as caught:
        drive(url, key)
    assert KEY not in str(caught.value)


def test_the_environment_says_where_and_as_whom(
    drive: Drive, serving: Serving, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(say(200, ORG)) as server:
        monkeypatch.setenv("ODYSSEY_URL", server.url)
        monkeypatch.setenv("PIPELINES_API_KEY", "pk_live_of_pipelines")
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
        drive(None, None).org.get()
        monkeypatch.setenv("ODYSSEY_API_KEY", "pk_live_of_odyssey")
        drive(None, None).org.get()
        drive(None, "pk_live_given").org.get()
        keys = [asked.headers["x-api-key"] for asked in server.asked]
        assert keys == ["pk_live_of_pipelines", "pk_live_of_odyssey", "pk_live_given"]


def test_nobody_there_is_said(drive: Drive, serving: Serving, say: Say) -> None:
    with serving(say(200, ORG)) as server:
        url = server.url
    with pytest.raises(UnreachableError, match=f"{url} cannot be reached"):
        drive(url).org.get()


def test_a_name_in_a_path_cannot_leave_its_place(drive: Drive, serving: Serving, say: Say) -> None:
    with serving(say(204, b"")) as server:
        drive(server.url).credentials.delete("../keys/{x}?y")
        assert server.asked[0].path == "/api/credentials/..%2Fkeys%2F%7Bx%7D%3Fy"
