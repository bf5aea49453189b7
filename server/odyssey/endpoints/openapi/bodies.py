"""Bodies of requests: JSON, forms, forms in parts, text."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from odyssey.endpoints.openapi.operations import Body, Parameter
from odyssey.endpoints.openapi.styles import encode, in_query, text_of

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class Written(NamedTuple):
    content_type: str
    content: bytes


class BodyInvalidError(ValueError):
    """The value cannot be such a body; the message says why."""


def write_body(body: Body, value: Any) -> Written:
    if body.kind == "json":
        return Written(body.media_type, msgspec.json.encode(value))
    if body.kind == "text":
        return Written(body.media_type, text_of(value).encode())
    if not isinstance(value, dict):
        raise BodyInvalidError(f"The body is a form ({body.media_type}), so it must be an object.")
    if body.kind == "form":
        return Written(body.media_type, _form(value, body.encoding))
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


def _multipart(value: Mapping[str, Any], body: Body) -> Written:
    parts = [
        _part(name, each, is_file=name in body.files)
        for name, member in value.items()
        for each in (member if isinstance(member, list) else [member])
    ]
    # What the parts hold cannot contain the hash of all of them.
    boundary = hashlib.sha256(b"\0".join(parts)).hexdigest()
    content = b"".join(b"--%s\r\n%s\r\n" % (boundary.encode(), part) for part in parts)
    return Written(f"multipart/form-data; boundary={boundary}", content + b"--%s--\r\n" % boundary.encode())


def _part(name: str, value: Any, *, is_file: bool) -> bytes:
    if _CONTROL.search(name):
        raise BodyInvalidError(f"The name {name[:80]!r} of a form's field contains a control character.")
    field = name.replace('"', "%22")
    disposition = f'Content-Disposition: form-data; name="{field}"'
    if is_file:
        disposition += f'; filename="{field}"\r\nContent-Type: application/octet-stream'
    elif isinstance(value, dict):
        disposition += "\r\nContent-Type: application/json"
    text = "" if value is None else text_of(value)
    return f"{disposition}\r\n\r\n{text}".encode()
