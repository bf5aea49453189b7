"""The org's settings over HTTP: who may read and change them, what is kept, and what is never shown."""

from typing import Any

import pytest
from api.surface import new_email, problem
from support.platform import Org

JUDGE: dict[str, Any] = {
    "provider": "openai",
    "base_url": "http://127.0.0.1:9/v1",
    "model": "judge-1",
    "api_key": "sk-canary-of-the-settings-wxyz",
}
SHOWN: dict[str, Any] = {
    "provider": "openai",
    "base_url": "http://127.0.0.1:9/v1",
    "model": "judge-1",
    "api_key_hint": "****wxyz",
    "timeout_s": 60.0,
    "max_output_tokens": 2000,
    "input_usd_per_mtok": 0.0,
    "output_usd_per_mtok": 0.0,
}

THRESHOLDS = {"critical": 0.5, "high": 0.55, "medium": 0.6, "low": 0.65}


def put_judge(org: Org, **members: Any) -> Any:
    return org.ok(org.put("/api/settings", {"models": {"judge": members}}))["models"]["judge"]


def audit(org: Org) -> list[dict[str, Any]]:
    entries = org.ok(org.get("/api/audit-log"))["items"]
    return [entry for entry in entries if entry["action"] == "settings.change"]


def test_at_first_there_is_no_judge_and_a_budget_of_calls(org: Org) -> None:
    assert org.ok(org.get("/api/settings")) == {
        "models": {"judge": None, "simulator": None},
        "budgets": {"usd_per_day": None, "calls_per_day": 10000},
        "evals": {"thresholds": THRESHOLDS, "sample_share": 0.05},
        "spent_today": {"usd": 0.0, "calls": 0},
        "updated_at": None,
    }


def test_a_judge_is_kept_and_its_key_never_shown(org: Org) -> None:
    answer = org.put("/api/settings", {"models": {"judge": JUDGE}})
    assert org.ok(answer)["models"]["judge"] == SHOWN
    again = org.get("/api/settings")
    assert org.ok(again)["models"]["judge"] == SHOWN
    log = org.get("/api/audit-log")
    assert all(JUDGE["api_key"] not in said.text for said in (answer, again, log))


def test_what_is_left_out_stays(org: Org) -> None:
    put_judge(org, **JUDGE, timeout_s=5)
    org.ok(org.put("/api/settings", {"budgets": {"usd_per_day": 2.5}}))
    assert put_judge(org, model="judge-2", input_usd_per_mtok=3) == SHOWN | {
        "model": "judge-2",
        "timeout_s": 5.0,
        "input_usd_per_mtok": 3.0,
    }
    budgets = org.ok(org.put("/api/settings", {"budgets": {"calls_per_day": 7}}))["budgets"]
    assert budgets == {"usd_per_day": 2.5, "calls_per_day": 7}
    assert org.ok(org.put("/api/settings", {}))["budgets"] == budgets
    budgets = org.ok(org.put("/api/settings", {"budgets": {"usd_per_day": None}}))["budgets"]
    assert budgets == {"usd_per_day": None, "calls_per_day": 7}
    assert org.ok(org.get("/api/settings"))["models"]["judge"]["api_key_hint"] == "****wxyz"


def test_thresholds_are_kept_one_by_one(org: Org) -> None:
    change = {"evals": {"thresholds": {"critical": 0.4, "low": 1}}}
    shown = org.ok(org.put("/api/settings", change))["evals"]
    assert shown == {"thresholds": THRESHOLDS | {"critical": 0.4, "low": 1.0}, "sample_share": 0.05}
    org.ok(org.put("/api/settings", {"budgets": {"calls_per_day": 7}}))
    shown = org.ok(org.put("/api/settings", {"evals": {"thresholds": {"high": 0}, "sample_share": 1}}))[
        "evals"
    ]
    kept = THRESHOLDS | {"critical": 0.4, "high": 0.0, "low": 1.0}
    assert shown == org.ok(org.get("/api/settings"))["evals"] == {"thresholds": kept, "sample_share": 1.0}
    assert len(audit(org)) == 3
    org.ok(org.put("/api/settings", {"evals": shown}))
    assert len(audit(org)) == 3


def test_another_address_asks_for_the_key_again(org: Org) -> None:
    put_judge(org, **JUDGE)
    for url in ("http://127.0.0.1:10/v1", "http://127.0.0.2:9/v1", "https://127.0.0.1:9/v1"):
        answer = org.put("/api/settings", {"models": {"judge": {"base_url": url}}})
        body = problem(answer, 422, "secret_required", JUDGE["api_key"])
        assert body["errors"][0]["loc"] == ["models", "judge", "api_key"]
    assert org.ok(org.get("/api/settings"))["models"]["judge"] == SHOWN
    assert put_judge(org, base_url="http://127.0.0.1:9/other")["api_key_hint"] == "****wxyz"
    moved = put_judge(org, base_url="http://127.0.0.1:10/v1", api_key="another-key-of-16-abcd")
    assert moved["api_key_hint"] == "****abcd"
    assert put_judge(org, base_url="http://127.0.0.1:11/v1", api_key=None)["api_key_hint"] is None
    assert put_judge(org, base_url="http://127.0.0.1:12/v1")["base_url"] == "http://127.0.0.1:12/v1"


def test_another_provider_brings_its_own_address(org: Org) -> None:
    put_judge(org, **JUDGE)
    answer = org.put("/api/settings", {"models": {"judge": {"provider": "anthropic"}}})
    problem(answer, 422, "secret_required")
    changed = put_judge(org, provider="anthropic", api_key="another-key-of-16-abcd")
    assert changed["base_url"] == "https://api.anthropic.com"


def test_a_judge_can_be_taken_away_with_its_key(org: Org) -> None:
    put_judge(org, **JUDGE)
    assert org.ok(org.put("/api/settings", {"models": {"judge": None}}))["models"]["judge"] is None
    again = put_judge(org, provider="openai", model="m", base_url=JUDGE["base_url"])
    assert again["api_key_hint"] is None


def test_of_a_short_key_nothing_is_shown(org: Org) -> None:
    assert put_judge(org, **JUDGE | {"api_key": "12345678"})["api_key_hint"] == "****"


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"models": {"judge": {"model": "m"}}}, ["models", "judge", "provider"]),
        ({"models": {"judge": {"provider": "openai"}}}, ["models", "judge", "model"]),
        ({"models": {"judge": JUDGE | {"provider": "other"}}}, ["models", "judge", "provider"]),
        ({"models": {"judge": JUDGE | {"base_url": "ftp://127.0.0.1/"}}}, ["models", "judge", "base_url"]),
        ({"models": {"judge": JUDGE | {"base_url": "nonsense"}}}, ["models", "judge", "base_url"]),
        ({"models": {"judge": JUDGE | {"base_url": ""}}}, ["models", "judge", "base_url"]),
        (
            {"models": {"judge": JUDGE | {"base_url": "http://u:p@127.0.0.1/"}}},
            ["models", "judge", "base_url"],
        ),
        (
            {"models": {"judge": JUDGE | {"base_url": "http://127.0.0.1/?k=1"}}},
            ["models", "judge", "base_url"],
        ),
        (
            {"models": {"judge": JUDGE | {"base_url": "http://169.254.169.254/"}}},
            ["models", "judge", "base_url"],
        ),
        ({"models": {"judge": JUDGE | {"base_url": "https://10.0.0.1/v1"}}}, ["models", "judge", "base_url"]),
        ({"models": {"judge": JUDGE | {"api_key": "short"}}}, ["models", "judge", "api_key"]),
        ({"models": {"judge": JUDGE | {"api_key": "with\r\nX-Header: 1"}}}, ["models", "judge", "api_key"]),
        ({"models": {"judge": JUDGE | {"api_key": "ключ-ключ-ключ"}}}, ["models", "judge", "api_key"]),
        ({"models": {"judge": JUDGE | {"model": ""}}}, ["models", "judge", "model"]),
        ({"models": {"judge": JUDGE | {"model": "a\u0000b"}}}, ["models", "judge", "model"]),
        ({"models": {"judge": JUDGE | {"timeout_s": 0}}}, ["models", "judge", "timeout_s"]),
        ({"models": {"judge": JUDGE | {"max_output_tokens": 2.5}}}, ["models", "judge", "max_output_tokens"]),
        (
            {"models": {"judge": JUDGE | {"input_usd_per_mtok": -1}}},
            ["models", "judge", "input_usd_per_mtok"],
        ),
        ({"models": {"judge": JUDGE | {"key": "x"}}}, ["models", "judge", "key"]),
        ({"models": {"persona": None}}, ["models", "persona"]),
        ({"models": None}, ["models"]),
        ({"budgets": {"calls_per_day": -1}}, ["budgets", "calls_per_day"]),
        ({"budgets": {"usd_per_day": "5"}}, ["budgets", "usd_per_day"]),
        ({"thresholds": {}}, ["thresholds"]),
        ({"evals": {"thresholds": {"critical": 1.01}}}, ["evals", "thresholds", "critical"]),
        ({"evals": {"thresholds": {"low": -0.01}}}, ["evals", "thresholds", "low"]),
        ({"evals": {"thresholds": {"high": "0.5"}}}, ["evals", "thresholds", "high"]),
        ({"evals": {"thresholds": {"severe": 0.5}}}, ["evals", "thresholds", "severe"]),
        ({"evals": {"thresholds": None}}, ["evals", "thresholds"]),
        ({"evals": {"sample_share": 5}}, ["evals", "sample_share"]),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_kept(org: Org, body: dict[str, Any], place: list[str]) -> None:
    found = problem(org.put("/api/settings", body), 422, "validation_failed", JUDGE["api_key"])
    assert found["errors"][0]["loc"] == place
    assert org.ok(org.get("/api/settings"))["updated_at"] is None


@pytest.mark.parametrize("role", ["judge", "simulator"])
def test_every_role_has_its_own_model_address_and_key(org: Org, role: str) -> None:
    other = "simulator" if role == "judge" else "judge"
    theirs = JUDGE | {"model": "theirs", "api_key": "sk-key-of-the-other-role-abcd"}
    both = org.ok(org.put("/api/settings", {"models": {other: theirs, role: JUDGE}}))["models"]
    assert both == {role: SHOWN, other: SHOWN | {"model": "theirs", "api_key_hint": "****abcd"}}
    assert len(audit(org)) == 1
    moved = {"base_url": "http://127.0.0.1:10/v1"}
    body = problem(org.put("/api/settings", {"models": {role: moved}}), 422, "secret_required")
    assert body["errors"][0]["loc"] == ["models", role, "api_key"]
    body = problem(
        org.put("/api/settings", {"models": {role: moved | {"api_key": None}, other: moved}}),
        422,
        "secret_required",
    )
    assert body["errors"][0]["loc"] == ["models", other, "api_key"]
    assert org.ok(org.get("/api/settings"))["models"] == both  # neither was changed
    org.ok(org.put("/api/settings", {"models": {role: None}}))
    assert org.ok(org.get("/api/settings"))["models"] == {role: None, other: both[other]}
    body = problem(org.put("/api/settings", {"models": {role: {"model": "m"}}}), 422, "validation_failed")
    assert body["errors"][0]["loc"] == ["models", role, "provider"]
    body = problem(
        org.put("/api/settings", {"models": {role: JUDGE | {"base_url": "https://10.0.0.1/v1"}}}),
        422,
        "validation_failed",
    )
    assert body["errors"][0]["loc"] == ["models", role, "base_url"]


def test_every_change_leaves_one_entry_in_the_audit_log(org: Org) -> None:
    put_judge(org, **JUDGE)
    put_judge(org, **{name: value for name, value in JUDGE.items() if name != "api_key"})  # nothing new
    assert len(audit(org)) == 1
    put_judge(org, api_key="another-key-of-16-abcd")
    org.ok(org.put("/api/settings", {"budgets": {"calls_per_day": 1}}))
    assert len(audit(org)) == 3
    assert {entry["object_type"] for entry in audit(org)} == {"settings"}


def test_viewers_and_members_read_and_only_admins_change(org: Org) -> None:
    put_judge(org, **JUDGE)
    for role in ("viewer", "member"):
        email, password = new_email(), "a password for the test"
        org.ok(org.post("/api/people", {"email": email, "role": role, "password": password}))
        token = org.ok(org.post("/api/auth/token", {"email": email, "password": password}))["access_token"]
        person = Org(org.platform, token)
        assert person.ok(person.get("/api/settings"))["models"]["judge"] == SHOWN
        problem(person.put("/api/settings", {"budgets": {"calls_per_day": 1}}), 403, "forbidden")
        person.client.close()


def test_an_org_has_its_own_settings(org: Org, other_org: Org) -> None:
    put_judge(org, **JUDGE)
    assert other_org.ok(other_org.get("/api/settings"))["models"]["judge"] is None
    put_judge(other_org, **JUDGE | {"model": "theirs"})
    assert org.ok(org.get("/api/settings"))["models"]["judge"] == SHOWN
