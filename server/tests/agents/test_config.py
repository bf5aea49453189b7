"""Config of both modes: what is stored, what is refused and where, and what no message ever repeats."""

from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.agents.config import AgentConfig, from_public, read_auth_header_value, read_config, to_public

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(-1e6, 1e6) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=15,
)
URL = "https://agent.example.com/run"
RICH = {"response_mode": "rich", "strictness": "strict"}

FULL_HTTP = {
    "endpoint_url": "http://agent.example.com:8080/run?x=1",
    "auth_header_name": "X-API-Key",
    "run_timeout_s": 1800,
    "response_contract": RICH,
    "sub_agents": [
        {"actor_id": "supervisor", "talks_to": ["supervisor/refunds"]},
        {"actor_id": "supervisor/refunds", "tools": ["refund_order"], "talks_to": []},
    ],
    "topology": {"entry": "supervisor", "edges": [["a", "b"]]},
    "consistency_mode": "strict",
    "variation_delivery": "system",
    "engine": "world",
    "engines": {"refund_order": "program", "find_order": "llm", "get_order": "auto"},
    "programs": {"refund_order": {"response": {"done": True}}},
}
FULL_CODE = {
    "source": {"files": {"agent.py": "def run(): ...", "tools/search.py": ""}},
    "entrypoint": "pkg.agent:main",
    "requirements": ["httpx>=0.27", "trafilatura"],
    "env_vars": ["OPENAI_API_KEY", "_X1"],
    "run_timeout_s": 1,
    "consistency_mode": "off",
    "engine": "llm",
}

STORED: list[tuple[Literal["http", "code"], dict[str, Any]]] = [
    ("http", {"endpoint_url": URL}),
    ("http", FULL_HTTP),
    ("http", {"endpoint_url": "https://[2001:db8::1]:443/"}),
    ("code", FULL_CODE),
    ("code", {"source": {"code": "def run(task_input, *, proxy_url, run_token):\n    return '\\d'\n"}}),
    ("code", {"source": {"git": {"url": "https://git.example.com/a.git", "ref": "release/1.0"}}}),
    ("code", {"source": {"git": {"url": "https://git.example.com/a.git"}}}),
]


@pytest.mark.parametrize(("mode", "raw"), STORED)
def test_gives_back_what_was_stored(mode: Literal["http", "code"], raw: dict[str, Any]) -> None:
    config, faults, not_yet = read_config(raw, mode)
    assert (faults, not_yet) == ([], [])
    assert config is not None
    assert to_public(config) == raw
    assert from_public(to_public(config)) == config


def test_defaults_and_nulls_are_not_stored() -> None:
    raw = {"endpoint_url": URL, "run_timeout_s": 300, "consistency_mode": "warn", "response_contract": None}
    raw |= {"topology": None, "engine": "auto", "engines": {}, "programs": {}}
    config, faults, not_yet = read_config(raw, "http")
    assert (config, faults, not_yet) == (AgentConfig(endpoint_url=URL), [], [])
    assert config is not None
    assert (config.run_timeout_s, config.consistency_mode, config.entrypoint) == (300, "warn", "agent:run")
    assert to_public(config) == {"endpoint_url": URL}


def test_header_value_never_enters_the_config() -> None:
    config, faults, _ = read_config({"endpoint_url": URL, "auth_header_value": "Bearer abc"}, "http")
    assert faults == []
    assert config == AgentConfig(endpoint_url=URL)


def test_zip_is_not_available_yet() -> None:
    assert read_config({"source": {"zip": "x"}}, "code") == (None, [], ["source.zip"])


def http(**members: Any) -> tuple[str, dict[str, Any]]:
    return "http", {"endpoint_url": URL, **members}


def code(source: Any, **members: Any) -> tuple[str, dict[str, Any]]:
    return "code", {"source": source, **members}


def files(path: str, text: Any = "") -> tuple[str, dict[str, Any]]:
    return code({"files": {path: text}})


def git(**members: Any) -> tuple[str, dict[str, Any]]:
    return code({"git": {"url": "https://git.example.com/a", **members}})


PASTED = {"code": "x = 1"}
NO_URL: Any = ("http", {})
FAULTY = [
    pytest.param(("http", []), (), "must be an object", id="a list"),
    pytest.param(NO_URL, ("endpoint_url",), "endpoint_url is missing", id="no URL"),
    pytest.param(http(endpoint_url=None), ("endpoint_url",), "endpoint_url is missing", id="URL null"),
    pytest.param(http(endpoint_url=5), ("endpoint_url",), "must be a URL", id="URL is a number"),
    pytest.param(http(endpoint_url=""), ("endpoint_url",), "must be a URL", id="empty URL"),
    pytest.param(
        http(endpoint_url="agent.example.com"), ("endpoint_url",), "start with https://", id="no scheme"
    ),
    pytest.param(
        http(endpoint_url="ftp://a.example/"), ("endpoint_url",), "start with https:// or http://", id="ftp"
    ),
    pytest.param(http(endpoint_url="https://"), ("endpoint_url",), "no valid host", id="no host"),
    pytest.param(http(endpoint_url="https://:80/"), ("endpoint_url",), "no valid host", id="only a port"),
    pytest.param(
        http(endpoint_url="https://a%00b/"), ("endpoint_url",), "no valid host", id="escape in host"
    ),
    pytest.param(
        http(endpoint_url="https://u:hush@a.example/"),
        ("endpoint_url",),
        "user name or password",
        id="password",
    ),
    pytest.param(
        http(endpoint_url="https://@a.example/"), ("endpoint_url",), "user name or password", id="empty user"
    ),
    pytest.param(http(endpoint_url="https://a.example/#x"), ("endpoint_url",), "fragment", id="fragment"),
    pytest.param(
        http(endpoint_url="https://a.example/#"), ("endpoint_url",), "fragment", id="empty fragment"
    ),
    pytest.param(
        http(endpoint_url="https://a.example:99999/"), ("endpoint_url",), "host and port", id="port too high"
    ),
    pytest.param(
        http(endpoint_url="https://a.example:x/"), ("endpoint_url",), "host and port", id="port is text"
    ),
    pytest.param(
        http(endpoint_url="https://a.example:0/"), ("endpoint_url",), "no valid port", id="port zero"
    ),
    pytest.param(
        http(endpoint_url="https://a.example:/"), ("endpoint_url",), "no valid port", id="empty port"
    ),
    pytest.param(http(endpoint_url="https://[::1"), ("endpoint_url",), "not a valid URL", id="open bracket"),
    pytest.param(
        http(endpoint_url="https://[nope]/"), ("endpoint_url",), "not a valid URL", id="no IPv6 address"
    ),
    pytest.param(
        http(endpoint_url="https://a.example/\n"), ("endpoint_url",), "control characters", id="line break"
    ),
    pytest.param(
        http(endpoint_url="https://a.example\\@b/"), ("endpoint_url",), "backslashes", id="backslash"
    ),
    pytest.param(http(endpoint_url=URL + "a" * 2048), ("endpoint_url",), "at most 2048", id="long URL"),
    pytest.param(http(auth_header_name=""), ("auth_header_name",), "not a header name", id="empty header"),
    pytest.param(
        http(auth_header_name="X Y"), ("auth_header_name",), "not a header name", id="space in header"
    ),
    pytest.param(
        http(auth_header_name="X\r\nY"), ("auth_header_name",), "not a header name", id="line break in header"
    ),
    pytest.param(http(auth_header_name="X" * 129), ("auth_header_name",), "at most 128", id="long header"),
    pytest.param(
        http(auth_header_name="Host"), ("auth_header_name",), "set by the platform", id="reserved header"
    ),
    pytest.param(
        http(auth_header_name="X-Pipelines-Run-Id"),
        ("auth_header_name",),
        "set by the platform",
        id="our header",
    ),
    pytest.param(http(run_timeout_s=0), ("run_timeout_s",), "from 1 to 1800", id="no time"),
    pytest.param(http(run_timeout_s=1801), ("run_timeout_s",), "from 1 to 1800", id="too much time"),
    pytest.param(http(run_timeout_s=True), ("run_timeout_s",), "not true", id="time is true"),
    pytest.param(http(run_timeout_s=5.0), ("run_timeout_s",), "whole number", id="time is a fraction"),
    pytest.param(
        http(response_contract="rich"), ("response_contract",), "must be an object", id="contract is text"
    ),
    pytest.param(
        http(response_contract={"response_mode": "rich"}),
        ("response_contract", "strictness"),
        "is missing",
        id="half",
    ),
    pytest.param(
        http(response_contract={**RICH, "strictness": "lax"}),
        ("response_contract", "strictness"),
        "'strict'",
        id="lax",
    ),
    pytest.param(
        http(response_contract={**RICH, "x": 1}), ("response_contract", "x"), "no member 'x'", id="more"
    ),
    pytest.param(http(sub_agents={}), ("sub_agents",), "must be a list", id="sub_agents is an object"),
    pytest.param(
        http(sub_agents=[{"actor_id": str(n)} for n in range(101)]),
        ("sub_agents",),
        "101 of them",
        id="too many",
    ),
    pytest.param(http(sub_agents=[5]), ("sub_agents", 0), "must be an object", id="sub-agent is a number"),
    pytest.param(http(sub_agents=[{}]), ("sub_agents", 0, "actor_id"), "is missing", id="no actor_id"),
    pytest.param(
        http(sub_agents=[{"actor_id": "a//b"}]),
        ("sub_agents", 0, "actor_id"),
        "not an actor id",
        id="actor_id",
    ),
    pytest.param(
        http(sub_agents=[{"actor_id": "a\n"}]),
        ("sub_agents", 0, "actor_id"),
        "not an actor id",
        id="actor_id\\n",
    ),
    pytest.param(
        http(sub_agents=[{"actor_id": "a"}] * 2),
        ("sub_agents", 1, "actor_id"),
        "there twice",
        id="same actor",
    ),
    pytest.param(
        http(sub_agents=[{"actor_id": "a", "tools": "x"}]),
        ("sub_agents", 0, "tools"),
        "must be a list",
        id="tools",
    ),
    pytest.param(
        http(sub_agents=[{"actor_id": "a", "talks_to": [1]}]),
        ("sub_agents", 0, "talks_to", 0),
        "a text",
        id="talks_to",
    ),
    pytest.param(
        http(sub_agents=[{"actor_id": "a", "tool": []}]),
        ("sub_agents", 0, "tool"),
        "did you mean 'tools'",
        id="tool",
    ),
    pytest.param(http(topology=[]), ("topology",), "must be an object", id="topology is a list"),
    pytest.param(http(topology={}), ("topology", "entry"), "entry is missing", id="no entry"),
    pytest.param(
        http(topology={"entry": 5}), ("topology", "entry"), "must be a string", id="entry is a number"
    ),
    pytest.param(http(consistency_mode="Warn"), ("consistency_mode",), "did you mean 'warn'", id="mode"),
    pytest.param(
        http(variation_delivery="post"),
        ("variation_delivery",),
        "'user', 'system' or 'tool_result'",
        id="delivery",
    ),
    pytest.param(http(consistency_mode=[]), ("consistency_mode",), "not a list", id="mode is a list"),
    pytest.param(http(endpoint_uri=URL), ("endpoint_uri",), "did you mean 'endpoint_url'", id="misspelt"),
    pytest.param(http(colour="red"), ("colour",), "no member 'colour'", id="unknown"),
    pytest.param(http(source=PASTED), ("source",), "for agents of mode 'code'", id="source in http"),
    pytest.param(
        code(PASTED, endpoint_url=URL), ("endpoint_url",), "for agents of mode 'http'", id="URL in code"
    ),
    pytest.param(
        code(PASTED, auth_header_value="hush"),
        ("auth_header_value",),
        "for agents of mode 'http'",
        id="value in code",
    ),
    pytest.param(("code", {}), ("source",), "source is missing", id="no source"),
    pytest.param(code("x"), ("source",), "must be an object", id="source is text"),
    pytest.param(code({}), ("source",), "none of them", id="empty source"),
    pytest.param(code({**PASTED, "files": {"a.py": ""}}), ("source",), "files and code", id="two sources"),
    pytest.param(code({**PASTED, "tar": 1}), ("source", "tar"), "no member 'tar'", id="unknown source"),
    pytest.param(code({"code": 5}), ("source", "code"), "must be the text", id="code is a number"),
    pytest.param(code({"code": "def ("}), ("source", "code"), "not valid Python", id="syntax error"),
    pytest.param(code({"code": "x = '\0'"}), ("source", "code"), "NUL", id="NUL in code"),
    pytest.param(code({"code": "(" * 5000}), ("source", "code"), "not valid Python", id="deep brackets"),
    pytest.param(
        code({"code": "-" * 50_000 + "1"}), ("source", "code"), "not valid Python", id="deep expression"
    ),
    pytest.param(code({"code": "#" * 204_801}), ("source", "code"), "at most 204800", id="long code"),
    pytest.param(code({"files": []}), ("source", "files"), "must be an object", id="files is a list"),
    pytest.param(code({"files": {}}), ("source", "files"), "at least one", id="no files"),
    pytest.param(
        code({"files": {f"{n}.py": "" for n in range(51)}}), ("source", "files"), "at most 50", id="51 files"
    ),
    pytest.param(
        code({"files": {f"{n}.py": "#" * 200_000 for n in range(6)}}),
        ("source", "files"),
        "in all",
        id="large in all",
    ),
    pytest.param(
        files("a.py", "#" * 204_801), ("source", "files", "a.py"), "at most 204800", id="large file"
    ),
    pytest.param(files("a.py", None), ("source", "files", "a.py"), "must be the text", id="file is null"),
    pytest.param(files("../a.py"), ("source", "files", "../a.py"), "'..'", id="up"),
    pytest.param(files("/a.py"), ("source", "files", "/a.py"), "relative", id="absolute"),
    pytest.param(files("a\\b.py"), ("source", "files", "a\\b.py"), "forward slashes", id="backslash path"),
    pytest.param(files("c:a.py"), ("source", "files", "c:a.py"), "relative", id="drive"),
    pytest.param(files(".git/a.py"), ("source", "files", ".git/a.py"), "starts with a dot", id="dot folder"),
    pytest.param(files("./a.py"), ("source", "files", "./a.py"), "starts with a dot", id="dot"),
    pytest.param(files("a//b.py"), ("source", "files", "a//b.py"), "letters, digits", id="empty part"),
    pytest.param(files("a\n.py"), ("source", "files", "a\n.py"), "letters, digits", id="line break in path"),
    pytest.param(files("a.txt"), ("source", "files", "a.txt"), "end in .py", id="no Python"),
    pytest.param(code({"git": "x"}), ("source", "git"), "must be an object", id="git is text"),
    pytest.param(code({"git": {}}), ("source", "git", "url"), "must be a URL", id="git without URL"),
    pytest.param(
        git(url="http://git.example.com/a"),
        ("source", "git", "url"),
        "start with https://",
        id="git over http",
    ),
    pytest.param(git(url="ext::sh -c id"), ("source", "git", "url"), "spaces", id="git transport"),
    pytest.param(
        git(url="https://pat@git.example.com/a"), ("source", "git", "url"), "password", id="git password"
    ),
    pytest.param(git(ref="--upload-pack=x"), ("source", "git", "ref"), "not a branch", id="ref is an option"),
    pytest.param(git(ref="a..b"), ("source", "git", "ref"), "not a branch", id="ref range"),
    pytest.param(git(ref="a@{1}"), ("source", "git", "ref"), "not a branch", id="ref log"),
    pytest.param(git(branch="a"), ("source", "git", "branch"), "no member 'branch'", id="unknown in git"),
    pytest.param(code(PASTED, entrypoint="agent.run"), ("entrypoint",), "'module:function'", id="entrypoint"),
    pytest.param(
        code(PASTED, entrypoint="os;x:run"), ("entrypoint",), "'module:function'", id="strange entrypoint"
    ),
    pytest.param(
        code(PASTED, requirements="httpx"), ("requirements",), "must be a list", id="requirements is text"
    ),
    pytest.param(
        code(PASTED, requirements=["x"] * 101), ("requirements",), "at most 100", id="too many requirements"
    ),
    pytest.param(
        code(PASTED, requirements=[5]), ("requirements", 0), "must be a text", id="requirement is a number"
    ),
    pytest.param(
        code(PASTED, requirements=["a", "-r x"]), ("requirements", 1), "not a requirement", id="option"
    ),
    pytest.param(
        code(PASTED, requirements=["a\nb"]), ("requirements", 0), "not a requirement", id="two lines"
    ),
    pytest.param(code(PASTED, env_vars={}), ("env_vars",), "must be a list", id="env_vars is an object"),
    pytest.param(code(PASTED, env_vars=["key"]), ("env_vars", 0), "not a variable name", id="small letters"),
    pytest.param(code(PASTED, env_vars=["A", "A"]), ("env_vars", 1), "there twice", id="same variable"),
    pytest.param(http(engine="models"), ("engine",), "'auto', 'program', 'world' or 'llm'", id="engine"),
    pytest.param(http(engine="wrold"), ("engine",), "did you mean 'world'?", id="engine misspelt"),
    pytest.param(http(engine=["llm"]), ("engine",), "not a list", id="engine is a list"),
    pytest.param(http(engines=[]), ("engines",), "must be an object", id="engines is a list"),
    pytest.param(http(engines={"t": "replay"}), ("engines", "t"), "an engine must be", id="engine of a tool"),
    pytest.param(http(engines={"t": None}), ("engines", "t"), "not null", id="no engine of a tool"),
    pytest.param(
        http(engines={f"t{i}": "llm" for i in range(257)}), ("engines",), "at most 256", id="many engines"
    ),
    pytest.param(http(programs="x"), ("programs",), "must be an object", id="programs is a text"),
    pytest.param(http(programs={"t": []}), ("programs", "t"), "must be an object", id="a program is a list"),
    pytest.param(
        http(programs={f"t{i}": {} for i in range(257)}), ("programs",), "at most 256", id="many programs"
    ),
]


@pytest.mark.parametrize(("given_config", "place", "words"), FAULTY)
def test_names_the_fault(given_config: tuple[Any, Any], place: tuple[str | int, ...], words: str) -> None:
    mode, raw = given_config
    config, faults, not_yet = read_config(raw, mode)
    assert (config, not_yet) == (None, [])
    assert len(faults) == 1, faults
    assert faults[0].loc == ("config", *place)
    assert words in faults[0].msg
    assert "hush" not in faults[0].msg
    assert len(faults[0].msg) < 400


def test_every_fault_in_one_pass() -> None:
    raw = {
        "run_timeout_s": 0,
        "auth_header_name": "a b",
        "topology": 5,
        "engine": "x",
        "source": {"zip": 1},
        "x": 1,
    }
    config, faults, not_yet = read_config(raw, "http")
    assert config is None
    assert {fault.loc[1] for fault in faults} == {
        "run_timeout_s",
        "auth_header_name",
        "topology",
        "endpoint_url",
        "engine",
        "source",
        "x",
    }
    assert not_yet == []


@pytest.mark.parametrize("value", [None, "Bearer abc", "x", "caf\xe9 au lait", "x" * 8192])
def test_reads_header_value(value: str | None) -> None:
    assert read_auth_header_value(value) == (value, [])


@pytest.mark.parametrize(
    "value",
    [5, [], "", "hush\r\nX: y", "hush\0", "hush\n", " hush", "hush ", "hush€", "\x7fhush", "h" * 8193],
)
def test_refuses_header_value(value: Any) -> None:
    read, faults = read_auth_header_value(value)
    assert read is None
    assert [fault.loc for fault in faults] == [("config", "auth_header_value")]
    assert "hush" not in faults[0].msg


NEAR_CONFIGS = st.dictionaries(
    st.sampled_from(
        [
            "endpoint_url",
            "auth_header_name",
            "run_timeout_s",
            "response_contract",
            "sub_agents",
            "topology",
            "source",
            "entrypoint",
            "requirements",
            "env_vars",
            "consistency_mode",
            "engine",
            "engines",
            "programs",
        ]
    ),
    JSON
    | st.text()
    | st.text().map("https://{}".format)
    | st.lists(
        st.dictionaries(st.sampled_from(["actor_id", "tools", "talks_to"]), JSON, max_size=3), max_size=3
    )
    | st.dictionaries(st.sampled_from(["files", "code", "git", "zip"]), JSON | st.text(), max_size=2),
    max_size=5,
)


@given(raw=JSON | NEAR_CONFIGS, mode=st.sampled_from(["http", "code"]))
def test_never_raises(raw: Any, mode: Literal["http", "code"]) -> None:
    config, faults, not_yet = read_config(raw, mode)
    assert (config is None) == bool(faults or not_yet)
    read_auth_header_value(raw)
