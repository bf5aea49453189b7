"""The laws of replaying: pure, so they hold for any recording and any order of calls."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from odyssey.endpoints.cassettes.playback import Interaction, Match, Playback, Replay, read_replay
from odyssey.records.canonical import canonical_json, content_hash

TOOLS = st.sampled_from(["get_order", "list_orders"])
VALUES = st.sampled_from([None, True, 1, 1.0, 0, "1", "", [1], {"a": 1, "b": [2.5]}, {"b": [2.5], "a": 1}])
ARGUMENTS = st.dictionaries(st.sampled_from(["id", "page"]), VALUES, max_size=2)
CALLS = st.lists(st.tuples(TOOLS, ARGUMENTS), max_size=12)
MATCHES = st.sampled_from(["strict", "lenient"])


def interaction(*, arguments: dict[str, Any], response: Any, **members: Any) -> Interaction:
    return Interaction(
        arguments_json=json.dumps(arguments),
        arguments_hash=content_hash(arguments),
        response_json=json.dumps(response),
        **{"source": "passthrough", **members},
    )


def recorded(calls: list[tuple[str, dict[str, Any]]]) -> list[Interaction]:
    return [
        interaction(number=3 * place + 1, tool_name=tool, arguments=arguments, response=place)
        for place, (tool, arguments) in enumerate(calls)
    ]


def same(one: Interaction, tool: str, arguments: dict[str, Any]) -> bool:
    return one.tool_name == tool and canonical_json(one.arguments) == canonical_json(arguments)


def play(playback: Playback, tool: str, arguments: dict[str, Any]) -> Any:
    found = playback.find(tool, arguments)
    if found is None:
        return "missed"
    playback.note(found.number)
    return found.response


@given(CALLS, MATCHES)
def test_the_same_calls_in_the_same_order_get_the_recorded_answers(calls: Any, match: Match) -> None:
    playback = Playback(recorded(calls), match)
    assert [play(playback, *call) for call in calls] == list(range(len(calls)))


@given(CALLS, CALLS)
def test_strict_gives_what_comes_next_or_nothing(tape: Any, asked: Any) -> None:
    interactions = recorded(tape)
    playback = Playback(interactions, "strict")
    at = 0
    for tool, arguments in asked:
        fits = at < len(tape) and same(interactions[at], tool, arguments)
        assert play(playback, tool, arguments) == (at if fits else "missed")
        at += fits


@given(CALLS)
def test_strict_misses_whatever_comes_after_the_end(tape: Any) -> None:
    playback = Playback(recorded(tape), "strict")
    for call in tape:
        play(playback, *call)
    assert all(playback.find(*call) is None for call in tape)


@given(CALLS, CALLS)
def test_lenient_never_misses_what_was_recorded_and_never_makes_up_what_was_not(
    tape: Any, asked: Any
) -> None:
    interactions = recorded(tape)
    playback = Playback(interactions, "lenient")
    unplayed = list(interactions)
    for tool, arguments in [*asked, *tape, *tape]:
        equal = [one for one in interactions if same(one, tool, arguments)]
        found = playback.find(tool, arguments)
        if not equal:
            assert found is None
            continue
        assert found == next((one for one in unplayed if one in equal), equal[-1])
        assert found is not None
        playback.note(found.number)
        unplayed = [one for one in unplayed if one.number != found.number]


@given(CALLS, MATCHES, st.data())
def test_asking_changes_nothing(tape: Any, match: Match, data: st.DataObject) -> None:
    asked = data.draw(CALLS)
    quiet, curious = Playback(recorded(tape), match), Playback(recorded(tape), match)
    for call in [*asked, *tape]:
        for other in [*asked, *tape]:
            curious.find(*other)
        assert curious.find(*call) == curious.find(*call)
        assert play(quiet, *call) == play(curious, *call)


@given(CALLS, MATCHES, st.lists(st.integers(0, 40)), st.randoms(use_true_random=False))
def test_what_was_played_is_a_set(tape: Any, match: Match, played: list[int], random: Any) -> None:
    once, again = Playback(recorded(tape), match), Playback(recorded(tape), match)
    for number in played:
        once.note(number)
    shuffled = [*played, *played]
    random.shuffle(shuffled)
    for number in shuffled:
        again.note(number)
    assert all(once.find(*call) == again.find(*call) for call in tape)


def test_the_order_of_the_rows_does_not_matter_the_numbers_do() -> None:
    tape = recorded([("get_order", {}), ("get_order", {})])
    assert [play(Playback(tape[::-1], match), "get_order", {}) for match in ("strict", "lenient")] == [0, 0]


def test_an_empty_cassette_misses_everything() -> None:
    for match in ("strict", "lenient"):
        playback = Playback([], match)
        playback.note(1)
        assert playback.find("get_order", {}) is None


def test_equal_is_what_is_equal_as_json() -> None:
    playback = Playback(recorded([("t", {"a": 1, "b": {"x": 1, "y": None}})]), "lenient")
    assert playback.find("t", {"b": {"y": None, "x": 1.0}, "a": 1}) is not None
    assert playback.find("t", {"b": {"y": None, "x": True}, "a": 1}) is None
    assert playback.find("t", {"b": {"x": 1}, "a": 1}) is None
    assert playback.find("u", {"a": 1, "b": {"x": 1, "y": None}}) is None


def test_how_a_run_replays_is_kept_with_it() -> None:
    replay = Replay(id="6f0e", match="lenient", on_miss="capture", last_number=7)
    assert read_replay(replay.stored()) == replay
    assert read_replay(None) is None


def test_a_played_answer_says_who_gave_it() -> None:
    one = interaction(
        number=1,
        tool_name="get_order",
        arguments={},
        response="gone",
        status=410,
        is_error=True,
        read_only=True,
        endpoint_id="6f0e",
        endpoint="orders",
        type="http_openapi",
        upstream_tool="getOrder",
    )
    assert one.upstream() == {
        "endpoint_id": "6f0e",
        "endpoint": "orders",
        "type": "http_openapi",
        "tool_name": "getOrder",
        "status": 410,
        "is_error": True,
        "read_only": True,
    }
