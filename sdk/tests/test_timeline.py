"""Lines of the timeline for what a run of the command tests does not bring about."""

from typing import Any

import pytest

from pipelines.odyssey.cli.printing.screen import Screen, clean
from pipelines.odyssey.cli.printing.timeline import Timeline, duration

RUN: Any = {
    "created_at": "2026-01-01T00:00:00Z",
    "started_at": "2026-01-01T00:00:01Z",
    "odyssey_seed": {"initial_state": {"order": {"ord_1": {"note": "a" * 80, "status": "new"}}}},
    "attempts": [{"attempt": 1, "outcome": None}],
}


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("COLUMNS", "70")

    def show(kind: str, data: dict[str, Any], **members: Any) -> str:
        event: Any = {
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


def test_a_call_stands_where_it_began(shown: Any) -> None:
    times = {"started_at": "2026-01-01T00:00:02.250Z", "ended_at": "2026-01-01T00:00:03.250Z"}
    call = {"tool_name": "get_order", "source": "odyssey", "latency_ms": 1000}
    assert shown("tool_call", call | times).startswith("#7     +1.250s  tool_call    get_order")
    assert shown("tool_call", call).startswith("#7     +2.500s  tool_call    get_order")


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


UPSTREAM = {"endpoint": "orders-api", "tool_name": "getOrder", "status": 200, "is_error": False}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"source": "passthrough"}, "passthrough by orders-api"),
        ({"source": "passthrough", "upstream": UPSTREAM | {"status": 404}}, "by orders-api its HTTP 404"),
        ({"source": "passthrough", "upstream": UPSTREAM | {"status": None, "is_error": True}}, "its error"),
        ({"source": "passthrough", "output_schema_mismatch": True}, "does not fit output_schema"),
        ({"source": "passthrough", "cassette": {"id": "c", "number": 3}}, "played no. 3"),
        (
            {
                "source": "transport_error",
                "response": {"error": {"code": "upstream_timeout", "outcome": "unknown"}},
            },
            "transport_error upstream_timeout (outcome unknown)",
        ),
        (
            {
                "source": "transport_error",
                "response": {"error": {"code": "endpoint_missing", "outcome": "not_sent"}},
            },
            "endpoint_missing (not sent)",
        ),
    ],
)
def test_live_answers_say_who_answered_and_how(shown: Any, data: dict[str, Any], words: str) -> None:
    said = shown("tool_call", {"tool_name": "t", "response": "x", "upstream": UPSTREAM, **data})
    assert words in " ".join(said.split())
    assert "adapter_notes" in shown(
        "tool_call", {"tool_name": "t", "adapter_notes": [{"message": "no id"}], **data}
    )


def test_a_forward_without_an_outcome_is_told_at_the_end_of_its_attempt(
    capsys: pytest.CaptureFixture[str],
) -> None:
    timeline = Timeline(Screen(), RUN)
    sent = {"tool_name": "pay", "arguments": {"n": 1}, "endpoint": {"name": "bank", "tool_name": "post_pay"}}
    answered = {"tool_name": "pay", "source": "passthrough", "forward": 2, "arguments": {"n": 1}}
    events = [
        (1, 2, "forward", sent),
        (1, 3, "forward", sent),
        (1, 4, "tool_call", answered),
        (2, 5, "reply", {}),
    ]
    for attempt, sequence, kind, data in events:
        event: Any = {"sequence": sequence, "attempt": attempt, "kind": kind, "data": data, "actor_id": None}
        timeline.show(event | {"occurred_at": "2026-01-01T00:00:02Z"})
    timeline.end()
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        "#2 +1.000s forward pay → bank post_pay",
        "#3 +1.000s forward pay → bank post_pay",
        "#4 +1.000s tool_call pay passthrough",
        'arguments {"n": 1}',
        "#3 pay sent, outcome unknown → bank post_pay",
        'arguments {"n": 1}',
        "#5 +1.000s reply accepted",
    ]
    assert timeline.calls == {"passthrough": 1, "sent, outcome unknown": 1}


def test_every_attempt_has_a_heading_and_starts_from_the_first_state(
    capsys: pytest.CaptureFixture[str],
) -> None:
    attempts = [{"attempt": 1, "outcome": "lost"}, {"attempt": 2, "outcome": None}]
    timeline = Timeline(Screen(), RUN | {"attempts": attempts})
    operation = {"op": "update", "entity_type": "order", "id": "ord_1", "fields": {"status": "held"}}
    data = {"tool_name": "t", "source": "odyssey", "operations": [operation]}
    for number, attempt in enumerate((1, 1, 2), 1):
        moment: Any = {"sequence": number, "attempt": attempt, "occurred_at": "2026-01-01T00:00:02Z"}
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
