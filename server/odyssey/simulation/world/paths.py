"""Ids that are paths: what is given relative to where somebody stands, going elsewhere, and what lies in a folder.

In a world of {"directory": {"/home/ada": …}, "session": {"current": {"cwd": "/home/ada"}}} the argument `notes.txt`
means `/home/ada/notes.txt`, and `..` means `/home`. A tool that changes the current directory sets `cwd`, one that
prints it shows it, and one that lists a directory shows the names of what lies in it.
"""

import posixpath
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import msgspec

from odyssey.kit.caches import Same
from odyssey.kit.words import phrase, tokens, word_set
from odyssey.records.ledger import Update
from odyssey.simulation.engine import Answer, Reading, Shape, ToolCall
from odyssey.simulation.world.answer import LIKELY, refuse
from odyssey.simulation.world.shape import FillSources, fit
from odyssey.worlds.ledger import Ledger

_FEW = 5
_ABOUT_PATHS = re.compile(r"path|director|folder|file|destination", re.IGNORECASE)
_PLACE = re.compile(
    r"\b(?:current|working|present)\b[\w ]{0,20}\b(?:directory|folder|path|location)\b", re.IGNORECASE
)
_GOES = re.compile(r"^\W*(?:change|set|switch|go|move|enter)s?\b", re.IGNORECASE)
_LISTS = re.compile(r"^\W*(?:list|show)s?\b", re.IGNORECASE)
_SLASH = re.compile(
    r"\b(?:director\w+|folders?)\b[^.;]{0,40}\b(?:(?:end|ending|trailing)\b[^.;,]{0,20}\bslash|slash at the end)\b",
    re.IGNORECASE,
)
_FOLDERS = frozenset({"directory", "directories", "folder", "folders"})


class StandingPlace(NamedTuple):
    """Where somebody stands in a tree of paths."""

    types: tuple[str, ...]
    """Whose ids are paths."""
    keeper: tuple[str, str, str] | None
    """The type, id and field that hold the path; None where nothing does."""
    path: str

    @property
    def folders(self) -> tuple[str, ...]:
        """The types of what other things lie in, if any is called so."""
        named = tuple(each for each in self.types if not _FOLDERS.isdisjoint(tokens(each)))
        return named or self.types


@lru_cache(maxsize=1024)
def may_be_about_paths(name: str, description: str, arguments: str) -> bool:
    """Whether a tool speaks of paths at all: most do not, and need not be looked at any further."""
    return _ABOUT_PATHS.search(f"{name} {description} {arguments}") is not None


def find_place(world: Ledger) -> StandingPlace | None:
    types = tuple(name for name in world.entity_types() if _are_paths(Same(world.sample(name))))
    if not types:
        return None
    for name in world.entity_types():
        entities = world.entities(name)
        if len(entities) != 1 or name in types:
            continue
        entity_id, fields = next(iter(entities.items()))
        for field, value in fields.items():
            if isinstance(value, str) and any(world.entity(each, value) is not None for each in types):
                return StandingPlace(types, (name, entity_id, field), value)
    return StandingPlace(types, None, "/")


def with_whole_paths(call: ToolCall, place: StandingPlace) -> ToolCall:
    """Make relative paths whole."""
    whole = {
        name: posixpath.normpath(posixpath.join(place.path, value))
        for name, value in call.arguments.items()
        if isinstance(value, str) and _is_path(name, value, call)
    }
    return msgspec.structs.replace(call, arguments={**call.arguments, **whole}) if whole else call


def walk(call: ToolCall, world: Ledger, place: StandingPlace) -> Answer | None:
    """The answer of a tool that goes elsewhere, says where one is, or lists what is there; None for any other."""
    paths = [
        value for name, value in call.arguments.items() if isinstance(value, str) and value.startswith("/")
    ]
    description = call.tool.description
    if place.keeper is not None and _PLACE.search(description.partition(".")[0]):
        return (
            _go(call, world, place, paths)
            if paths and _GOES.search(description)
            else _say(call, place, paths)
        )
    first = description.partition(",")[0].partition(".")[0]
    lists_one = _LISTS.search(first) and not _FOLDERS.isdisjoint(tokens(first)) and len(paths) <= 1
    return _look_into(call, world, place, paths[0] if paths else place.path) if lists_one else None


def _go(call: ToolCall, world: Ledger, place: StandingPlace, paths: list[str]) -> Answer:
    assert place.keeper is not None
    name, entity_id, field = place.keeper
    reading = Reading("update", name, (field,), tuple(call.arguments))
    if not any(world.entity(each, paths[0]) is not None for each in place.folders):
        return refuse("not_found", f"No {phrase(place.folders[0])} {paths[0]!r} exists.", reading)
    return _shown(call, field, paths[0], reading, (Update(name, entity_id, {field: paths[0]}),))


def _say(call: ToolCall, place: StandingPlace, paths: list[str]) -> Answer | None:
    if paths or place.keeper is None:
        return None
    name, _, field = place.keeper
    return _shown(call, field, place.path, Reading("read", name, (field,)))


def _look_into(call: ToolCall, world: Ledger, place: StandingPlace, folder: str) -> Answer:
    reading = Reading("list", place.folders[0], (), tuple(call.arguments))
    if not any(world.entity(each, folder) is not None for each in place.folders):
        return refuse("not_found", f"No {phrase(place.folders[0])} {folder!r} exists.", reading)
    names = sorted(_names_in(call, world, place, folder))
    known = FillSources("entry", {**call.arguments, "path": folder})
    response, is_invented = fit(names, call.tool.output_schema, known)
    shape: Shape = "invented" if is_invented else "shaped"
    return Answer(response, certainty=LIKELY, explanation=reading.in_words(), reading=reading, shape=shape)


_ALL = word_set("all hidden a show_hidden include_hidden show_all dotfiles")


def _names_in(call: ToolCall, world: Ledger, place: StandingPlace, folder: str) -> Iterator[str]:
    hides = any("_".join(tokens(name)) in _ALL and value is False for name, value in call.arguments.items())
    has_slash = _SLASH.search(call.tool.description) is not None
    for entity_type in place.types:
        slash = "/" if has_slash and entity_type in place.folders else ""
        for path in world.entities(entity_type):
            name = posixpath.basename(path)
            if path != folder and posixpath.dirname(path) == folder and not (hides and name.startswith(".")):
                yield name + slash


def _shown(
    call: ToolCall, field: str, path: str, reading: Reading, operations: tuple[Update, ...] = ()
) -> Answer:
    schema = call.tool.output_schema or {}
    declared = schema.get("properties")
    # The only text that is promised is the place, whatever it is called.
    names = list(declared) if isinstance(declared, dict) else []
    response, is_invented = fit(
        {names[0]: path} if len(names) == 1 else path if schema.get("type") == "string" else {field: path},
        call.tool.output_schema,
        FillSources(field, call.arguments),
    )
    shape: Shape = "invented" if is_invented else "shaped"
    return Answer(response, operations, LIKELY, explanation=reading.in_words(), reading=reading, shape=shape)


@lru_cache(maxsize=512)
def _are_paths(sample: Same) -> bool:
    ids = list(sample.it.entities)
    return bool(ids) and all(each.startswith("/") for each in ids[:_FEW])


def _is_path(name: str, value: str, call: ToolCall) -> bool:
    declared = call.tool.input_schema.get("properties", {}).get(name)
    said = declared.get("description", "") if isinstance(declared, dict) else ""
    words = f"{name} {said}".lower()
    return (
        value.startswith(("/", "./", "../"))
        or value in (".", "..")
        or "path" in words
        or "directory" in words
    )
