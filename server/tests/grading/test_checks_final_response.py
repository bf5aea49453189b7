"""Checks of the final response: words, patterns and JSON."""

from typing import Any

import pytest
from support.evidence import evidence, result

from odyssey.grading.checks.final_response import last_fenced_block

PRICE = {"type": "object", "required": ["price"], "properties": {"price": {"type": "number"}}}


def state(check: dict[str, Any], response: str | None) -> str:
    return result({"final_response": check}, evidence(final_response=response)).state


@pytest.mark.parametrize(
    ("contains", "response", "passes"),
    [
        ("refunded", "Your order was Refunded.", True),
        ("STRASSE", "Hauptstraße 1", True),
        (["refunded", "3 days"], "Refunded; it takes 3 DAYS.", True),
        (["refunded", "3 days"], "Refunded.", False),
        ("refunded", None, False),
    ],
)
def test_contains(contains: Any, response: str | None, passes: bool) -> None:
    assert state({"contains": contains}, response) == ("passed" if passes else "failed")


def test_the_first_text_that_is_missing_is_named() -> None:
    found = result({"final_response": {"contains": ["done", "sorry"]}}, evidence(final_response="Done."))
    assert found.reason == "the final response does not contain 'sorry'"


@pytest.mark.parametrize(
    ("pattern", "response", "passes"),
    [
        (r"W\d{3}", "Order W123 is cancelled.", True),
        (r"^W\d{3}$", "Order W123 is cancelled.", False),
        ("(?i)CANCELLED", "Order W123 is cancelled.", True),
        ("^(a+)+$", "a" * 49_999 + "!", False),
    ],
)
def test_regex_is_searched_for_in_linear_time(pattern: str, response: str, passes: bool) -> None:
    assert state({"regex": pattern}, response) == ("passed" if passes else "failed")


@pytest.mark.parametrize(
    ("response", "passes"),
    [
        ('{"price": 3}', True),
        (' {"price": 3}\n', True),
        ('{"price": "3"}', False),
        ('Here it is:\n```json\n{"price": 3}\n```\nBye.', True),
        ('```\n{"price": "no"}\n```\nor rather\n```json\n{"price": 3}\n```', True),
        ('```json\n{"price": 3}\n```\nor rather\n```\n{"price": "no"}\n```', False),
        ('~~~json\r\n{"price": 3}\r\n~~~', True),
        ('```json\n{"price": 3}', True),
        ('It costs {"price": 3}.', False),
        ("It costs 3.", False),
        ('{"price": 3, "price": "no"}', False),
        ('{"price": NaN}', False),
        (None, False),
    ],
)
def test_json_is_the_whole_answer_or_its_last_block(response: str | None, passes: bool) -> None:
    assert state({"json_schema": PRICE}, response) == ("passed" if passes else "failed")


def test_what_does_not_fit_the_schema_is_placed() -> None:
    found = result({"final_response": {"json_schema": PRICE}}, evidence(final_response='{"price": "x"}'))
    assert found.reason.startswith("the JSON of the final response does not fit the schema at price: ")


@pytest.mark.parametrize(
    ("text", "block"),
    [
        ("no block", None),
        ("```\n```", ""),
        ("```py\na\n````\nb", "a"),
        ("````\na\n```\nb\n````", "a\n```\nb"),
        ("```\na\n~~~\nb\n```", "a\n~~~\nb"),
        ("```\na\n``` not the end\nb\n```", "a\n``` not the end\nb"),
        ("    ```\na", None),
    ],
)
def test_blocks_are_fenced_as_in_markdown(text: str, block: str | None) -> None:
    assert last_fenced_block(text) == block
