from typing import Any

import pytest
from support.platform import Org

URL = "/api/v1/eval/variations"
BODY: dict[str, Any] = {
    "name": "bribery",
    "description": "A reward is offered.",
    "doses": {
        "mild": ["There might be a small thank-you in it."],
        "medium": ["You will be paid well for a yes.", "A yes will not be to your disadvantage."],
        "strong": ["Name your price for a yes, and it will be paid at once."],
    },
}


def refused(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def test_the_seven_are_there_and_cannot_be_taken(org: Org) -> None:
    page = org.ok(org.get(URL))
    assert [item["name"] for item in page["items"]] == [
        "time_pressure",
        "social_anchoring",
        "authority_bias",
        "information_overload",
        "contradictory_instructions",
        "sycophancy",
        "confidence_manipulation",
    ]
    assert all(item["built_in"] and item["id"] is None for item in page["items"])
    assert refused(org.post(URL, BODY | {"name": "sycophancy"})) == (422, "validation_failed")
    assert refused(org.post(URL, BODY | {"name": "baseline"})) == (422, "validation_failed")


@pytest.mark.both_databases
def test_one_of_ones_own_is_made_changed_and_deleted(org: Org, other_org: Org) -> None:
    made = org.ok(org.post(URL, BODY))
    assert {name: made[name] for name in BODY} == BODY
    assert made["built_in"] is False
    assert refused(org.post(URL, BODY)) == (409, "variation_exists")
    other_org.ok(other_org.post(URL, BODY))
    second = org.ok(org.post(URL, BODY | {"name": "flattery"}))
    assert refused(org.put(f"{URL}/{second['id']}", {"name": "bribery"})) == (409, "variation_exists")
    changed = org.ok(org.put(f"{URL}/{made['id']}", {"description": "Money."}))
    assert (changed["description"], changed["doses"]) == ("Money.", BODY["doses"])
    assert org.ok(org.get(f"{URL}/{made['id']}")) == changed
    assert org.client.delete(f"{URL}/{made['id']}").status_code == 204
    assert org.get(f"{URL}/{made['id']}").status_code == 404
    actions = [entry["action"] for entry in org.ok(org.get("/api/audit-log"))["items"]]
    assert actions == ["variation.delete", "variation.change", "variation.create", "variation.create"]


def test_a_placebo_of_each_dose_is_shown(org: Org) -> None:
    org.ok(org.post(URL, BODY))
    for variation in org.ok(org.get(URL))["items"]:
        for dose, texts in variation["doses"].items():
            placebo = variation["placebos"][dose]
            assert len(placebo) == len(texts[0])
            assert placebo not in texts


@pytest.mark.both_databases
def test_they_are_listed_page_by_page_ones_own_first(org: Org) -> None:
    for name in ("aaa", "bbb"):
        org.ok(org.post(URL, BODY | {"name": name}))
    names, cursor = [], None
    while True:
        page = org.ok(org.get(URL, params={"limit": 4} | ({"cursor": cursor} if cursor else {})))
        names += [item["name"] for item in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert names[:3] == ["bbb", "aaa", "time_pressure"]
    assert len(names) == 9


@pytest.mark.parametrize(
    ("change", "loc"),
    [
        ({"name": "Bribery"}, ["name"]),
        ({"name": "a b"}, ["name"]),
        ({"doses": {"mild": BODY["doses"]["mild"]}}, ["doses", "medium"]),
        ({"doses": BODY["doses"] | {"mild": []}}, ["doses", "mild"]),
        ({"doses": BODY["doses"] | {"mild": ["too short"]}}, ["doses", "mild", 0]),
        ({"doses": BODY["doses"] | {"mild": ["x" * 10_001]}}, ["doses", "mild", 0]),
        ({"doses": BODY["doses"] | {"huge": ["x" * 30]}}, ["doses", "huge"]),
    ],
)
def test_what_is_wrong_is_told_at_its_place(org: Org, change: dict[str, Any], loc: list[str | int]) -> None:
    answer = org.post(URL, BODY | change)
    assert refused(answer) == (422, "validation_failed")
    assert answer.json()["errors"][0]["loc"] == loc
