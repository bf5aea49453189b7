"""Calls that a transcript tells of and the proxy never saw."""

from typing import Any

from hypothesis import given
from support.evidence import calls, evidence, evidences, refused

from odyssey.grading.evidence import Evidence
from odyssey.grading.verdict import ToolClaim, unseen_claims


def flat(call_id: str, name: str, arguments: Any = None) -> dict[str, Any]:
    return {"id": call_id, "name": name, "arguments": arguments or {}}


def nested(call_id: str, name: str, arguments: str = "{}") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def told(*tool_calls: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": None, "tool_calls": [*tool_calls]},
    ]


def test_both_shapes_are_claims() -> None:
    messages = told(flat("1", "refund"), nested("2", "refund"), nested("3", "get_order"))
    assert unseen_claims(evidence(messages=messages)) == [
        ToolClaim("refund", 2, 0),
        ToolClaim("get_order", 1, 0),
    ]


def test_what_the_proxy_saw_is_no_claim_even_if_it_refused() -> None:
    messages = told(flat("1", "refund"), flat("2", "get_order"))
    assert unseen_claims(evidence(messages=messages, calls=(*calls("get_order"), refused(9, "refund")))) == []


def test_more_calls_than_were_seen_are_a_claim() -> None:
    messages = told(flat("1", "refund", {"order_id": "A1"}), flat("2", "refund", {"order_id": "B2"}))
    assert unseen_claims(evidence(messages=messages, calls=calls("refund"))) == [ToolClaim("refund", 2, 1)]


def test_tools_that_were_not_declared_are_the_agents_own_business() -> None:
    assert unseen_claims(evidence(messages=told(flat("1", "search_my_notes")))) == []


def test_refusals_that_were_only_counted_may_have_been_any_call() -> None:
    messages = told(flat("1", "refund"), flat("2", "get_order"))
    assert unseen_claims(evidence(messages=messages, uncounted_calls=2)) == []
    assert unseen_claims(evidence(messages=messages, uncounted_calls=1)) == [ToolClaim("get_order", 1, 0)]


def test_a_call_told_twice_is_one_call() -> None:
    messages = told(flat("1", "refund")) + told(flat("1", "refund"))
    assert unseen_claims(evidence(messages=messages, calls=calls("refund"))) == []
    other = told(flat("1", "refund", {"order_id": "A1"}), flat("1", "refund", {"order_id": "B2"}))
    assert unseen_claims(evidence(messages=other, calls=calls("refund"))) == [ToolClaim("refund", 2, 1)]


def test_no_transcript_claims_nothing() -> None:
    assert unseen_claims(evidence(messages=None)) == []
    assert unseen_claims(evidence(messages=[{"role": "assistant", "content": "I called refund."}])) == []


@given(evidences)
def test_a_claim_is_of_a_declared_tool_and_beyond_what_was_seen(seen: Evidence) -> None:
    claims = unseen_claims(seen)
    assert claims == unseen_claims(seen)
    for claim in claims:
        assert claim.tool in seen.declared_tools
        assert claim.claimed > claim.observed == sum(call.tool == claim.tool for call in seen.calls)
