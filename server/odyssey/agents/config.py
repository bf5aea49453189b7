"""The config of an agent as people write it, read with every fault named; secrets are no part of it."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args

import msgspec

from odyssey.agents.code_source import CodeSource, check_url, read_source
from odyssey.agents.tools_schema import MAX_TOOLS
from odyssey.records.faults import Faults, one_of, shown
from odyssey.records.ledger import ConsistencyMode
from odyssey.records.problems import FieldError
from odyssey.records.python_code import MAX_LISTED, read_env_vars, read_requirements
from odyssey.simulation.choosing import ASK_MODEL_ABOVE, UnknownTools
from odyssey.simulation.engine import EngineChoice

Mode = Literal["http", "code"]
VariationDelivery = Literal["user", "system", "tool_result"]

DEFAULT_RUN_TIMEOUT_S = 300
MAX_RUN_TIMEOUT_S = 1800

_WRITE_ONLY = "auth_header_value"
_BOTH = (
    "run_timeout_s",
    "response_contract",
    "sub_agents",
    "topology",
    "consistency_mode",
    "variation_delivery",
    "engine",
    "engines",
    "programs",
    "unknown_tools",
    "ask_model_above",
)
_ONLY: dict[Mode, tuple[str, ...]] = {
    "http": ("endpoint_url", "auth_header_name", _WRITE_ONLY),
    "code": ("source", "entrypoint", "requirements", "env_vars"),
}
_KNOWN = (*_BOTH, *_ONLY["http"], *_ONLY["code"])
_ENGINES: tuple[EngineChoice, ...] = get_args(EngineChoice)

_ACTOR_ID = re.compile(r"[A-Za-z0-9_.-]{1,64}(/[A-Za-z0-9_.-]{1,64}){0,7}")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}")
_HEADER_VALUE = re.compile(r"[\x21-\x7e\xa1-\xff]([\x20-\x7e\xa0-\xff]*[\x21-\x7e\xa1-\xff])?")
_LONGEST_HEADER_VALUE = 8192
_RESERVED_HEADERS = {"content-type", "content-length", "host", "transfer-encoding", "connection"}
_RESERVED_PREFIX = "x-pipelines-"
_ENTRYPOINT = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)


class ResponseContract(msgspec.Struct, frozen=True):
    """The guard that a reply must hold a transcript that can be graded."""

    response_mode: Literal["rich"]
    strictness: Literal["strict"]


class SubAgent(msgspec.Struct, frozen=True, omit_defaults=True):
    actor_id: str
    tools: list[str] | None = None
    """Names of the tools it owns."""
    talks_to: list[str] | None = None
    """Actor ids it may delegate to."""


class AgentConfig(msgspec.Struct, frozen=True, omit_defaults=True):
    """How an agent is reached and run. A member at its default is not stored."""

    endpoint_url: str | None = None
    auth_header_name: str | None = None
    run_timeout_s: int = DEFAULT_RUN_TIMEOUT_S
    response_contract: ResponseContract | None = None
    sub_agents: list[SubAgent] | None = None
    topology: dict[str, Any] | None = None
    source: CodeSource | None = None
    entrypoint: str = "agent:run"
    requirements: list[str] = []
    env_vars: list[str] = []
    consistency_mode: ConsistencyMode = "warn"
    variation_delivery: VariationDelivery = "user"
    """How the pressures of evals reach it, unless a run says otherwise."""
    engine: EngineChoice = "auto"
    """Which engine simulates its tools."""
    engines: dict[str, EngineChoice] = {}
    """The same for single tools, by name."""
    programs: dict[str, dict[str, Any]] = {}
    """What tools do, by name, as it was written down."""
    unknown_tools: UnknownTools = "error"
    """What a call gets that no engine understands."""
    ask_model_above: float = ASK_MODEL_ABOVE
    """How often the world may be expected to be wrong before a model is asked instead."""


def read_config(raw: Any, mode: Mode) -> tuple[AgentConfig | None, list[FieldError], list[str]]:
    """Read a config: the config or None, every fault, and the members this version does not offer yet.

    Null is the same as absent. The auth header's value is read by `read_auth_header_value`, never here.
    """
    faults = Faults("config")
    if not isinstance(raw, dict):
        faults.add(f"config must be an object, not {shown(raw)}")
        return None, faults.found, []
    given = {member: value for member, value in raw.items() if value is not None}
    not_yet: list[str] = []
    _check_members(given, mode, faults)
    read = {
        member: reader(given[member], faults.at(member))
        for member, reader in _READERS.items()
        if member in given and member in (*_BOTH, *_ONLY[mode])
    }
    if isinstance(given.get("source"), dict) and given["source"].get("zip") is not None and mode == "code":
        not_yet.append("source.zip")
    needed = "endpoint_url" if mode == "http" else "source"
    if needed not in given:
        faults.add(f"{needed} is missing; an agent of mode {mode!r} needs it", needed)
    if faults.found or not_yet:
        return None, faults.found, not_yet
    # The library omits a default it finds by identity; equal is what is meant.
    defaults = AgentConfig()
    changed = {member: value for member, value in read.items() if value != getattr(defaults, member)}
    return AgentConfig(**changed), [], []


def read_auth_header_value(raw: Any) -> tuple[str | None, list[FieldError]]:
    """Read the write-only value, or null to have none. No message repeats it."""
    faults = Faults("config", _WRITE_ONLY)
    if raw is None:
        return None, []
    if not isinstance(raw, str):
        faults.add(f"{_WRITE_ONLY} must be a string or null")
    elif not raw:
        faults.add(f"{_WRITE_ONLY} is empty; use null for no header")
    elif len(raw) > _LONGEST_HEADER_VALUE:
        faults.add(f"{_WRITE_ONLY} has {len(raw)} characters; at most {_LONGEST_HEADER_VALUE} are allowed")
    elif not _HEADER_VALUE.fullmatch(raw):
        faults.add(
            f"{_WRITE_ONLY} cannot be sent in a header: use visible Latin-1 characters,"
            " no line breaks, no spaces at either end"
        )
    else:
        return raw, []
    return None, faults.found


def to_public(config: AgentConfig) -> dict[str, Any]:
    """Give back the stored members as plain JSON."""
    public: dict[str, Any] = msgspec.to_builtins(config)
    return public


def from_public(stored: Any) -> AgentConfig:
    """Read back what `to_public` gave; it was checked when it was saved."""
    return msgspec.convert(stored, AgentConfig)


def _check_members(given: Mapping[str, Any], mode: Mode, faults: Faults) -> None:
    other: Mode = "code" if mode == "http" else "http"
    for member in given:
        if member in _ONLY[other]:
            faults.add(f"{member} is for agents of mode {other!r}, this one is {mode!r}; remove it", member)
    faults.unknown_members(given, _KNOWN, "config")


def _read_endpoint_url(value: Any, faults: Faults) -> Any:
    problem = check_url(value, schemes=("https", "http"))
    if problem is not None:
        faults.add(f"endpoint_url {problem}")
    return value


def _read_auth_header_name(value: Any, faults: Faults) -> Any:
    if not isinstance(value, str) or not _HEADER_NAME.fullmatch(value):
        faults.add(
            f"{shown(value)} is not a header name: letters, digits and - such as 'Authorization',"
            " at most 128 characters"
        )
    elif value.lower() in _RESERVED_HEADERS or value.lower().startswith(_RESERVED_PREFIX):
        faults.add(f"the header {value!r} is set by the platform; choose another, such as 'Authorization'")
    return value


def _read_run_timeout(value: Any, faults: Faults) -> Any:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MAX_RUN_TIMEOUT_S:
        faults.add(f"run_timeout_s must be a whole number from 1 to {MAX_RUN_TIMEOUT_S}, not {shown(value)}")
    return value


def _read_response_contract(value: Any, faults: Faults) -> ResponseContract | None:
    if not isinstance(value, dict):
        faults.add(f"response_contract must be an object or null, not {shown(value)}")
        return None
    wanted = {"response_mode": "rich", "strictness": "strict"}
    faults.unknown_members(value, wanted, "response_contract")
    for member, word in wanted.items():
        if member not in value:
            faults.add(f"{member} is missing; it must be {word!r}", member)
        elif value[member] != word:
            faults.add(f"{member} must be {word!r}, not {shown(value[member])}", member)
    return ResponseContract("rich", "strict")


def _read_sub_agents(value: Any, faults: Faults) -> list[SubAgent]:
    if not isinstance(value, list) or len(value) > MAX_LISTED:
        what = f"{len(value)} of them" if isinstance(value, list) else shown(value)
        faults.add(f"sub_agents must be a list of at most {MAX_LISTED} objects, not {what}")
        return []
    read: dict[str, SubAgent] = {}
    for index, row in enumerate(value):
        agent = _read_sub_agent(row, faults.at(index))
        if agent is not None and agent.actor_id in read:
            faults.add(f"{agent.actor_id!r} is there twice; actor ids are unique", index, "actor_id")
        elif agent is not None:
            read[agent.actor_id] = agent
    return list(read.values())


def _read_sub_agent(row: Any, faults: Faults) -> SubAgent | None:
    if not isinstance(row, dict):
        faults.add(f"a sub-agent must be an object with actor_id, not {shown(row)}")
        return None
    faults.unknown_members(row, ("actor_id", "tools", "talks_to"), "a sub-agent")
    lists = {
        member: faults.at(member).texts(row[member], what=what, most=256, longest=600)
        for member, what in (("tools", "tool names"), ("talks_to", "actor ids"))
        if row.get(member) is not None
    }
    actor_id = row.get("actor_id")
    if actor_id is None:
        faults.add("actor_id is missing", "actor_id")
    elif not isinstance(actor_id, str) or not _ACTOR_ID.fullmatch(actor_id):
        faults.add(
            f"{shown(actor_id)} is not an actor id: up to 8 parts joined by '/',"
            " each of 1 to 64 letters, digits, _ . or -",
            "actor_id",
        )
    else:
        return SubAgent(actor_id, lists.get("tools"), lists.get("talks_to"))
    return None


def _read_topology(value: Any, faults: Faults) -> Any:
    if not isinstance(value, dict):
        faults.add(f"topology must be an object with entry, not {shown(value)}")
    else:
        faults.text(value, "entry", longest=600, required=True)
    return value


def _read_consistency_mode(value: Any, faults: Faults) -> Any:
    return _read_word("consistency_mode", ("off", "warn", "strict"), value, faults)


def _read_variation_delivery(value: Any, faults: Faults) -> Any:
    return _read_word("variation_delivery", ("user", "system", "tool_result"), value, faults)


def _read_engine(value: Any, faults: Faults) -> Any:
    return _read_word("engine", _ENGINES, value, faults)


def _read_engines(value: Any, faults: Faults) -> Any:
    """Read engines by tool; whether there are such tools is found when the tools are read as well."""
    if not isinstance(value, dict):
        faults.add(f"engines must be an object of tool names and engines, not {shown(value)}")
        return {}
    if len(value) > MAX_TOOLS:
        faults.add(f"engines has {len(value)} members; at most {MAX_TOOLS} are allowed")
        return {}
    for tool, engine in value.items():
        _read_word("an engine", _ENGINES, engine, faults.at(tool))
    return value


def _read_programs(value: Any, faults: Faults) -> Any:
    """Take programs as they are; they are read when the tools they are of have been."""
    if not isinstance(value, dict):
        faults.add(f"programs must be an object of tool names and programs, not {shown(value)}")
        return {}
    if len(value) > MAX_TOOLS:
        faults.add(f"programs has {len(value)} members; at most {MAX_TOOLS} are allowed")
        return {}
    for tool, program in value.items():
        if not isinstance(program, dict):
            faults.at(tool).add(f"a program must be an object, not {shown(program)}")
    return value


def _read_unknown_tools(value: Any, faults: Faults) -> Any:
    return _read_word("unknown_tools", ("error", "empty"), value, faults)


def _read_ask_model_above(value: Any, faults: Faults) -> Any:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        faults.add(f"ask_model_above must be a number from 0 to 1, not {shown(value)}")
    return value


def _read_word(member: str, words: tuple[str, ...], value: Any, faults: Faults) -> Any:
    if value not in words:
        hint = faults.hint(value, words) if isinstance(value, str) else ""
        faults.add(f"{member} must be {one_of(words)}, not {shown(value)}{hint}")
    return value


def _read_entrypoint(value: Any, faults: Faults) -> Any:
    if not isinstance(value, str) or len(value) > 255 or not _ENTRYPOINT.fullmatch(value):
        faults.add(f"entrypoint must be 'module:function' such as 'agent:run', not {shown(value)}")
    return value


_READERS: dict[str, Callable[[Any, Faults], Any]] = {
    "endpoint_url": _read_endpoint_url,
    "auth_header_name": _read_auth_header_name,
    "run_timeout_s": _read_run_timeout,
    "response_contract": _read_response_contract,
    "sub_agents": _read_sub_agents,
    "topology": _read_topology,
    "source": read_source,
    "entrypoint": _read_entrypoint,
    "requirements": read_requirements,
    "env_vars": read_env_vars,
    "consistency_mode": _read_consistency_mode,
    "variation_delivery": _read_variation_delivery,
    "engine": _read_engine,
    "engines": _read_engines,
    "programs": _read_programs,
    "unknown_tools": _read_unknown_tools,
    "ask_model_above": _read_ask_model_above,
}
