"""The operations of a document: what each takes, where it goes in the request, and what it answers."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any, Literal, NamedTuple, get_args

from odyssey.core.outbound import Method, header_problem
from odyssey.endpoints.openapi.references import References

Place = Literal["path", "query", "header", "cookie"]
BodyKind = Literal["json", "form", "multipart", "text"]

MAX_PARAMETERS = 50_000
"""Of all operations of a document together."""
MAX_MERGED = 200
"""Members of a body that stand among the arguments; more stay in one piece."""

_MAX_NAME = 256
_MAX_TEXT = 10_000
TEMPLATE = re.compile(r"\{([^{}/?#]+)\}")
_PLACES: tuple[Place, ...] = get_args(Place)
_METHODS: tuple[Method, ...] = get_args(Method)
_STYLES: dict[Place, tuple[str, ...]] = {
    "path": ("simple", "label", "matrix"),
    "query": ("form", "spaceDelimited", "pipeDelimited", "deepObject"),
    "header": ("simple",),
    "cookie": ("form",),
}
# The specification has the first three come from elsewhere; cookies have a place of their own.
_OWN_HEADERS = frozenset({"accept", "content-type", "authorization", "cookie"})
_JSON = re.compile(r"[^/]+/(?:[^/]+\+)?json")
_TEXT = re.compile(r"text/.+|[^/]+/(?:[^/]+\+)?(?:xml|yaml|x-yaml|graphql|x-ndjson|javascript)")
# A body with any other keyword says more than its members do, so it stays in one piece.
_OF_PLAIN_OBJECTS = frozenset(
    {
        "type",
        "properties",
        "required",
        "additionalProperties",
        "title",
        "description",
        "default",
        "example",
        "examples",
        "deprecated",
        "externalDocs",
        "xml",
        "nullable",
    }
)
_WILD: dict[BodyKind, str] = {"json": "application/json", "text": "text/plain"}


class Parameter(NamedTuple):
    argument: str
    """What it is called among the tool's arguments."""
    name: str
    place: Place
    style: str
    explode: bool
    as_json: bool
    """Its value is one JSON text, whatever the style."""
    is_required: bool
    schema: Any
    """As the document has it."""
    description: str = ""


class RequestBody(NamedTuple):
    kind: BodyKind
    media_type: str
    is_required: bool
    schema: Any
    encoding: Mapping[str, Any]
    """By member, of forms."""
    files: frozenset[str]
    """Members of a multipart form that are files."""
    members: Mapping[str, Any] | None
    """Those of a plain object of moderate size, which can stand among the arguments."""


class PathTemplate(NamedTuple):
    """A path of the document taken apart; a fragment only tells operations apart and is never sent."""

    template: str
    fixed_query: str
    """Pairs that are always sent."""
    asked: dict[str, str]
    """Of pairs written like `q={query}`: the name in the query, and that in the braces."""


class RawOperation(NamedTuple):
    """An operation as the document has it, its references followed."""

    method: Method
    path: str
    route: PathTemplate
    operation_id: str
    description: str
    parameters: tuple[Parameter, ...]
    body: RequestBody | None
    answer: Any
    """The schema of its first JSON answer that is a success; None without one."""

    @property
    def where(self) -> str:
        return f"{self.method} {self.path}"


class OperationReader:
    def __init__(self, references: References) -> None:
        self._references = references
        # Operations may share parts of any size; each part is looked at once.
        self._bodies: dict[int, RequestBody | None] = {}
        self._answers: dict[int, Any] = {}
        self._parameters_left = MAX_PARAMETERS
        self.skipped: list[tuple[str, str]] = []
        """Why something could not be taken, and where it stands; a note at discovery."""

    def read(self, paths: Mapping[str, Any]) -> Iterator[RawOperation]:
        for path, raw_item in paths.items():
            if not path.startswith("/"):
                if not path.startswith("x-"):
                    self.skip("paths that do not start with '/' are not read", path)
                continue
            item = self._references.follow(raw_item)
            if item is None:
                self.skip("paths that are no objects are not read", path)
                continue
            if isinstance(item.get("trace"), dict):
                self.skip("the method TRACE is not sent", path)
            for method in _METHODS:
                operation = self._references.follow(item.get(method.lower()))
                if operation is not None:
                    read = self._read_operation(method, path, item, operation)
                    if read is not None:
                        yield read

    def _read_operation(
        self, method: Method, path: str, item: dict[str, Any], raw: dict[str, Any]
    ) -> RawOperation | None:
        where = f"{method} {path}"
        declared = (_list(item.get("parameters")), _list(raw.get("parameters")))
        self._parameters_left -= sum(map(len, declared))
        if self._parameters_left < 0:
            self.skip(f"the document has more than {MAX_PARAMETERS} parameters in all", where)
            return None
        if any(_list(part.get("servers")) for part in (item, raw)):
            self.skip("servers of single operations are not used; their calls go to the base address", where)
        content = self._references.follow(raw.get("requestBody"))
        body = None if content is None else self._body_of(content)
        if content is not None and body is None and _map(content.get("content")):
            types = ", ".join(name[:80] for name in islice(_map(content.get("content")), 3))
            self.skip(f"a body of type {types} cannot be sent as text", where)
            if content.get("required") is True:
                return None
        route = read_route(path)
        return RawOperation(
            method,
            path,
            route,
            _text(raw.get("operationId"))[:_MAX_NAME],
            _describe(raw),
            tuple(self._read_parameters(route, chain(*declared), where)),
            body,
            self._answer_of(raw),
        )

    def _read_parameters(
        self, route: PathTemplate, declared: Iterable[Any], where: str
    ) -> Iterator[Parameter]:
        """Parameters of the operation win over those of its path; what the path names is always there."""
        found: dict[tuple[str, str], Parameter] = {}
        for entry in declared:
            parameter = self._read_parameter(self._references.follow(entry), where)
            if parameter is not None:
                found[parameter.place, parameter.name] = parameter
        for name, in_braces in route.asked.items():
            asked = found.pop(("path", in_braces), _undeclared(name, "query"))
            found.setdefault(
                ("query", name),
                asked._replace(argument=name, name=name, place="query", style="form", explode=True),
            )
        named = dict.fromkeys(TEMPLATE.findall(route.template))
        for parameter in found.values():
            if parameter.place != "path" or parameter.name in named:
                yield parameter
            else:
                self.skip(f"the path has no place for the parameter {parameter.name!r}", where)
        for name in named:
            if ("path", name) not in found:
                yield _undeclared(name, "path")

    def _read_parameter(self, raw: dict[str, Any] | None, where: str) -> Parameter | None:
        name, place = (raw or {}).get("name"), (raw or {}).get("in")
        if raw is None or not isinstance(name, str) or not name or place not in _PLACES:
            self.skip("a parameter without a name, or in no known place, is not read", where)
            return None
        if len(name) > _MAX_NAME:
            self.skip(f"a parameter with a name of more than {_MAX_NAME} characters is not read", where)
            return None
        if place == "header" and name.lower() in _OWN_HEADERS:
            return None
        if place == "header" and header_problem(name, "") is not None:
            self.skip(f"the header {name[:80]!r} cannot be set by an argument", where)
            return None
        media_type, described = next(iter(_map(raw.get("content")).items()), (None, None))
        style = raw.get("style")
        if style not in _STYLES[place]:
            style = _STYLES[place][0]
        explode = raw.get("explode")
        return Parameter(
            argument=name,
            name=name,
            place=place,
            style=style,
            explode=explode if isinstance(explode, bool) else style == "form",
            as_json=media_type is not None and _is_json(media_type),
            is_required=place == "path" or raw.get("required") is True,
            schema=raw.get("schema") if media_type is None else _map(described).get("schema"),
            description=_text(raw.get("description")),
        )

    def _body_of(self, raw: dict[str, Any]) -> RequestBody | None:
        if id(raw) not in self._bodies:
            self._bodies[id(raw)] = self._read_body(raw)
        return self._bodies[id(raw)]

    def _read_body(self, raw: dict[str, Any]) -> RequestBody | None:
        """The first content that can be sent: JSON rather than forms, forms rather than text."""
        content = _objects(raw.get("content"))
        for kind in get_args(BodyKind):
            for media_type, described in content.items():
                if _body_kind(media_type) == kind:
                    schema = described.get("schema")
                    return RequestBody(
                        kind,
                        _WILD.get(kind, media_type) if "*" in media_type else media_type,
                        raw.get("required") is True,
                        schema,
                        _objects(described.get("encoding")),
                        frozenset(self._files(schema)),
                        None if kind == "text" else self._members(schema),
                    )
        return None

    def _files(self, schema: Any) -> Iterator[str]:
        members = (self._references.follow(schema) or {}).get("properties")
        for name, member in _objects(members).items():
            described = self._references.follow(member) or {}
            if isinstance(described.get("items"), dict):
                described = self._references.follow(described["items"]) or {}
            if described.get("format") == "binary" or "contentMediaType" in described:
                yield name

    def _members(self, raw: Any) -> Mapping[str, Any] | None:
        schema = self._references.follow(raw)
        if schema is None or ("$ref" in raw and len(raw) > 1):
            return None
        members, required = schema.get("properties"), schema.get("required", ())
        plain = all(keyword in _OF_PLAIN_OBJECTS or keyword.startswith("x-") for keyword in schema)
        if not plain or schema.get("type", "object") != "object" or schema.get("nullable") is True:
            return None
        if not isinstance(members, dict) or not isinstance(required, list | tuple):
            return None
        return members if members and len(members) <= MAX_MERGED and len(required) <= MAX_MERGED else None

    def _answer_of(self, raw: dict[str, Any]) -> Any:
        if id(raw) not in self._answers:
            self._answers[id(raw)] = self._read_answer(raw)
        return self._answers[id(raw)]

    def _read_answer(self, raw: dict[str, Any]) -> Any:
        responses = _objects(raw.get("responses"))
        for status in sorted(responses):
            if re.fullmatch(r"2(?:[0-9]{2}|XX)", status.upper()):
                schema = self._json_of(self._references.follow(responses[status]))
                if schema is not None:
                    return schema
        return None

    def _json_of(self, response: dict[str, Any] | None) -> Any:
        key = id(response)
        if key not in self._answers:
            content = _objects((response or {}).get("content"))
            schemas = (content[kind].get("schema") for kind in content if _is_json(kind))
            self._answers[key] = next((schema for schema in schemas if schema is not None), None)
        return self._answers[key]

    def skip(self, why: str, where: str) -> None:
        self.skipped.append((why, where))


def read_route(path: str) -> PathTemplate:
    template, _, query = path.partition("#")[0].partition("?")
    fixed: list[str] = []
    asked: dict[str, str] = {}
    for pair in query.split("&"):
        name, _, value = pair.partition("=")
        in_braces = TEMPLATE.search(value)
        if in_braces is None:
            fixed.append(pair)
        else:
            asked[name] = in_braces.group(1)
    return PathTemplate(template, "&".join(fixed), asked)


def _undeclared(name: str, place: Place) -> Parameter:
    """A parameter that only the path speaks of."""
    return Parameter(
        argument=name,
        name=name,
        place=place,
        style=_STYLES[place][0],
        explode=False,
        as_json=False,
        is_required=True,
        schema={"type": "string"},
    )


def _body_kind(media_type: str) -> BodyKind | None:
    plain = _plain_type(media_type)
    if _is_json(media_type) or plain in ("*/*", "application/*"):
        return "json"
    if plain == "application/x-www-form-urlencoded":
        return "form"
    if plain == "multipart/form-data":
        return "multipart"
    return "text" if _TEXT.fullmatch(plain) else None


def _is_json(media_type: str) -> bool:
    return _JSON.fullmatch(_plain_type(media_type)) is not None


def _plain_type(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()


def _describe(raw: dict[str, Any]) -> str:
    parts = [_text(raw.get(key))[:_MAX_TEXT].strip() for key in ("summary", "description")]
    if raw.get("deprecated") is True:
        parts.insert(0, "Deprecated.")
    return "\n\n".join(dict.fromkeys(part for part in parts if part))


def _objects(value: Any) -> dict[str, dict[str, Any]]:
    """The members of a map that are objects."""
    return {name: member for name, member in _map(value).items() if isinstance(member, dict)}


def _map(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
