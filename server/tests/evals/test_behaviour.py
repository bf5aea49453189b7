import pytest

from odyssey.evals.behaviour import Behaviour, BehaviourCall, behaviour_of, read_answer
from odyssey.records.error_classes import OWN_FAILURES

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
    assert behaviour_of(None, [BehaviourCall("look", {})], None, error_class) == Behaviour(
        failure=error_class
    )


@pytest.mark.parametrize(
    "error_class", ["internal_error", "agent_unreachable", "transport_error", "auth_failed"]
)
def test_any_other_failure_is_a_missing_run(error_class: str) -> None:
    assert behaviour_of("done", error_class=error_class) is None


def test_a_run_that_ended_well() -> None:
    calls = (BehaviourCall("look", {"id": 1}),)
    assert behaviour_of(FENCED, calls) == Behaviour(
        {"status": "refunded"}, calls, None, "Done.\n\n\nAnything else?"
    )
    assert behaviour_of(None) == Behaviour()
