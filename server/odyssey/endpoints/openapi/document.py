"""An OpenAPI 3.0 or 3.1 document from text to tools; nothing it names is ever fetched."""

import re
from collections.abc import Iterator
from typing import Any, get_args
from urllib.parse import urljoin

from odyssey.endpoints.openapi.definitions import Definitions, Direction
from odyssey.endpoints.openapi.operations import OperationReader
from odyssey.endpoints.openapi.references import DocumentInvalidError, Effort, References, refuse_external
from odyssey.endpoints.openapi.tools import Names, Operation, plan, tool_of
from odyssey.endpoints.upstream import Discovery, UpstreamTool
from odyssey.kit.json_reader import MAX_NUMBER, JsonInvalidError, read_json
from odyssey.kit.yaml_reader import YamlInvalidError, read_yaml

__all__ = ["MAX_DOCUMENT_BYTES", "MAX_TOOLS", "ApiDocument", "DocumentInvalidError", "read_document"]

MAX_DOCUMENT_BYTES = 8 * 1024 * 1024
MAX_TOOLS = 2000

# Of all schemas of a document together, and the share of one of them.
_SCHEMA_BYTES = 16 * 1024 * 1024
_LARGEST_SCHEMA, _LEAST_SCHEMA = 32 * 1024, 4 * 1024

_MAX_NOTES = 40
_MAX_PLACES = 5
_LARGE = re.compile(r"\d{19}|\d[eE]\+?\d\d")
_STRING_OR_NUMBER = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?', re.DOTALL)
_VARIABLE = re.compile(r"\{([^{}]*)\}")


class ApiDocument:
    """The operations of a document, by the names of their tools."""

    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root
        self._references = References(root)
        reader = OperationReader(self._references)
        paths = root.get("paths")
        names = Names()
        self._operations: dict[str, Operation] = {}
        for raw in reader.read(paths if isinstance(paths, dict) else {}):
            if len(self._operations) == MAX_TOOLS:
                reader.skip(
                    f"only the first {MAX_TOOLS} operations become tools; there are more, such as", raw.where
                )
                break
            name = names.of(raw)
            self._operations[name] = plan(raw, name)
        self._skipped = reader.skipped
        self._discovery: Discovery | None = None

    def operation(self, tool_name: str) -> Operation | None:
        return self._operations.get(tool_name)

    def discovery(self) -> Discovery:
        """Every operation as a tool; takes up to seconds the first time, so call it in a thread."""
        if self._discovery is None:
            self._discovery = self._discover()
        return self._discovery

    def first_server(self, spec_url: str | None = None) -> str | None:
        """The first absolute address the document names, or its first one as seen from where it came from."""
        servers = list(self._servers())
        for server in servers:
            if re.match(r"https?://", server, re.IGNORECASE):
                return server
        if spec_url is None:
            return None
        try:
            return urljoin(spec_url, servers[0] if servers else "/")
        except ValueError:
            return None

    def _servers(self) -> Iterator[str]:
        listed = self._root.get("servers")
        for server in listed if isinstance(listed, list) else ():
            if isinstance(server, dict) and isinstance(server.get("url"), str):
                yield _fill(server["url"].strip(), server.get("variables"))

    def _discover(self) -> Discovery:
        share = _SCHEMA_BYTES // (2 * len(self._operations) or 1)
        max_bytes = max(_LEAST_SCHEMA, min(_LARGEST_SCHEMA, share))
        siblings = not self._root["openapi"].startswith("3.0")
        effort = Effort()
        request, response = (
            Definitions(self._references, effort, siblings=siblings, direction=direction, max_bytes=max_bytes)
            for direction in get_args(Direction)
        )
        tools: list[UpstreamTool] = []
        loose: list[str] = []
        for operation in self._operations.values():
            tool, is_loose = tool_of(operation, request, response, self._references)
            tools.append(tool)
            if is_loose:
                loose.append(tool.name)
        return Discovery(tuple(tools), tuple(self._notes([request, response], loose)))

    def _notes(self, schemas: list[Definitions], loose: list[str]) -> list[str]:
        places: dict[str, list[str]] = {}
        for why, where in self._skipped:
            places.setdefault(why, []).append(where)
        if loose:
            places[
                "too large or too involved a schema; the outer parts are kept, the inner ones left open"
            ] = loose
        broken = [reference for each in schemas for reference in each.broken]
        if broken:
            places["references that lead nowhere; what they stand for is left open"] = broken
        notes = [f"{_upper(why)}: {_listed(where)}." for why, where in places.items()]
        if any(each.is_cut for each in schemas):
            notes.append(
                "Some schemas are too large to be taken whole; what they say of inner parts is left out."
            )
        if not self._operations:
            notes.append("The document has no operation that could be a tool.")
        return notes[:_MAX_NOTES]


def read_document(text: str) -> ApiDocument:
    """Read a document in JSON or YAML; raises DocumentInvalidError, whose message is for its author."""
    size = len(text.encode("utf-8", errors="replace"))
    if size > MAX_DOCUMENT_BYTES:
        raise DocumentInvalidError(
            "openapi_too_large",
            f"The document is {size} bytes long; at most {MAX_DOCUMENT_BYTES} are read."
            " Leave out what the agent does not call.",
        )
    root = _read_text(text)
    _check_version(root)
    refuse_external(root)
    return ApiDocument(root)


def _read_text(text: str) -> dict[str, Any]:
    plain = text.removeprefix("\ufeff").lstrip()
    language = "JSON" if plain.startswith("{") else "YAML"
    try:
        root = _read_yaml(text) if language == "YAML" else read_json(_bound_numbers(plain))
    except (JsonInvalidError, YamlInvalidError, UnicodeEncodeError) as error:
        raise DocumentInvalidError(
            "openapi_invalid", f"The document cannot be read as {language}: {error}."
        ) from None
    if not isinstance(root, dict):
        raise DocumentInvalidError(
            "openapi_invalid", "The text is no OpenAPI document: it must be an object with openapi and paths."
        )
    return root


def _read_yaml(text: str) -> Any:
    return read_yaml(text.encode("utf-8"), keys_as_written=True)


def _bound_numbers(text: str) -> str:
    """Write the numbers JSON cannot carry everywhere as the largest it can: they are bounds of 64-bit types."""
    if _LARGE.search(text) is None:
        return text

    def bounded(found: re.Match[str]) -> str:
        token = found.group(0)
        if token[0] == '"' or abs(float(token)) < MAX_NUMBER:
            return token
        return f"-{MAX_NUMBER - 1}" if token[0] == "-" else f"{MAX_NUMBER - 1}"

    return _STRING_OR_NUMBER.sub(bounded, text)


def _check_version(root: dict[str, Any]) -> None:
    version = root.get("openapi")
    if isinstance(version, int | float):  # YAML without quotes
        version = root["openapi"] = str(version)
    if version is None and "swagger" in root:
        raise DocumentInvalidError(
            "openapi_version",
            f"The document is Swagger {str(root['swagger'])[:20]}; Odyssey reads OpenAPI 3.0 and 3.1."
            " Convert it first, for example with swagger2openapi.",
        )
    if not isinstance(version, str):
        raise DocumentInvalidError(
            "openapi_invalid", "The text is no OpenAPI document: it does not say which version in `openapi`."
        )
    if not re.fullmatch(r"3\.[01](?:\..*)?", version):
        raise DocumentInvalidError(
            "openapi_version", f"The document is OpenAPI {version[:20]!r}; Odyssey reads 3.0 and 3.1."
        )


def _fill(url: str, variables: Any) -> str:
    """Put the default of every variable into its place; what has none stays as it is written."""
    known = variables if isinstance(variables, dict) else {}

    def value(found: re.Match[str]) -> str:
        described = known.get(found.group(1))
        default = described.get("default") if isinstance(described, dict) else None
        return str(default) if isinstance(default, str | int) else found.group(0)

    return _VARIABLE.sub(value, url)


def _listed(places: list[str]) -> str:
    shown = ", ".join(place[:120] for place in places[:_MAX_PLACES])
    return f"{shown} and {len(places) - _MAX_PLACES} more" if len(places) > _MAX_PLACES else shown


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
