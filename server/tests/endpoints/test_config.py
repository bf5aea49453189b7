"""The config of an endpoint as people paste it: whatever it is, faults are named and nothing is raised."""

from typing import Any, Literal

from hypothesis import given
from hypothesis import strategies as st

from odyssey.endpoints.config import Auth, EndpointConfig, merge_config, read_config

SECRET = "planted-secret-8f3a1c"
WORDS = st.sampled_from(
    [
        "https://api.example.com/sse",
        {"openapi": "3.1.0"},
        "openapi: 3.1.0",
        "KEY",
        "X-Key",
        "bearer",
        "api_key",
        "none",
        ["f"],
        {"a.py": "x = 1"},
        "",
    ]
)
JSON = st.recursive(
    WORDS | st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
AUTH = (
    st.dictionaries(st.sampled_from(["type", "header", "credential", "secret", "x"]), JSON, max_size=4) | JSON
)
CONFIG = st.dictionaries(
    st.sampled_from(
        ["url", "base_url", "spec", "spec_url", "files", "functions", "requirements", "env_vars", "x"]
    ),
    JSON,
    max_size=4,
)
KIND = st.sampled_from(["mcp_server", "http_openapi", "code"])
Kind = Literal["mcp_server", "http_openapi", "code"]


@given(config=CONFIG | JSON, auth=AUTH | st.none(), kind=KIND, has_document=st.booleans())
def test_a_config_is_read_or_refused(config: Any, auth: Any, kind: Kind, has_document: bool) -> None:
    if isinstance(config, dict) and auth is not None:
        config = config | {"auth": auth}
    written, faults = read_config(config, kind, has_document=has_document)
    if kind == "code":
        assert written is None
    else:
        assert (written is None) == bool(faults)
    assert all(fault.loc[0] == "config" and fault.msg for fault in faults)
    if written is not None:
        assert EndpointConfig.read(written.config.stored()) == written.config


@given(change=CONFIG | JSON, auth=AUTH | st.none())
def test_a_change_of_one_member_keeps_the_others(change: Any, auth: Any) -> None:
    before = EndpointConfig(spec_url="https://api.example.com/openapi.json", auth=Auth("api_key", "X-Key"))
    if isinstance(change, dict) and auth is not None:
        change = change | {"auth": auth}
    merged = merge_config(before, change)
    read_config(merged, "http_openapi")
    if isinstance(change, dict):
        assert {member: merged[member] for member in change if member != "auth"} == {
            member: value for member, value in change.items() if member != "auth"
        }
        if "auth" not in change:
            assert merged["auth"] == {"type": "api_key", "header": "X-Key"}


@given(value=st.text(max_size=20) | JSON, member=st.sampled_from(["secret", "credential"]))
def test_what_may_be_a_secret_is_not_repeated(value: Any, member: str) -> None:
    hidden = [SECRET, value] if member == "secret" else f"{SECRET} {value}"
    auths: list[Any] = [{"type": "bearer", member: hidden}, hidden]
    for auth in auths:
        _, faults = read_config({"url": "https://api.example.com/mcp", "auth": auth}, "mcp_server")
        assert faults
        assert all(SECRET not in fault.msg for fault in faults)


def test_an_address_of_the_older_transport_is_told_from_one_that_only_looks_like_it() -> None:
    named = {
        "https://x.example/sse": "https://x.example/mcp",
        "https://x.example/a/sse/": "https://x.example/a/mcp",
        "https://x.example/sse?key=1": "https://x.example/mcp?key=1",
        "https://x.example/essex/mcp": None,
        "https://x.example/a-sse": None,
        "https://sse": None,
        "https://x.example/sse/messages": None,
    }
    for url, newer in named.items():
        _, faults = read_config({"url": url}, "mcp_server")
        assert [fault.msg.endswith(newer or "") for fault in faults] == ([] if newer is None else [True])
