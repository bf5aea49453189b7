import pytest
from support.evidence import call, evidence

from odyssey.evals.behaviour import Behaviour, BehaviourCall, read_answer
from odyssey.evals.read_behaviour import behaviour_of, behaviour_without_calls
from odyssey.records.error_classes import OWN_FAILURES
from odyssey.records.ledger import Difference

FENCED = 'Done.\n\n```json\n{"status": "refunded"}\n```\nAnything else?'


def test_the_whole_response_is_the_answer() -> None:
    assert read_answer(' {"status": "refunded"}\n') == ({"status": "refunded"}, "")


def test_the_last_fenced_block_is_the_answer_and_the_rest_is_text() -> None:
    assert read_answer(FENCED) == ({"status": "refunded"}, "Done.\n\n\nAnything else?")
    assert read_answer("```\n{}\n```\n" + FENCED)[0] == {"status": "refunded"}


@pytest.mark.parametrize(
    "response", ["~~~\n{}\n~~~", "````json\n{}\n````", "```\r\n{}\r\n```", "   ``` json\n{}\n   ```"]
)
def test_fences_as_they_are_written(response: str) -> None:
    assert read_answer(response)[0] == {}


@pytest.mark.parametrize(
    "response",
    [
        "",
        "All done.",
        "[1, 2]",
        '{"a": 1} and more',
        '{"a": 1, "a": 2}',
        '```json\n{"a": NaN}\n```',
        '```json\n{"a": 1}',
        '```json\n{"a": 1}\n```\n```sh\nls\n```',
    ],
)
def test_anything_else_is_text(response: str) -> None:
    assert read_answer(response) == (None, response)


@pytest.mark.parametrize("error_class", sorted(OWN_FAILURES))
def test_a_failure_of_the_agents_own_is_a_behaviour(error_class: str) -> None:
    seen = evidence(calls=(call(1, "look"),), error_class=error_class)
    assert behaviour_of(seen) == behaviour_without_calls(None, error_class) == Behaviour(failure=error_class)


@pytest.mark.parametrize(
    "error_class", ["internal_error", "agent_unreachable", "transport_error", "auth_failed"]
)
def test_any_other_failure_is_a_missing_run(error_class: str) -> None:
    assert behaviour_of(evidence(error_class=error_class)) is None
    assert behaviour_without_calls("done", error_class) is None


def test_a_run_that_ended_well() -> None:
    seen = behaviour_of(
        evidence(calls=(call(1, "look", {"id": 1}, operation="read"),), final_response=FENCED)
    )
    assert seen is not None
    assert (seen.structured, seen.text) == ({"status": "refunded"}, "Done.\n\n\nAnything else?")
    assert seen.calls == (BehaviourCall("look", {"id": 1}, "read"),)
    assert behaviour_without_calls(None, None) == Behaviour(ledger=Difference([], [], []))
