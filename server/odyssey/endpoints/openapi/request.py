"""One call as one HTTP request: each argument goes where the operation wants it, and nowhere else."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec

from odyssey.core.addresses import MAX_URL_LENGTH
from odyssey.core.outbound import Method, header_problem
from odyssey.endpoints.openapi.operations import TEMPLATE, Parameter, RequestBody
from odyssey.endpoints.openapi.tools import Operation
from odyssey.records.faults import did_you_mean

# Values of parameters as text, in the styles OpenAPI has for them.

Pair = tuple[str, str]

_DELIMITERS = {"form": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C"}


def encode(text: str) -> str:
    """Percent-encode everything but letters, digits and `-._~`, so that nothing ends or splits what it is in."""
    return quote(text, safe="")


def text_of(value: Any) -> str:
    """A value as the text of one scalar; what is inside of something else, or deeper, is JSON."""
    if isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode()


def in_path(parameter: Parameter, value: Any) -> str:
    """One place of a path template, encoded."""
    name = encode(parameter.name)
    parts = _parts(value)
    if parts is None or parameter.as_json:
        text = encode(text_of(value))
        return {"label": f".{text}", "matrix": f";{name}={text}"}.get(parameter.style, text)
    if isinstance(value, dict):
        paired = parameter.explode
        items = [f"{key}={part}" if paired else f"{key},{part}" for key, part in parts]
    else:
        paired = False
        items = [part for _, part in parts]
    if parameter.style == "label":
        return "." + ("." if parameter.explode else ",").join(items)
    if parameter.style == "matrix":
        if not parameter.explode:
            return f";{name}=" + ",".join(items)
        return "".join(f";{item}" if paired else f";{name}={item}" for item in items)
    return ",".join(items)


def in_query(parameter: Parameter, value: Any) -> Iterator[Pair]:
    """The pairs of a query, encoded; none for an empty list or object."""
    name = encode(parameter.name)
    parts = _parts(value)
    if parts is None or parameter.as_json:
        yield name, encode(text_of(value))
    elif parameter.style == "deepObject" and isinstance(value, dict):
        yield from _deep(name, value)
    elif parameter.explode or parameter.style == "deepObject":
        for key, part in parts:
            yield (key if isinstance(value, dict) else name), part
    elif parts:
        flat = (text for pair in parts for text in pair) if isinstance(value, dict) else (p for _, p in parts)
        yield name, _DELIMITERS[parameter.style].join(flat)


def in_header(parameter: Parameter, value: Any) -> str:
    """The value of a header, not encoded: headers have no escapes."""
    if parameter.as_json or not isinstance(value, dict | list):
        return text_of(value)
    if isinstance(value, list):
        return ",".join(map(text_of, value))
    between = "=" if parameter.explode else ","
    return ",".join(f"{key}{between}{text_of(part)}" for key, part in value.items())


def in_cookie(parameter: Parameter, value: Any) -> Iterator[Pair]:
    return in_query(parameter._replace(style="form"), value)


def _deep(name: str, value: Any) -> Iterator[Pair]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _deep(f"{name}%5B{encode(key)}%5D", part)
    elif isinstance(value, list):
        for part in value:
            yield name, encode(text_of(part))
    else:
        yield name, encode(text_of(value))


def _parts(value: Any) -> list[Pair] | None:
    """The encoded members of an object or items of a list; None for a scalar."""
    if isinstance(value, dict):
        return [(encode(key), encode(text_of(part))) for key, part in value.items()]
    if isinstance(value, list):
        return [("", encode(text_of(part))) for part in value]
    return None


# Bodies of requests: JSON, forms, forms in parts, text.
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class ArgumentInvalidError(ValueError):
    """The arguments cannot be put on the wire; the message names the one, and holds no secret."""


def write_body(body: RequestBody, value: Any) -> tuple[str, bytes]:
    """The content type and the content; raises ArgumentInvalidError for what cannot be such a body."""
    if body.kind == "json":
        return body.media_type, msgspec.json.encode(value)
    if body.kind == "text":
        return body.media_type, text_of(value).encode()
    if not isinstance(value, dict):
        raise ArgumentInvalidError(f"The body is a form ({body.media_type}), so it must be an object.")
    if body.kind == "form":
        return body.media_type, _form(value, body.encoding)
    return _multipart(value, body)


def _form(value: Mapping[str, Any], encoding: Mapping[str, Any]) -> bytes:
    pairs = [pair for name, part in value.items() for pair in _fields(name, part, encoding.get(name) or {})]
    return "&".join(f"{name}={text}" for name, text in pairs).encode()


def _fields(name: str, value: Any, encoding: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """One member as fields; an object is one field of JSON unless the document gives it a style."""
    style = encoding.get("style")
    if style not in ("form", "spaceDelimited", "pipeDelimited", "deepObject"):
        style = None
    if value is None:
        yield encode(name), ""
    elif isinstance(value, dict) and style is None:
        yield encode(name), encode(text_of(value))
    else:
        explode = encoding.get("explode", style in (None, "form"))
        yield from in_query(
            Parameter(name, name, "query", style or "form", explode is True, False, False, None), value
        )


def _multipart(value: Mapping[str, Any], body: RequestBody) -> tuple[str, bytes]:
    parts = [
        _part(name, each, is_file=name in body.files)
        for name, member in value.items()
        for each in (member if isinstance(member, list) else [member])
    ]
    # What the parts hold cannot contain the hash of all of them.
    boundary = hashlib.sha256(b"\0".join(parts)).hexdigest()
    content = b"".join(b"--%s\r\n%s\r\n" % (boundary.encode(), part) for part in parts)
    return f"multipart/form-data; boundary={boundary}", content + b"--%s--\r\n" % boundary.encode()


def _part(name: str, value: Any, *, is_file: bool) -> bytes:
    if _CONTROL.search(name):
        raise ArgumentInvalidError(f"The name {name[:80]!r} of a form's field contains a control character.")
    field = name.replace('"', "%22")
    disposition = f'Content-Disposition: form-data; name="{field}"'
    if is_file:
        disposition += f'; filename="{field}"\r\nContent-Type: application/octet-stream'
    elif isinstance(value, dict):
        disposition += "\r\nContent-Type: application/json"
    text = "" if value is None else text_of(value)
    return f"{disposition}\r\n\r\n{text}".encode()


_ACCEPT = "application/json, */*;q=0.8"
_LITERAL = "/:@!$&'()*+,;=-._~%"
_DOTS = re.compile(r"(?:\.|%2[Ee]){1,2}")


class Request(NamedTuple):
    method: Method
    url: str
    headers: dict[str, str]
    body: bytes | None


def write_request(
    operation: Operation, base_url: str, arguments: Mapping[str, Any], auth_headers: Mapping[str, str]
) -> Request:
    """Split the arguments over path, query, headers, cookies and body; raises ArgumentInvalidError.

    What stands in `auth_headers` is not the arguments' to say.
    """
    try:
        given = _given(operation, arguments)
        url = _url(operation, base_url, given)
        headers = _headers(given)
        body = _body(operation, arguments)
    except UnicodeEncodeError:
        raise ArgumentInvalidError("An argument is not valid Unicode text.") from None
    headers["Accept"] = _ACCEPT
    content: bytes | None = None
    if body is not None:
        headers["Content-Type"], content = body
    own = {name.lower() for name in auth_headers}
    headers = {name: value for name, value in headers.items() if name.lower() not in own}
    return Request(operation.raw.method, url, {**headers, **auth_headers}, content)


def _given(operation: Operation, arguments: Mapping[str, Any]) -> list[tuple[Parameter, Any]]:
    """The parameters that are there, with their values; null leaves an optional one out."""
    known = operation.argument_names()
    if known is not None:
        for name in arguments:
            if name not in known:
                hint = did_you_mean(name, known) or f"; it takes {', '.join(known[:20]) or 'none'}."
                raise ArgumentInvalidError(f"{operation.name} has no argument {name[:80]!r}{hint}")
    return [
        (parameter, arguments[parameter.argument])
        for parameter in operation.parameters
        if arguments.get(parameter.argument) is not None
    ]


def _url(operation: Operation, base_url: str, given: list[tuple[Parameter, Any]]) -> str:
    base, _, base_query = base_url.partition("#")[0].partition("?")
    route = operation.raw.route
    pairs = [
        pair
        for parameter, value in given
        if parameter.place == "query"
        for pair in in_query(parameter, value)
    ]
    parts = [
        base_query,
        quote(route.fixed_query, safe=_LITERAL + "?"),
        "&".join(f"{name}={text}" for name, text in pairs),
    ]
    query = "&".join(filter(None, parts))
    path = _path(operation, route.template, given)
    url = base.rstrip("/") + path + (f"?{query}" if query else "")
    if len(url) > MAX_URL_LENGTH:
        raise ArgumentInvalidError(
            f"The address of this call would be {len(url)} characters long; at most {MAX_URL_LENGTH} are sent."
            " Ask for less at a time."
        )
    return url


def _path(operation: Operation, template: str, given: list[tuple[Parameter, Any]]) -> str:
    """Fill in the template; a value stays in its segment."""
    values = {parameter.name: (parameter, value) for parameter, value in given if parameter.place == "path"}
    pieces: list[str] = []
    for index, piece in enumerate(TEMPLATE.split(template)):
        if index % 2 == 0:
            pieces.append(quote(piece, safe=_LITERAL))
            continue
        if piece not in values:
            raise ArgumentInvalidError(
                f"{operation.name} needs the argument {_argument(operation, piece)!r}."
            )
        parameter, value = values[piece]
        text = in_path(parameter, value)
        if not text:
            raise ArgumentInvalidError(
                f"The argument {parameter.argument!r} stands in the path, so it cannot be empty."
            )
        pieces.append(text)
    path = "".join(pieces)
    if any(_DOTS.fullmatch(segment) for segment in path.split("/")):
        raise ArgumentInvalidError(
            "A part of the path would be '.' or '..', which stands for another path; give another value."
        )
    return path


def _argument(operation: Operation, name: str) -> str:
    return next(each.argument for each in operation.parameters if (each.place, each.name) == ("path", name))


def _headers(given: list[tuple[Parameter, Any]]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for parameter, value in given:
        if parameter.place == "header":
            text = in_header(parameter, value)
            problem = header_problem(parameter.name, text)
            if problem is not None:
                raise ArgumentInvalidError(problem)
            headers[parameter.name] = text
    cookies = [
        pair
        for parameter, value in given
        if parameter.place == "cookie"
        for pair in in_cookie(parameter, value)
    ]
    if cookies:
        headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in cookies)
    return headers


def _body(operation: Operation, arguments: Mapping[str, Any]) -> tuple[str, bytes] | None:
    body = operation.body
    if body is None:
        return None
    if operation.body_argument is not None:
        if operation.body_argument not in arguments:
            return None
        value = arguments[operation.body_argument]
    else:
        parameters = {parameter.argument for parameter in operation.parameters}
        value = {name: part for name, part in arguments.items() if name not in parameters}
        if not value and not body.is_required:
            return None
    return write_body(body, value)
