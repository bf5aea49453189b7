"""Codes and outcomes of hops that failed, and what the bytes of an answer become."""

from typing import Any

import pytest

from odyssey.core.outbound import (
    AddressRefusedError,
    AnswerTooLargeError,
    BadEncodingError,
    ConnectFailedError,
    ConnectionLostError,
    NotHttpError,
    OutboundError,
    RequestInvalidError,
    TimedOutError,
)
from odyssey.core.outbound_connect import UnreadableBodyError
from odyssey.endpoints.upstream import decode_body, discovery_failed, not_answered

ERRORS: list[tuple[OutboundError, str, str]] = [
    (RequestInvalidError("m."), "request_invalid", "not_sent"),
    (AddressRefusedError("m."), "upstream_url_blocked", "not_sent"),
    (ConnectFailedError("m."), "upstream_unreachable", "not_sent"),
    (TimedOutError("m."), "upstream_timeout", "unknown"),
    (ConnectionLostError("m."), "upstream_connection_lost", "unknown"),
    (NotHttpError("m."), "upstream_connection_lost", "unknown"),
    (AnswerTooLargeError("m.", status=200, partial=b""), "upstream_body_too_large", "unknown"),
    (BadEncodingError("m.", status=404, partial=b""), "upstream_bad_encoding", "unknown"),
    (AnswerTooLargeError("m.", status=503, partial=b""), "upstream_5xx", "unknown"),
    (BadEncodingError("m.", status=599, partial=b""), "upstream_5xx", "unknown"),
]


@pytest.mark.parametrize(("error", "code", "outcome"), ERRORS)
def test_every_failure_has_its_code_and_outcome(error: OutboundError, code: str, outcome: str) -> None:
    failed = not_answered(error)
    assert (failed.code, failed.outcome) == (code, outcome)
    assert failed.status == getattr(error, "status", None)
    assert failed.response()["error"]["message"]


def test_no_failure_of_the_client_is_forgotten() -> None:
    def below(kind: type[OutboundError]) -> set[type[OutboundError]]:
        kinds = set(kind.__subclasses__())
        return kinds.union(*map(below, kinds))

    assert below(OutboundError) - {UnreadableBodyError} == {type(error) for error, _, _ in ERRORS}


@pytest.mark.parametrize(("error", "code", "outcome"), ERRORS[:8])
def test_a_failed_discovery_says_what_was_wrong_and_what_to_do(
    error: OutboundError, code: str, outcome: str
) -> None:
    failed = discovery_failed(error)
    assert failed.code == code
    assert failed.message.startswith("m. ")
    assert len(failed.message) > len("m. ")


@pytest.mark.parametrize(
    ("body", "decoded"),
    [
        (b'{"a": [1, null]}', {"a": [1, None]}),
        (b" \r\n\t[1, 2]\n", [1, 2]),
        (b"{}", {}),
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
        (b"", ""),
        (b"   ", "   "),
        (b'"pong"', "pong"),
        (b' "two\\nlines \\u00e4" ', "two\nlines \xe4"),
        (b'"half', '"half'),
        (b'"He," she said', '"He," she said'),
        (b"12.50", "12.50"),
        (b"null", "null"),
        (b"true", "true"),
        (b"<html>{}</html>", "<html>{}</html>"),
        (b"id,name\n1,a\n", "id,name\n1,a\n"),
        (b'{"a": 1', '{"a": 1'),
        (b'{"a": 1} trailing', '{"a": 1} trailing'),
        (b'{"a": NaN}', '{"a": NaN}'),
        (b'{"a": 1, "a": 2}', '{"a": 1, "a": 2}'),
        (b"[" * 101 + b"]" * 101, "[" * 101 + "]" * 101),
        (b"[" * 100_000, "[" * 100_000),
        (b'{"a": "\\ud800"}', '{"a": "\\ud800"}'),
        (b'{"a": "\xff"}', '{"a": "\ufffd"}'),
        (b"\xff\xfe", "\ufffd\ufffd"),
    ],
)
def test_objects_arrays_and_strings_are_decoded_and_all_else_is_its_text(body: bytes, decoded: Any) -> None:
    assert decode_body(body) == decoded
