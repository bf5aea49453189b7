"""The two protocols: where a request goes, what it holds, and what of an answer is believed."""

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.evidence import json_values

from odyssey.models.remote import (
    AnthropicWire,
    OpenAiWire,
    Wire,
    WireFormError,
    WireRequest,
    error_text,
    read_retry_after,
    read_usage,
)

SCHEMA = {"type": "object"}
WIRES: tuple[Wire, ...] = (OpenAiWire(), AnthropicWire())


def ask(base_url: str) -> WireRequest:
    return WireRequest(base_url, "m", "Be just.", "What happened?", SCHEMA, 100)


@pytest.mark.parametrize(
    ("wire", "base_url", "url"),
    [
        (OpenAiWire(), "https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"),
        (OpenAiWire(), "http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/chat/completions"),
        (OpenAiWire(), "https://gateway.example/openai/", "https://gateway.example/openai/chat/completions"),
        (AnthropicWire(), "https://api.anthropic.com", "https://api.anthropic.com/v1/messages"),
        (AnthropicWire(), "https://api.anthropic.com/v1/", "https://api.anthropic.com/v1/messages"),
    ],
)
def test_where_a_request_goes(wire: Wire, base_url: str, url: str) -> None:
    assert wire.url(ask(base_url)) == url


def test_openai_is_asked_for_the_form_and_given_the_key_as_a_bearer() -> None:
    wire = OpenAiWire()
    assert wire.headers("k") == {"Authorization": "Bearer k"}
    assert wire.headers(None) == {}
    body = wire.body(ask("http://127.0.0.1:1"))
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert (body["max_tokens"], "max_completion_tokens" in body) == (100, False)


@pytest.mark.parametrize("host", ["api.openai.com", "eu.api.openai.com", "ours.openai.azure.com"])
def test_openai_itself_wants_the_new_name_of_the_limit(host: str) -> None:
    body = OpenAiWire().body(ask(f"https://{host}/v1"))
    assert (body["max_completion_tokens"], "max_tokens" in body) == (100, False)
    assert "max_tokens" in OpenAiWire().body(ask("https://openai.com.example/v1"))


def test_anthropic_must_use_the_tool_that_is_the_form() -> None:
    wire = AnthropicWire()
    assert wire.headers("k") == {"x-api-key": "k", "anthropic-version": "2023-06-01"}
    body = wire.body(ask("https://api.anthropic.com"))
    assert body["tools"][0]["input_schema"] == SCHEMA
    assert body["tool_choice"] == {"type": "tool", "name": body["tools"][0]["name"]}
    assert (body["system"], body["max_tokens"]) == ("Be just.", 100)


bodies: st.SearchStrategy[Any] = json_values | st.fixed_dictionaries(
    {},
    optional={
        "choices": json_values | st.lists(st.fixed_dictionaries({"message": json_values}), max_size=2),
        "content": json_values | st.lists(st.fixed_dictionaries({"type": st.just("tool_use")}), max_size=2),
        "usage": json_values,
        "stop_reason": json_values,
        "error": json_values,
    },
)


@given(bodies)
def test_whatever_a_server_says_is_read_or_refused(body: Any) -> None:
    for wire in WIRES:
        with contextlib.suppress(WireFormError):
            assert isinstance(wire.read(body).text, str)
    said = error_text(body)
    assert said is None or isinstance(said, str)


@given(json_values | st.fixed_dictionaries({"in": json_values, "out": json_values}))
def test_counts_are_believed_only_when_they_can_be(usage: Any) -> None:
    read = read_usage(usage, "in", "out")
    if read is not None:
        assert (read.input_tokens, read.output_tokens) == (usage["in"], usage["out"])
        assert 0 <= read.input_tokens < 2**31


def test_a_filtered_answer_is_declined() -> None:
    body = {"choices": [{"finish_reason": "content_filter", "message": {"content": "…"}}]}
    assert "filter" in (OpenAiWire().read(body).declined or "")


def test_an_answer_without_the_tool_is_its_text() -> None:
    told = AnthropicWire().read({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]})
    assert (told.text, told.value, told.usage) == ("a\nb", None, None)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [(None, None), ("7", 7.0), (" 0 ", 0.0), ("soon", None), ("-1", None), ("1e3", None), ("9" * 400, None)],
)
def test_retry_after_is_seconds_or_nothing(value: str | None, seconds: float | None) -> None:
    assert read_retry_after(value) == seconds
