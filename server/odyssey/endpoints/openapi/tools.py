"""One operation as one tool: a name, a flat object of arguments, and where each of them goes."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from odyssey.endpoints.openapi.conversion import MAX_DESCRIPTION
from odyssey.endpoints.openapi.definitions import Definitions
from odyssey.endpoints.openapi.operations import Parameter, Place, RawOperation, RequestBody
from odyssey.endpoints.openapi.references import References
from odyssey.endpoints.upstream import UpstreamTool
from odyssey.kit.words import shorten

MAX_NAME = 128
MAX_TOOL_DESCRIPTION = 10_000
"""As much as a tool of an agent may have."""

_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9_\-]+")
_MAX_DEPENDENT = 400
_RANK: dict[Place, int] = {"path": 0, "query": 1, "header": 2, "cookie": 3}


class Operation(NamedTuple):
    """All that a call needs to know."""

    name: str
    raw: RawOperation
    parameters: tuple[Parameter, ...]
    body: RequestBody | None
    body_argument: str | None
    """The one argument that is the body; None when the body's members are arguments themselves."""

    def argument_names(self) -> list[str] | None:
        """All that it takes; None when whatever else is given goes into the body."""
        names = [parameter.argument for parameter in self.parameters]
        if self.body is None:
            return names
        return None if self.body_argument is None else [*names, self.body_argument]


def plan(raw: RawOperation, name: str) -> Operation:
    """Decide what the arguments are called."""
    parameters = _name_apart(raw.parameters)
    taken = {parameter.argument for parameter in parameters}
    argument: str | None = None
    if raw.body is not None:
        members = raw.body.members
        if members is None or any(name in members for name in taken):
            argument = next(name for name in _numbered("body", "request_body") if name not in taken)
    return Operation(name, raw, parameters, raw.body, argument)


def tool_of(
    operation: Operation, request: Definitions, response: Definitions, references: References
) -> tuple[UpstreamTool, bool]:
    """The tool as it is offered, and whether one of its schemas is looser than the document's."""
    raw = operation.raw
    taken = request.complete(_input_schema(operation, request, references))
    input_schema, is_loose = ({"type": "object"}, True) if taken is None else taken
    output_schema: dict[str, Any] | None = None
    if raw.answer is not None:
        converted = response.convert(raw.answer)
        given = response.complete(converted) if isinstance(converted, dict) else None
        output_schema, is_looser = (None, True) if given is None else given
        is_loose = is_loose or is_looser
    tool = UpstreamTool(
        name=operation.name,
        input_schema=input_schema,
        description=shorten(raw.description, MAX_TOOL_DESCRIPTION),
        output_schema=output_schema,
        read_only=raw.method in ("GET", "HEAD"),
        method=raw.method,
        path=raw.path,
    )
    return tool, is_loose


class Names:
    """Names of tools, each given once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._numbers: dict[str, int] = {}

    def of(self, raw: RawOperation) -> str:
        """A name from the operation's id, or from its method and path."""
        wanted = _fit(raw.operation_id) or _fit(f"{raw.method.lower()} {raw.path}") or raw.method.lower()
        name = wanted
        while name in self._taken:
            self._numbers[wanted] = self._numbers.get(wanted, 1) + 1
            suffix = f"_{self._numbers[wanted]}"
            name = wanted[: MAX_NAME - len(suffix)] + suffix
        self._taken.add(name)
        return name


def _fit(text: str) -> str:
    name = _NOT_IN_NAME.sub("_", text).strip("_-") if _NOT_IN_NAME.search(text) else text
    if name and not re.match(r"[A-Za-z_]", name):
        name = "_" + name
    return name[:MAX_NAME]


def _name_apart(parameters: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """Of parameters with one name, that of the path keeps it, then the query's, the header's, the cookie's."""
    arguments: dict[int, str] = {}
    taken: set[str] = set()
    for index in sorted(range(len(parameters)), key=lambda index: _RANK[parameters[index].place]):
        place, name = parameters[index].place, parameters[index].name
        arguments[index] = next(each for each in _numbered(name, f"{place}_{name}") if each not in taken)
        taken.add(arguments[index])
    return tuple(each._replace(argument=arguments[index]) for index, each in enumerate(parameters))


def _numbered(first: str, second: str) -> Iterator[str]:
    yield first
    yield second
    number = 2
    while True:
        yield f"{second}_{number}"
        number += 1


def _input_schema(operation: Operation, request: Definitions, references: References) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required: list[str] = []
    for parameter in operation.parameters:
        properties[parameter.argument] = _described(request.convert(parameter.schema), parameter.description)
        if parameter.is_required:
            required.append(parameter.argument)
    made: dict[str, Any] = {"type": "object", "properties": properties}
    body = operation.body
    if operation.argument_names() is not None:
        made["additionalProperties"] = False
    if body is not None and operation.body_argument is not None:
        properties[operation.body_argument] = _body_schema(body, request)
        if body.is_required:
            required.append(operation.body_argument)
    elif body is not None:
        _merge(made, required, body, request.convert(references.follow(body.schema)))
    if required:
        made["required"] = required
    return made


def _merge(made: dict[str, Any], required: list[str], body: RequestBody, converted: Any) -> None:
    # Of a body that is too large to be converted, the names are left.
    members = converted.get("properties") or {name: {} for name in body.members or ()}
    made["properties"] |= members
    if "additionalProperties" in converted:
        made["additionalProperties"] = converted["additionalProperties"]
    demanded = converted.get("required", [])
    if body.is_required:
        required.extend(demanded)
    elif demanded and len(demanded) * len(members) <= _MAX_DEPENDENT:
        # Without a body nothing is missing; with one, all of these are demanded.
        made["dependentRequired"] = dict.fromkeys(members, demanded)


def _body_schema(body: RequestBody, request: Definitions) -> Any:
    if body.kind == "text":
        return {"type": "string", "description": f"The whole body as {body.media_type}."}
    return request.convert(body.schema)


def _described(schema: Any, description: str) -> Any:
    if not description or not isinstance(schema, dict) or "description" in schema:
        return schema
    return {**schema, "description": shorten(description, MAX_DESCRIPTION)}
