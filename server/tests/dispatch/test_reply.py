"""What an agent may answer, and what becomes of the rest."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.dispatch.reply import (
    MAX_FINAL_RESPONSE,
    AgentReply,
    ReplyIncompleteError,
    ReplyNotJsonError,
    parse_reply,
    violates_rich_contract,
)
from odyssey.kit.redaction import Redaction

CALL = {"id": "c1", "name": "get_order", "arguments": {"order_id": "4521"}}
NESTED = {"id": "c1", "type": "function", "function": {"name": "get_order", "arguments": "{}"}}
RICH = [
    {"role": "user", "content": "Refund order #4521..."},
    {"role": "assistant", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": '{"status":"shipped"}'},
    {"role": "assistant", "content": "The refund of $79.50 has been issued."},
]


def parse(**members: Any) -> AgentReply:
    return parse_reply(json.dumps({"final_response": "done"} | members).encode(), Redaction())


def test_the_bare_minimum_is_enough_and_says_that_the_trace_is_thin() -> None:
    raw = b'{ "final_response": "The refund has been issued." }'
    reply = parse_reply(raw, Redaction())
    assert reply.final_response == "The refund has been issued."
    assert (reply.messages, reply.metadata, reply.raw) == (None, None, raw.decode())
    assert [warning.partition(":")[0] for warning in reply.soft_warnings] == ["messages_missing"]


def test_the_documented_rich_reply_is_kept_whole() -> None:
    metadata = {
        "model": "claude-sonnet-4-5",
        "system_prompt_id": 7,
        "total_input_tokens": 1842,
        "total_output_tokens": 0,
        "agent_runtime_ms": 4815.5,
        "anything": [1],
    }
    reply = parse(messages=RICH, metadata=metadata, extra=True)
    assert (reply.messages, reply.metadata, reply.soft_warnings) == (RICH, metadata, [])


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [{"role": "system"}, {"role": "user", "content": None}],
        [{"role": "user", "content": [{"type": "text", "text": "hi"}, "bare"], "name": "x"}],
        [
            {"role": "assistant", "content": None, "tool_calls": [NESTED]},
            {"role": "tool", "tool_call_id": "c1"},
        ],
        [{"role": "assistant", "tool_calls": [CALL | {"arguments": "not even json"}]}],
        [{"role": "assistant", "thinking": [{"type": "text", "text": "hm"}, 1], "tool_calls": []}],
        [{"role": "user", "tool_calls": None, "thinking": None}],
        [{"role": "user", "tool_calls": []}],
        [
            {"role": "assistant", "tool_calls": [CALL, NESTED | {"id": "c2"}]},
            {"role": "tool", "tool_call_id": "c2"},
            {"role": "tool", "tool_call_id": "c1"},
            {"role": "tool", "tool_call_id": "c1"},
        ],
    ],
)
def test_well_formed_messages_are_kept(messages: list[Any]) -> None:
    reply = parse(messages=messages)
    assert (reply.messages, reply.soft_warnings) == (messages, [])


@pytest.mark.parametrize(
    ("messages", "place"),
    [
        ("text", "messages must be a list"),
        ({"role": "user"}, "messages must be a list"),
        (7, "messages must be a list"),
        (["text"], "messages[0] must be an object"),
        ([*RICH, None], "messages[4] must be an object"),
        ([{}], "messages[0].role"),
        ([{"role": None}], "messages[0].role"),
        ([{"role": ["user"]}], "messages[0].role"),
        ([*RICH, {"role": "root", "content": "x"}], "messages[4].role"),
        ([{"role": "Assistant"}], "messages[0].role"),
        ([{"role": "user", "content": 5}], "messages[0].content"),
        ([{"role": "user", "content": {"text": "x"}}], "messages[0].content"),
        ([{"role": "assistant", "thinking": "hm"}], "messages[0].thinking"),
        ([{"role": "tool", "content": "x"}], "messages[0].tool_call_id"),
        ([{"role": "tool", "tool_call_id": ""}], "messages[0].tool_call_id"),
        ([{"role": "tool", "tool_call_id": 1}], "messages[0].tool_call_id"),
        ([{"role": "tool", "tool_call_id": "c1"}, *RICH], "messages[0].tool_call_id 'c1'"),
        ([*RICH, {"role": "tool", "tool_call_id": "c9"}], "messages[4].tool_call_id 'c9'"),
        ([{"role": "assistant", "tool_calls": CALL}], "messages[0].tool_calls must be a list"),
        ([{"role": "user", "tool_calls": [CALL]}], "messages[0].tool_calls belongs on assistant"),
        ([{"role": "assistant", "tool_calls": [CALL, "x"]}], "messages[0].tool_calls[1] must be an object"),
        ([{"role": "assistant", "tool_calls": [{"name": "a", "arguments": {}}]}], "tool_calls[0].id"),
        ([{"role": "assistant", "tool_calls": [CALL | {"id": 1}]}], "tool_calls[0].id"),
        ([{"role": "assistant", "tool_calls": [{"id": "c", "arguments": {}}]}], "tool_calls[0].name"),
        ([{"role": "assistant", "tool_calls": [{"id": "c", "name": "a"}]}], "tool_calls[0].arguments"),
        ([{"role": "assistant", "tool_calls": [CALL | {"arguments": [1]}]}], "tool_calls[0].arguments"),
        ([{"role": "assistant", "tool_calls": [NESTED | {"type": "web"}]}], "tool_calls[0].type"),
        ([{"role": "assistant", "tool_calls": [NESTED | {"function": "a"}]}], "tool_calls[0].function must"),
        ([{"role": "assistant", "tool_calls": [NESTED | {"function": {}}]}], "tool_calls[0].function.name"),
        (
            [{"role": "assistant", "tool_calls": [NESTED | {"function": {"name": "a", "arguments": 1}}]}],
            "tool_calls[0].function.arguments",
        ),
    ],
)
def test_malformed_messages_become_null_and_the_warning_names_the_place(messages: Any, place: str) -> None:
    reply = parse(messages=messages, metadata={"model": "m"})
    assert reply.messages is None
    assert reply.metadata == {"model": "m"}
    [warning] = reply.soft_warnings
    assert warning.startswith("messages_malformed: messages")
    assert place in warning
    assert len(warning) < 300


@pytest.mark.parametrize(
    ("metadata", "place"),
    [
        ("text", "metadata must be an object"),
        ([], "metadata must be an object"),
        (False, "metadata must be an object"),
        ({"total_input_tokens": "NaN"}, "metadata.total_input_tokens"),
        ({"total_input_tokens": True}, "metadata.total_input_tokens"),
        ({"total_output_tokens": 1.5}, "metadata.total_output_tokens"),
        ({"total_output_tokens": -1}, "metadata.total_output_tokens"),
        ({"total_output_tokens": {}}, "metadata.total_output_tokens"),
        ({"agent_runtime_ms": "4 s"}, "metadata.agent_runtime_ms"),
        ({"agent_runtime_ms": True}, "metadata.agent_runtime_ms"),
    ],
)
def test_malformed_metadata_becomes_null_and_leaves_the_messages(metadata: Any, place: str) -> None:
    reply = parse(messages=RICH, metadata=metadata)
    assert (reply.messages, reply.metadata) == (RICH, None)
    [warning] = reply.soft_warnings
    assert warning.startswith("metadata_malformed: ")
    assert place in warning


def test_null_metadata_and_null_counts_are_no_fault() -> None:
    assert parse(messages=[], metadata=None).soft_warnings == []
    assert parse(messages=[], metadata={"total_input_tokens": None}).soft_warnings == []


def test_null_messages_are_missing_messages() -> None:
    [warning] = parse(messages=None).soft_warnings
    assert warning.startswith("messages_missing: ")


def test_a_long_final_response_is_cut_and_says_so() -> None:
    exact = parse(final_response="é" * MAX_FINAL_RESPONSE, messages=[])
    assert (len(exact.final_response), exact.soft_warnings) == (MAX_FINAL_RESPONSE, [])
    over = parse(final_response="é" * (MAX_FINAL_RESPONSE + 1), messages=[])
    assert over.final_response == "é" * MAX_FINAL_RESPONSE
    [warning] = over.soft_warnings
    assert warning.startswith("final_response_truncated: ")
    assert "50001" in warning


def test_nothing_in_the_text_is_changed() -> None:
    text = "  a\x00b \u202e 😀\r\n"
    reply = parse(final_response=text)
    assert reply.final_response == text


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"   ",
        b"<html>",
        b"{",
        b"done",
        b'{"final_response": "a"} trailing',
        b'{"final_response": "a", "final_response": "b"}',
        b'{"final_response": "a", "metadata": {"total_input_tokens": NaN}}',
        b'{"final_response": \xff}',
        b'{"final_response": \\ud800}',
        b'{"final_response": "a", "\\ud800": 1, "\\udfff": 2}',
        b"\xef\xbb\xbf{}",
        b'{"final_response": "a", "x": ' + b"[" * 101 + b"]" * 101 + b"}",
        b'{"final_response": "a", "x": 1' + b"0" * 5000 + b"}",
        b"[" * 200_000,
    ],
)
def test_what_is_not_strict_json_is_not_a_reply(body: bytes) -> None:
    with pytest.raises(ReplyNotJsonError):
        parse_reply(body, Redaction())


@pytest.mark.parametrize(
    ("body", "read", "said"),
    [
        (
            rb'"half \ud83d"',
            "half \ufffd",
            "1 piece that is no Unicode text",
        ),
        (rb'"\udc00\ud800"', "\ufffd\ufffd", "2 pieces that are no Unicode text"),
        (rb'"\ud83d\ud83d\ude00"', "\ufffd😀", "the escape \\ud83d at character 20"),
        (rb'"\\\ud800"', "\\\ufffd", "the escape \\ud800 at character 22"),
        (b'"caf\xe9"', "caf\ufffd", "the byte 0xe9 at byte 23"),
        (b'"cut \xf0\x9f\x98"', "cut \ufffd", "the byte 0xf0 at byte 24"),
        (b'"\xed\xa0\x80 \\uDFFF"', "\ufffd\ufffd\ufffd \ufffd", "4 pieces"),
    ],
)
def test_half_a_character_is_replaced_and_the_run_goes_on(body: bytes, read: str, said: str) -> None:
    reply = parse_reply(b'{"final_response": ' + body + b', "messages": []}', Redaction())
    assert reply.final_response == read
    (warning,) = reply.soft_warnings
    assert warning.startswith("reply_invalid_text: ")
    assert said in warning
    assert json.loads(reply.raw) == {"final_response": read, "messages": []}


@pytest.mark.parametrize("body", [rb'"\ud83d\ude00"', rb'"\\ud800"', '"\ufffd \\ufffd 😀"'.encode()])
def test_whole_characters_are_no_reason_to_warn(body: bytes) -> None:
    raw = b'{"final_response": ' + body + b', "messages": []}'
    reply = parse_reply(raw, Redaction())
    assert (reply.final_response, reply.soft_warnings) == (json.loads(body), [])
    assert reply.raw == raw.decode()


@given(st.text(st.characters(exclude_categories=())), st.booleans())
def test_any_text_an_agent_can_write_is_read_with_only_halves_replaced(text: str, ascii_only: bool) -> None:
    """Python's own writer and its own notion of which code points are no characters stand beside ours."""
    body = json.dumps({"final_response": "." + text}, ensure_ascii=ascii_only)
    read = parse_reply(body.encode("utf-8", "backslashreplace"), Redaction()).final_response
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if ascii_only else text
    wanted = "".join("\ufffd" if "\ud800" <= one <= "\udfff" else one for one in joined)
    assert read == "." + wanted


@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        b"[]",
        b"null",
        b"7",
        b"true",
        b'"done"',
        b'[{"final_response": "a"}]',
        b'{"final_response": ""}',
        b'{"final_response": " \\n\\t\\u00a0 "}',
        b'{"final_response": null}',
        b'{"final_response": 7}',
        b'{"final_response": ["a"]}',
        b'{"Final_response": "a"}',
    ],
)
def test_json_without_a_final_response_is_incomplete(body: bytes) -> None:
    with pytest.raises(ReplyIncompleteError):
        parse_reply(body, Redaction())


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["role", "content", "tool_calls", "tool_call_id", "id", "name", "arguments", "function"]
            )
            | st.text(max_size=5),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(messages=json_values, metadata=json_values)
def test_no_shape_of_messages_or_metadata_loses_the_final_response(messages: Any, metadata: Any) -> None:
    reply = parse(messages=messages, metadata=metadata)
    assert reply.final_response == "done"
    assert reply.messages in (None, messages)
    assert reply.metadata in (None, metadata)
    violates_rich_contract(reply)


# The response contract


@pytest.mark.parametrize(
    "messages",
    [
        RICH,
        [{"role": "assistant", "content": "x"}],
        [{"role": "assistant", "content": [{"type": "image"}, {"type": "text", "text": "x"}]}],
        [{"role": "assistant", "content": [{"type": "output_text", "text": "x"}]}],
        [{"role": "assistant", "content": [{"text": "x"}]}],
        [{"role": "assistant", "content": ["x"]}],
    ],
)
def test_one_assistant_message_with_text_satisfies_the_contract(messages: Any) -> None:
    assert not violates_rich_contract(parse(messages=messages))


@pytest.mark.parametrize(
    "messages",
    [
        None,
        [],
        "malformed",
        RICH[:3],
        [{"role": "user", "content": "x"}],
        [{"role": "assistant"}],
        [{"role": "assistant", "content": None}],
        [{"role": "assistant", "content": " \n "}],
        [{"role": "assistant", "content": []}],
        [{"role": "assistant", "content": [{"type": "text", "text": " "}, {"type": "text"}, 5, None]}],
        [
            {
                "role": "assistant",
                "content": [{"type": "thinking", "text": "x"}, {"type": ["text"], "text": "x"}],
            }
        ],
        [{"role": "assistant", "content": [{"type": "text", "text": {"value": "x"}}]}],
        [{"role": "assistant", "thinking": [{"type": "text", "text": "x"}]}],
        [*RICH, {"role": "root"}],
    ],
)
def test_a_transcript_without_words_violates_the_contract(messages: Any) -> None:
    assert violates_rich_contract(parse(messages=messages))
