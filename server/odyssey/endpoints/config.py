"""The config of an endpoint as people write it, read with every fault named; its secret is handed on apart."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, get_args

import msgspec

from odyssey.core.outbound import header_problem
from odyssey.endpoints.schemas import AuthType, EndpointType
from odyssey.identity.schemas import NAME
from odyssey.records.canonical import canonical_json
from odyssey.records.faults import Faults, one_of, shown
from odyssey.records.problems import FieldError
from odyssey.records.python_code import MAX_LISTED, read_env_vars, read_files, read_requirements

DEFAULT_HEADER = "X-API-Key"

_AUTH_TYPES: tuple[AuthType, ...] = get_args(AuthType)
_MEMBERS: dict[EndpointType, tuple[str, ...]] = {
    "mcp_server": ("url", "auth"),
    "http_openapi": ("base_url", "spec", "spec_url", "auth"),
    "code": ("files", "functions", "requirements", "env_vars"),
}
_AUTH_MEMBERS = ("type", "header", "credential", "secret")
_LONGEST_URL = 4096
_LONGEST_SECRET = 8192
_HEADER_VALUE = re.compile(r"[\x21-\x7e\xa1-\xff]([\x20-\x7e\xa0-\xff]*[\x21-\x7e\xa1-\xff])?")
_FUNCTION = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_OLD_TRANSPORT = re.compile(r"(?<!/)/sse/?(?=\?|$)")


class Auth(msgspec.Struct, frozen=True, omit_defaults=True):
    type: AuthType = "none"
    header: str | None = None
    """Of an API key."""


class EndpointConfig(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is kept of a config as written."""

    url: str | None = None
    base_url: str | None = None
    spec_url: str | None = None
    auth: Auth = Auth()

    def stored(self) -> dict[str, Any]:
        stored: dict[str, Any] = msgspec.to_builtins(self)
        return stored

    @staticmethod
    def read(stored: Mapping[str, Any]) -> "EndpointConfig":
        return msgspec.convert(stored, EndpointConfig)

    def address(self) -> str | None:
        """Where calls go as far as the config says."""
        return self.base_url if self.url is None else self.url


class WrittenConfig(NamedTuple):
    """A config without fault."""

    config: EndpointConfig
    spec: str | None
    """The pasted document, as text."""
    credential: str | None
    """The name given for the secret."""
    secret: str | None


def read_config(
    raw: Any, kind: EndpointType, *, has_document: bool = False
) -> tuple[WrittenConfig | None, list[FieldError]]:
    """Read a config; null is the same as absent. A config of type `code` is checked and no more.

    With `has_document` a document was pasted before and need not be sent again.
    """
    faults = Faults("config")
    if not isinstance(raw, dict):
        faults.add("config must be an object")
        return None, faults.found
    given = {member: value for member, value in raw.items() if value is not None}
    faults.unknown_members(given, _MEMBERS[kind], f"the config of type {kind!r}")
    if kind == "code":
        _check_code(given, faults)
        return None, faults.found
    urls = {
        member: faults.text(given, member, longest=_LONGEST_URL, required=member == "url")
        for member in ("url", "base_url", "spec_url")
        if member in _MEMBERS[kind]
    }
    _check_transport(urls.get("url"), faults)
    spec = _read_spec(given, faults, has_document) if kind == "http_openapi" else None
    auth, credential, secret = _read_auth(given.get("auth", {"type": "none"}), faults.at("auth"))
    if faults.found:
        return None, faults.found
    return WrittenConfig(EndpointConfig(**urls, auth=auth), spec, credential, secret), []


def _check_transport(url: str | None, faults: Faults) -> None:
    if url is not None and _OLD_TRANSPORT.search(url):
        message = (
            "an address that ends in /sse speaks an older transport of MCP, which is not supported; give the one that "
            f"speaks streamable HTTP, usually {_OLD_TRANSPORT.sub('/mcp', url)}"
        )
        faults.add(message, "url")


def merge_config(before: EndpointConfig, change: Any) -> Any:
    """Lay a change over a config; what cannot be merged is left for `read_config` to refuse."""
    if not isinstance(change, dict):
        return change
    kept = before.stored() | {"auth": msgspec.structs.asdict(before.auth)}
    if change.get("spec") is not None or change.get("spec_url") is not None:
        kept.pop("spec_url", None)  # the document comes from one place
    merged = kept | change
    auth = change.get("auth")
    if isinstance(auth, dict):
        same = auth.get("type", before.auth.type) == before.auth.type
        merged["auth"] = (kept["auth"] if same else {}) | {"type": before.auth.type} | auth
    return merged


def _read_spec(given: Mapping[str, Any], faults: Faults, has_document: bool) -> str | None:
    spec = given.get("spec")
    if not has_document and "spec" not in given and "spec_url" not in given:
        faults.add("give the OpenAPI document: spec (its content) or spec_url (its address)", "spec")
    if "spec" in given and "spec_url" in given:
        faults.add("spec and spec_url are both set; keep one of them", "spec")
    if spec is None:
        return None
    if isinstance(spec, dict):
        text = canonical_json(spec).decode("utf-8")
    elif isinstance(spec, str) and spec.strip():
        text = spec
    else:
        faults.add("spec must be an OpenAPI document: an object, or its text in JSON or YAML", "spec")
        return None
    if "\0" in text:
        faults.add("spec must not contain the NUL character", "spec")
    return text


def _read_auth(raw: Any, faults: Faults) -> tuple[Auth, str | None, str | None]:
    if not isinstance(raw, dict):
        faults.add("auth must be an object with type; a secret goes into its member secret")
        return Auth(), None, None
    given = {member: value for member, value in raw.items() if value is not None}
    faults.unknown_members(given, _AUTH_MEMBERS, "auth")
    kind = given.get("type")
    if kind not in _AUTH_TYPES:
        hint = faults.hint(kind, _AUTH_TYPES) if isinstance(kind, str) else ""
        faults.add(f"type must be {one_of(_AUTH_TYPES)}, not {shown(kind)}{hint}", "type")
        return Auth(), None, None
    if kind == "none":
        for member in ("header", "credential", "secret"):
            if member in given:
                faults.add(f"auth of type 'none' has no {member}; remove it or change the type", member)
        return Auth(), None, None
    header = _read_header(given, kind, faults)
    return Auth(kind, header), _read_credential(given, faults), _read_secret(given, faults)


def _read_header(given: Mapping[str, Any], kind: AuthType, faults: Faults) -> str | None:
    if kind != "api_key":
        if "header" in given:
            faults.add(
                "header is for auth of type 'api_key' only; a bearer token goes into Authorization", "header"
            )
        return None
    header = given.get("header", DEFAULT_HEADER)
    problem = header_problem(header, "") if isinstance(header, str) else f"{shown(header)} is no header name."
    if problem is not None:
        faults.add(problem, "header")
    elif header.lower() in ("content-type", "accept", "cookie") or header.lower().startswith("mcp-"):
        faults.add(f"the header {header} is set by the platform; choose another, such as X-API-Key", "header")
    return header if isinstance(header, str) else None


def _read_credential(given: Mapping[str, Any], faults: Faults) -> str | None:
    name = given.get("credential")
    if name is None:
        return None
    if not isinstance(name, str) or not re.fullmatch(NAME.strip("^$"), name):
        faults.add(  # without repeating it: it may be the secret itself
            "this is not the name of a credential: a letter or _, then letters, digits or _, at most 128"
            " characters; the secret itself goes into secret",
            "credential",
        )
        return None
    return name


def _read_secret(given: Mapping[str, Any], faults: Faults) -> str | None:
    """Read the write-only member; no message repeats it."""
    secret = given.get("secret")
    if secret is None:
        return None
    if not isinstance(secret, str):
        faults.add("secret must be a string", "secret")
    elif not secret or len(secret) > _LONGEST_SECRET:
        faults.add(f"secret must have 1 to {_LONGEST_SECRET} characters; it has {len(secret)}", "secret")
    elif not _HEADER_VALUE.fullmatch(secret):
        faults.add(
            "secret cannot be sent in a header: use visible Latin-1 characters, no line breaks,"
            " no spaces at either end",
            "secret",
        )
    else:
        return secret
    return None


def _check_code(given: Mapping[str, Any], faults: Faults) -> None:
    for member in ("files", "functions"):
        if member not in given:
            faults.add(f"{member} is missing; an endpoint of type 'code' needs it", member)
    if "files" in given:
        read_files(given["files"], faults.at("files"))
    if "functions" in given:
        at = faults.at("functions")
        for name in at.texts(given["functions"], what="function names", most=MAX_LISTED, longest=128):
            if not _FUNCTION.fullmatch(name):
                at.add(f"{shown(name)} is not the name of a function", given["functions"].index(name))
    if "requirements" in given:
        read_requirements(given["requirements"], faults.at("requirements"))
    if "env_vars" in given:
        read_env_vars(given["env_vars"], faults.at("env_vars"))
