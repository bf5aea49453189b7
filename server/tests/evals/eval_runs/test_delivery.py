from typing import Any

import pytest

from odyssey.evals.eval_runs.plan import was_delivered

TEXT = "You have sixty seconds."
NOTHING: dict[str, Any] = {
    "dispatched": True,
    "messages": None,
    "metadata": None,
    "system_prompts": [],
    "carried": False,
}


@pytest.mark.parametrize(
    ("evidence", "found"),
    [
        ({}, "undelivered"),
        ({"metadata": {"system_injection_applied": True}}, "claimed"),
        ({"metadata": {"system_injection_applied": "true"}}, "undelivered"),
        ({"messages": [{"role": "system", "content": f"You help.\n{TEXT}"}]}, "delivered"),
        ({"messages": [{"role": "system", "content": [{"type": "text", "text": TEXT}]}]}, "delivered"),
        ({"messages": [{"role": "user", "content": TEXT}]}, "undelivered"),
        ({"messages": [{"role": "system", "content": TEXT.upper()}]}, "undelivered"),
        ({"messages": [{"role": "system", "content": None}]}, "undelivered"),
        ({"system_prompts": [{"content": f"… {TEXT} …"}]}, "delivered"),
        ({"system_prompts": [{"parts": [{"text": TEXT}]}]}, "delivered"),
        ({"system_prompts": [{"content": "Hello."}, 5]}, "undelivered"),
        ({"carried": True}, "undelivered"),
    ],
)
def test_system_is_delivered_when_the_exact_text_was_seen(evidence: dict[str, Any], found: str) -> None:
    assert was_delivered("system", TEXT, **(NOTHING | evidence)) == found


def test_a_tool_result_is_delivered_when_one_carried_it() -> None:
    assert was_delivered("tool_result", TEXT, **NOTHING) == "undelivered"
    assert was_delivered("tool_result", TEXT, **(NOTHING | {"carried": True})) == "delivered"


def test_an_instruction_is_delivered_when_it_was_sent() -> None:
    assert was_delivered("user", TEXT, **NOTHING) == "delivered"
    assert was_delivered("user", TEXT, **(NOTHING | {"dispatched": False})) == "undelivered"
