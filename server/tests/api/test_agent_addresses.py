"""Where a registered agent may live, and that its secret never leaves for another place."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from api.surface import AGENT, UNUSED_URL
from support.agents import Answer, Behaviour, ScriptedAgent, SeesPings, final
from support.platform import Org

StartAgent = Callable[[Behaviour], ScriptedAgent]

SECRET = "Bearer secret-of-the-endpoint"


def faults(answer: httpx.Response, code: str = "validation_failed") -> list[dict[str, Any]]:
    assert (answer.status_code, answer.json()["code"]) == (422, code), answer.text
    errors: list[dict[str, Any]] = answer.json()["errors"]
    return errors


def create(org: Org, **config: Any) -> dict[str, Any]:
    agent: dict[str, Any] = org.ok(org.post("/api/agents", AGENT | {"config": AGENT["config"] | config}))
    return agent


def with_secret(org: Org, url: str) -> dict[str, Any]:
    return create(org, endpoint_url=url, auth_header_name="Authorization", auth_header_value=SECRET)


def change(org: Org, agent: dict[str, Any], body: dict[str, Any], **query: str) -> httpx.Response:
    return org.put(f"/api/agents/{agent['id']}", body, params=query)


def connect(org: Org, agent: dict[str, Any], **config: Any) -> httpx.Response:
    body = {"config": config} if config else None
    return org.post(f"/api/agents/{agent['id']}/test-connection", body)


def test_the_secret_is_sent_to_the_endpoint_and_never_returned(org: Org, agent_server: StartAgent) -> None:
    server = agent_server(SeesPings(lambda d: final()))
    agent = with_secret(org, server.url)
    assert agent["auth_header_set"] is True
    assert agent["config"] == {"endpoint_url": server.url, "auth_header_name": "Authorization"}
    assert org.ok(connect(org, agent))["ok"] is True
    org.ok(org.post(f"/api/agents/{agent['id']}/publish"))
    run = org.run(agent)
    assert [one.headers["authorization"] for one in server.received] == [SECRET] * 3
    rotated = org.ok(change(org, agent, {"config": {"auth_header_value": "Bearer rotated-secret"}}))
    assert rotated["version"] == 1
    org.ok(connect(org, agent))
    assert server.received[-1].headers["authorization"] == "Bearer rotated-secret"
    seen = [
        f"/api/agents/{agent['id']}",
        f"/api/agents/{agent['id']}/versions",
        "/api/agents",
        "/api/audit-log",
    ]
    for path in (*seen, f"/api/runs/{run['id']}", f"/api/runs/{run['id']}/trace"):
        assert "secret" not in org.get(path).text, path
    dropped = org.ok(change(org, agent, {"config": {"auth_header_value": None}}))
    assert dropped["auth_header_set"] is False
    org.ok(connect(org, agent))
    assert "authorization" not in server.received[-1].headers


def test_a_connection_is_tested_before_anything_is_saved(org: Org, agent_server: StartAgent) -> None:
    server = agent_server(SeesPings(lambda d: final()))
    config = {"endpoint_url": server.url, "auth_header_name": "Authorization", "auth_header_value": SECRET}
    unfinished = {"name": "", "config": config, "tools_schema": [None]}
    for body in (AGENT | {"config": config}, unfinished, {"config": config}):
        tested = org.ok(org.post("/api/agents/test-connection", body))
        assert tested == {"ok": True, "status": 200} | {key: tested[key] for key in ("latency_ms", "detail")}
    assert [(one.body, one.headers["authorization"]) for one in server.received] == [
        ({"ping": True}, SECRET)
    ] * 3
    assert org.ok(org.get("/api/agents"))["items"] == org.ok(org.get("/api/audit-log"))["items"] == []
    (fault,) = faults(org.post("/api/agents/test-connection", {"config": {}}))
    assert fault["loc"] == ["config", "endpoint_url"]
    (fault,) = faults(
        org.post("/api/agents/test-connection", {"mode": "code", "config": {}}), "not_available_yet"
    )
    assert fault["loc"] == ["mode"]
    nobody = org.ok(org.post("/api/agents/test-connection", {"config": {"endpoint_url": UNUSED_URL}}))
    assert (nobody["ok"], nobody["status"]) == (False, None)


def test_a_secret_does_not_move_to_another_origin(org: Org, agent_server: StartAgent) -> None:
    home, other = agent_server(SeesPings(lambda d: final())), agent_server(SeesPings(lambda d: final()))
    agent = with_secret(org, home.url)
    before = org.ok(org.get(f"/api/agents/{agent['id']}"))
    for url in (other.url, home.url.replace("127.0.0.1", "localhost"), "https://127.0.0.1/"):
        for query in ({}, {"draft": "true"}):
            moved = change(org, agent, {"config": {"endpoint_url": url}, "name": "moved"}, **query)
            (fault,) = faults(moved, "secret_required")
            assert fault["loc"] == ["config", "auth_header_value"]
        faults(connect(org, agent, endpoint_url=url), "secret_required")
    assert org.ok(org.get(f"/api/agents/{agent['id']}")) == before
    assert org.ok(connect(org, agent))["ok"] is True
    assert home.received[-1].headers["authorization"] == SECRET

    same_origin = org.ok(change(org, agent, {"config": {"endpoint_url": home.url + "/v2?x=1"}}))
    assert same_origin["auth_header_set"] is True
    org.ok(connect(org, agent, endpoint_url=other.url, auth_header_value="Bearer for-the-other"))
    org.ok(connect(org, agent, endpoint_url=other.url, auth_header_value=None))
    assert [one.headers.get("authorization") for one in other.received] == ["Bearer for-the-other", None]

    moved = change(org, agent, {"config": {"endpoint_url": other.url, "auth_header_value": None}})
    assert org.ok(moved)["auth_header_set"] is False
    org.ok(connect(org, agent))
    assert "authorization" not in other.received[-1].headers


def test_a_draft_elsewhere_leaves_the_published_version_its_secret(
    org: Org, agent_server: StartAgent
) -> None:
    home, other = agent_server(SeesPings(lambda d: final())), agent_server(SeesPings(lambda d: final()))
    agent = with_secret(org, home.url)
    org.ok(org.post(f"/api/agents/{agent['id']}/publish"))
    config = {"endpoint_url": other.url, "auth_header_value": "Bearer other"}
    org.ok(change(org, agent, {"config": config}, draft="true"))
    assert org.run(agent)["status"] == "completed"
    org.ok(connect(org, agent))
    assert [one.headers["authorization"] for one in home.received] == [SECRET] * 2, "a ping, then the run"
    assert [one.headers["authorization"] for one in other.received] == ["Bearer other"]


def answering(status: int) -> Behaviour:
    return SeesPings(lambda d: Answer(status, b"no", Location=UNUSED_URL))


def test_a_connection_test_says_what_the_endpoint_did(org: Org, agent_server: StartAgent) -> None:
    server = agent_server(SeesPings(lambda d: {"pong": True}))
    agent = create(org, endpoint_url=server.url)
    good = org.ok(connect(org, agent))
    assert good.keys() == {"ok", "status", "latency_ms", "detail"}
    assert (good["ok"], good["status"]) == (True, 200)
    assert type(good["latency_ms"]) is int
    assert server.received[0].body == {"ping": True}
    for status in (401, 403, 404, 500, 302):
        bad = org.ok(connect(org, agent, endpoint_url=agent_server(answering(status)).url))
        assert (bad["ok"], bad["status"]) == (False, status)
        assert str(status) in bad["detail"]
    for url in (UNUSED_URL, "https://127.0.0.1:9/"):
        gone = org.ok(connect(org, agent, endpoint_url=url))
        assert (gone["ok"], gone["status"]) == (False, None)
        assert gone["detail"]
    assert faults(connect(org, agent, run_timeout=5))[0]["loc"] == ["config", "run_timeout"]


# fmt: off
REFUSED = [
    "http://10.0.0.1/", "https://192.168.1.1/", "http://169.254.169.254/latest/meta-data",
    "http://[::ffff:169.254.169.254]/", "http://[64:ff9b::a9fe:a9fe]/", "https://100.100.100.200/",
    "https://168.63.129.16/", "http://0/", "http://0xa9fe.0xa9fe/", "http://2852039166/",
    "https://metadata.google.internal/", "http://agent.invalid/", "http://8.8.8.8/", "file:///etc/passwd",
    "gopher://x", "//agent.example.com/", "http://u:p@127.0.0.1/", "https://127.0.0.1:0/", "https://127.0.0.1/#x",
    "https://127.0.0.1\\@8.8.8.8/", "https://[fe80::1%25eth0]/", "", 5,
]
# fmt: on


@pytest.mark.parametrize("url", REFUSED)
def test_an_address_that_may_not_be_reached_is_refused_everywhere(org: Org, url: object) -> None:
    agent = create(org)
    registration = AGENT | {"config": {"endpoint_url": url}}
    for answer in (
        org.post("/api/agents", registration),
        org.post("/api/agents/validate", registration),
        change(org, agent, {"config": {"endpoint_url": url}}),
        connect(org, agent, endpoint_url=url),
    ):
        (fault,) = faults(answer)
        assert fault["loc"] == ["config", "endpoint_url"]
        assert "u:p" not in answer.text
    assert org.ok(org.get("/api/agents"))["items"] == [agent]


def test_a_name_that_does_not_resolve_yet_is_accepted(org: Org) -> None:
    assert create(org, endpoint_url="https://agent.invalid/dispatch")["version"] == 1
