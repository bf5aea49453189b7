"""Streams of events: broken off, taken up again, waited for, and not those of a platform."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from pipelines.odyssey.client import Event, NotDoneError, Progress
from pipelines.odyssey.client.streams import EventReader
from pipelines.odyssey.errors import ApiError, NotFoundError, UnreachableError

CUT = {"Content-Length": "99999", "Connection": "close"}
PROBLEM = {"type": "about:blank", "title": "No", "status": 404, "code": "not_found", "detail": "No run 1."}

Drive = Callable[..., Any]
Serving = Callable[..., Any]
Say = Callable[..., Any]


def message(name: str, data: Any, number: int | None = None) -> bytes:
    identity = "" if number is None else f"id: {number}\n"
    return f"{identity}event: {name}\ndata: {json.dumps(data)}\n\n".encode()


def event(number: int) -> dict[str, Any]:
    at = "2026-01-01T00:00:00Z"
    said = {"sequence": number, "attempt": 1, "kind": "tool_call", "occurred_at": at}
    return said | {"actor_id": None, "data": {"n": number}}


def happening(*numbers: int) -> bytes:
    return b"".join(message("tool_call", event(number), number) for number in numbers)


def progress(ended: int) -> bytes:
    return message("progress", {"planned": 4, "made": 4, "ended": ended, "missing": 0, "seconds_left": None})


def test_a_stream_that_breaks_off_is_taken_up_where_it_was(drive: Drive, serving: Serving, say: Say) -> None:
    answers = (
        say(200, b": open\n\n" + happening(1, 2), CUT),
        say(200, happening(3)),  # the platform stopped: the stream ends, but not the run
        say(200, happening(4) + message("end", {"id": 1})),
    )
    with serving(*answers) as server:
        assert drive(server.url).runs.events(1) == [event(number) for number in (1, 2, 3, 4)]
        assert [asked.headers["last-event-id"] for asked in server.asked] == ["0", "2", "3"]


def test_changes_of_all_runs_are_told(drive: Drive, serving: Serving, say: Say) -> None:
    with serving(
        say(200, message("run", {"id": 1}) + b": still here\n\n" + message("run", {"id": 2}))
    ) as server:
        assert [each.data["id"] for each in drive(server.url).runs.changes()] == [1, 2]


def test_a_stream_is_refused_as_anything_else_is(drive: Drive, serving: Serving, say: Say) -> None:
    with serving(say(404, PROBLEM)) as server, pytest.raises(NotFoundError, match=r"No run 1\."):
        drive(server.url).runs.events(1)


@pytest.mark.parametrize(
    "garbage", [b"data: [\n\n", b"data: 3\n\n", b"event: x\ndata: " + b"[" * 100_000 + b"\n\n"]
)
def test_a_stream_that_is_not_odysseys_is_told_apart(
    drive: Drive, serving: Serving, say: Say, garbage: bytes
) -> None:
    with serving(say(200, garbage)) as server, pytest.raises(ApiError, match="not as Odyssey does"):
        drive(server.url).runs.changes()


def test_a_file_that_breaks_off_is_not_taken_for_whole(drive: Drive, serving: Serving, say: Say) -> None:
    with serving(say(200, b"user,expected_outcome\n", CUT)) as server:
        with pytest.raises(UnreachableError, match="broke off"):
            drive(server.url).datasets.export(1)
        assert len(server.asked) == 1


def test_a_matrix_is_waited_for_although_its_stream_breaks_off(
    drive: Drive, serving: Serving, say: Say
) -> None:
    streams = [say(200, progress(1), CUT), say(200, progress(3) + message("end", {"id": "m"}))]
    told: list[Progress] = []
    with serving(lambda asked: streams.pop(0) if "stream" in asked.path else say(404, PROBLEM)) as server:
        with pytest.raises(NotFoundError):  # it has ended, and is then read
            drive(server.url).eval.wait_matrix("m", on_progress=told.append)
        assert [asked.path.rpartition("/")[2] for asked in server.asked] == ["stream", "stream", "m"]
    assert [(each.done, each.total) for each in told] == [(1, 4), (3, 4)]
    assert told[0].seconds_left is not None


def test_waiting_for_a_matrix_ends_when_the_time_is_up(
    drive: Drive, serving: Serving, say: Say, time_is_up: Callable[[object], None]
) -> None:
    late = pytest.raises(NotDoneError, match="1 of 4 runs are done; left: m")
    with serving(say(200, progress(1))) as server, late as caught:
        drive(server.url).eval.matrices.wait("m", timeout=60, on_progress=time_is_up)
    assert isinstance(caught.value, TimeoutError)


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_an_event_may_have_several_lines_of_data_and_come_in_any_pieces(end: bytes, size: int) -> None:
    lines = (b": hello", b"", b"id: 7", b"event:a", b'data: {"x":', b"data: 1}", b"retry: 5", b"", b": bye")
    sent, reader = end.join(lines), EventReader()
    pieces = [sent[start : start + size] for start in range(0, len(sent), size)]
    assert [event for piece in pieces for event in reader.feed(piece)] == [Event("a", {"x": 1}, "7")]


def test_what_ends_a_line_elsewhere_is_text_in_an_event(drive: Drive, serving: Serving, say: Say) -> None:
    said = event(1) | {"data": {"text": "\x85 \u2028 \u2029"}}
    written = json.dumps(said, ensure_ascii=False)
    stream = f"id: 1\nevent: custom\ndata: {written}\n\n".encode() + message("end", {"id": 1})
    with serving(say(200, stream)) as server:
        assert drive(server.url).runs.events(1) == [said]
