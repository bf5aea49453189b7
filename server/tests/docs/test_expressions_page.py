"""The page about expressions: its examples are true, it has every function, and its limits are those of the code."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from odyssey.expressions import MAX_EXPRESSION, EvaluationError, Facts, read_expression
from odyssey.expressions.arithmetic import MAX_ELEMENTS
from odyssey.expressions.facts import MAX_CALLS, VARIABLES, EarlierCall
from odyssey.expressions.functions import ALL_FUNCTIONS, CEL_FUNCTIONS, MAX_LIST
from odyssey.expressions.functions.cel_own import MAX_PATTERN
from odyssey.expressions.syntax import MAX_WALKS
from odyssey.expressions.values import MAX_DEPTH, MAX_NODES, MAX_TEXT, MAX_WORK
from odyssey.records.faults import Faults
from odyssey.simulation.rules.rule import CALL_WORK, RULE_WORK
from odyssey.worlds.ledger import Ledger

PAGE = (Path(__file__).parents[3] / "docs" / "concepts" / "expressions.md").read_text("utf-8")
EXAMPLES = re.findall(r"\| `([^`]+)` → (.+) \|$", PAGE, re.MULTILINE)
SECTIONS = {part.partition("\n")[0]: part for part in PAGE.split("\n## ")}


def make_facts() -> Facts:
    (block,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    given: dict[str, Any] = json.loads(block)
    return Facts(
        args=given["args"],
        ledger=Ledger.boot(given["state"], set(given["flags"])),
        actor=given["actor"],
        calls=[EarlierCall(**call) for call in given["calls"]],
    )


def functions_in(text: str) -> dict[str, str]:
    return dict(re.findall(r"^\| `(\w+)` \| .* \| `([^`]+)` →", text, re.MULTILINE))


@pytest.mark.parametrize(("text", "expected"), EXAMPLES)
def test_an_example_gives_what_the_page_says(text: str, expected: str) -> None:
    faults = Faults()
    expression = read_expression(text, faults)
    assert expression is not None, faults.found
    if expected.startswith("`"):
        value = json.loads(expected.strip("`"))
        found = expression.evaluate(make_facts())
        assert (found, type(found)) == (value, type(value))
    else:
        with pytest.raises(EvaluationError, match=re.escape(expected)):
            expression.evaluate(make_facts())


def test_every_row_with_an_arrow_is_an_example() -> None:
    assert len(EXAMPLES) == PAGE.count("→") > len(ALL_FUNCTIONS)


def test_every_function_and_name_has_an_example() -> None:
    own, ours = SECTIONS["Functions"].split("\nOurs,")
    assert functions_in(own).keys() == CEL_FUNCTIONS.keys()
    assert functions_in(ours).keys() == ALL_FUNCTIONS.keys() - CEL_FUNCTIONS.keys()
    assert functions_in(SECTIONS["Names"]).keys() == set(VARIABLES)
    for name, example in {**functions_in(own), **functions_in(ours)}.items():
        assert f"{name}(" in example


def test_failure_rules_know_the_functions_that_the_page_says() -> None:
    for name, example in functions_in(SECTIONS["Functions"]).items():
        assert (read_expression(example, Faults(), functions=False) is None) == (name not in CEL_FUNCTIONS)


def test_the_limits_are_those_of_the_code() -> None:
    limits = re.findall(r"\d[\d,]*", SECTIONS["Limits"].partition("|---|---|")[2])
    assert [int(number.replace(",", "")) for number in limits] == [
        *(MAX_EXPRESSION, MAX_WALKS, MAX_ELEMENTS, MAX_LIST, MAX_TEXT, MAX_PATTERN, MAX_NODES, MAX_DEPTH),
        *(MAX_WORK, RULE_WORK, CALL_WORK, MAX_CALLS),
    ]
