"""How the tools of an endpoint differ from those it had before: pure."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from odyssey.endpoints.upstream import UpstreamTool

_COMPARED = ("description", "input_schema", "output_schema", "read_only")
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
MOST_PATHS = 50


class ToolChange(NamedTuple):
    name: str
    paths: tuple[str, ...]
    """JSON paths into the tool that differ; at most `MOST_PATHS`."""


class Drift(NamedTuple):
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[ToolChange, ...]

    def __bool__(self) -> bool:
        return any(self)

    def stored(self) -> dict[str, Any]:
        changed = [{"name": tool.name, "paths": list(tool.paths)} for tool in self.changed]
        return {"added": list(self.added), "removed": list(self.removed), "changed": changed}


def drift_between(before: Iterable[UpstreamTool], after: Iterable[UpstreamTool]) -> Drift:
    old, new = ({tool.name: tool for tool in tools} for tools in (before, after))
    changed = (ToolChange(name, _paths(old[name], new[name])) for name in sorted(old.keys() & new.keys()))
    return Drift(
        added=tuple(sorted(new.keys() - old.keys())),
        removed=tuple(sorted(old.keys() - new.keys())),
        changed=tuple(tool for tool in changed if tool.paths),
    )


def _paths(before: UpstreamTool, after: UpstreamTool) -> tuple[str, ...]:
    found: list[str] = []
    for member in _COMPARED:
        for path in _differing(getattr(before, member), getattr(after, member), f"$.{member}"):
            if len(found) == MOST_PATHS:
                return tuple(found)
            found.append(path)
    return tuple(found)


def _differing(before: Any, after: Any, path: str) -> Iterator[str]:
    """Go down as long as both sides have the same shape; a path names the smallest part that differs."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in sorted(before.keys() | after.keys()):
            inner = path + (f".{key}" if _PLAIN.fullmatch(key) else f"[{_quoted(key)}]")
            if key in before and key in after:
                yield from _differing(before[key], after[key], inner)
            else:
                yield inner
    elif _is_list(before) and _is_list(after) and len(before) == len(after):
        for index, (left, right) in enumerate(zip(before, after, strict=True)):
            yield from _differing(left, right, f"{path}[{index}]")
    elif not _is_same(before, after):
        yield path


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _is_same(before: Any, after: Any) -> bool:
    """Tell true from 1, which Python does not."""
    return isinstance(before, bool) == isinstance(after, bool) and bool(before == after)


def _quoted(key: str) -> str:
    return "'" + key.replace("\\", "\\\\").replace("'", "\\'") + "'"
