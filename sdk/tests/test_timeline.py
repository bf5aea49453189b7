"""Lines of the timeline for what a run of the command tests does not bring about."""

from typing import Any

import pytest

from pipelines.odyssey.screen import Screen, clean
from pipelines.odyssey.timeline import Timeline, duration

RUN = {
    "created_at": "2026-01-01T00:00:00Z",
    "started_at": "2026-01-01T00:00:01Z",
    "odyssey_seed": {"initial_state": {"order": {"ord_1": {"note": "a" * 80, "status": "new"}}}},
    "attempts": [{"attempt": 1, "outcome": None}],
}


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("COLUMNS", "70")

    def show(kind: str, data: dict[str, Any], **members: Any) -> str:
        event = {
            "sequence": 7,
            "attempt": 1,
            "kind": kind,
            "occurred_at": "2026-01-01T00:00:03.500Z",
            "actor_id": None,
            "data": data,
        }
        Timeline(Screen(), RUN).show(event | members)
        return capsys.readouterr().out

    return show


def test_trace_events_show_their_text_and_what_else_they_carry(shown: Any) -> None:
    said = shown(
        "trace_event",
        {"event_type": "thinking", "payload": {"text": "Hm.\x1b[0m", "step": 1}},
        actor_id="a/b",
    )
    assert said == (
        "#7     +2.500s  trace_event  thinking  actor a/b\n"
        '      text       "Hm.\\u001b[0m"\n'
        '      payload    {"step": 1}\n'
    )
    assert 'content    [{"type": "text"}]' in shown(
        "trace_event", {"event_type": "custom", "payload": {"content": [{"type": "text"}]}}
    )
    assert "payload" not in shown("trace_event", {"event_type": "custom", "payload": None})


def test_trace_events_can_be_refused_and_counted(shown: Any) -> None:
    refused = {"event_type": "dream", "body": "{}", "http_status": 400, "code": "trace_event_type_invalid"}
    assert "dream  refused\n      HTTP 400 trace_event_type_invalid\n" in shown("trace_event", refused)
    counted = {"http_status": 429, "code": "rate_limited", "count": 7}
    assert "trace_event  ×7 rate_limited  HTTP 429\n" in shown("trace_event", counted)


def test_a_handoff_names_both_sides(shown: Any) -> None:
    payload = {"from": "front", "to": "refunds desk", "reason": "money"}
    said = shown("trace_event", {"event_type": "handoff", "payload": payload})
    assert 'handoff  front → "refunds desk"\n' in said
    assert '{"reason": "money"}' in said


def test_violations_grades_and_kinds_of_later_versions(shown: Any) -> None:
    violation = {"kind": "add_existing", "message": "add: order 'ord_1' exists already"}
    said = shown("violation", violation)
    assert "violation    add_existing\n" in said
    assert "      add: order 'ord_1' exists already\n" in said
    told_later = shown("tool_call", {"tool_name": "t", "source": "odyssey", "violations": [violation]})
    assert "exists already" not in told_later
    assert "grade        FAIL\n" in shown("grade", {"verdict": "FAIL", "reason": "No."})
    assert 'data       {"x": 1}' in shown("dream", {"x": 1})


def test_every_attempt_has_a_heading_and_starts_from_the_first_state(
    capsys: pytest.CaptureFixture[str],
) -> None:
    attempts = [{"attempt": 1, "outcome": "lost"}, {"attempt": 2, "outcome": None}]
    timeline = Timeline(Screen(), RUN | {"attempts": attempts})
    operation = {"op": "update", "entity_type": "order", "id": "ord_1", "fields": {"status": "held"}}
    data = {"tool_name": "t", "source": "odyssey", "operations": [operation]}
    for number, attempt in enumerate((1, 1, 2), 1):
        moment = {"sequence": number, "attempt": attempt, "occurred_at": "2026-01-01T00:00:02Z"}
        timeline.show(moment | {"kind": "tool_call", "actor_id": None, "data": data})
    assert [line.strip() for line in capsys.readouterr().out.splitlines() if not line.startswith("#")] == [
        "",
        "Attempt 1 (lost)",
        'update order ord_1: status "new" → "held"',
        'update order ord_1: status "held" (as before)',
        "",
        "Attempt 2 (running)",
        'update order ord_1: status "new" → "held"',
    ]
    assert timeline.calls == {"odyssey": 3}


def test_an_update_too_long_for_a_line_gets_one_per_member(shown: Any) -> None:
    fields = {"note": "b" * 80, "status": "new", "owner": "me"}
    operation = {"op": "update", "entity_type": "order", "id": "ord_1", "fields": fields}
    flag = {"op": "set_flag", "flag": "seen"}
    said = shown("tool_call", {"tool_name": "t", "source": "odyssey", "operations": [operation, flag]})
    assert [line.strip() for line in said.splitlines()[1:]] == [
        "update order ord_1:",
        f'note "{"a" * 25}… → "{"b" * 25}…',
        'status "new" (as before)',
        'owner "me"',
        "set flag seen",
    ]


def test_long_names_are_wrapped_and_cut(shown: Any) -> None:
    said = shown("tool_call", {"tool_name": "t" * 128, "http_status": 404, "code": "tool_unknown"})
    assert max(len(line) for line in said.splitlines()) <= 70
    assert "t…  refused" not in said
    assert "HTTP 404 tool_unknown" in said


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.0124, "12 ms"), (4.6071, "4.61 s"), (59.5, "59.50 s"), (185, "3 min 05 s")]
)
def test_durations(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_only_what_steers_or_hides_is_written_out() -> None:
    assert clean("Zürich 東京 é 😀 a\u3000b") == "Zürich 東京 é 😀 a\u3000b"
    assert clean("\r\t\x7f\u2028\ud800\U000e0041") == r"\r\t\x7f\u2028\ud800\U000e0041"
