"""Values of parameters as text, in the styles OpenAPI has for them."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import msgspec

from odyssey.endpoints.openapi.operations import Parameter

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
