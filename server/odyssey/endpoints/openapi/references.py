"""References of a document, followed inside of it and nowhere else."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

import msgspec

from odyssey.records.schema_graph import resolve_pointer

# Why a text cannot be the description of an endpoint.


class DocumentInvalidError(Exception):
    """The document is refused as a whole; the message says why and what to do about it.

    openapi_invalid        it is no JSON or YAML, or no OpenAPI document
    openapi_version        it is of a version other than 3.0 and 3.1
    openapi_too_large      it is over the size Odyssey reads
    openapi_external_ref   it refers to another document, and Odyssey fetches none
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


_MAX_HOPS = 50

# Values of these are data of the API, in which `$ref` is a name like any other.
_DATA = frozenset({"const", "default", "enum", "example", "examples", "mapping"})
# The members of these are named by the author, so that none of their names means anything to us.
_NAMED = frozenset(
    {"$defs", "definitions", "dependentSchemas", "patternProperties", "properties", "responses", "schemas"}
)


class References:
    """One document and what its local references lead to."""

    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root
        self._targets: dict[str, Any] = {}

    def follow(self, value: Any) -> dict[str, Any] | None:
        """The object a value is or refers to, None without one; raises DocumentInvalidError where it leaves."""
        for _ in range(_MAX_HOPS):
            if not isinstance(value, dict):
                return None
            reference = value.get("$ref")
            if not isinstance(reference, str):
                return value
            if not reference.startswith("#"):
                raise external(reference)
            value = self.target(reference)
        return None

    def target(self, reference: str) -> Any:
        """What one reference points at; None for nothing, and for what is not in this document."""
        if not reference.startswith("#"):
            return None
        if reference not in self._targets:
            self._targets[reference] = resolve_pointer(self._root, unquote(reference[1:]))
        return self._targets[reference]


def refuse_external(root: dict[str, Any]) -> None:
    """Raise for a reference that leaves the document, also where no operation leads to it."""
    for reference in _references(root):
        if not reference.startswith("#"):
            raise external(reference)


def external(reference: str) -> DocumentInvalidError:
    shown = reference if len(reference) <= 120 else reference[:117] + "…"
    return DocumentInvalidError(
        "openapi_external_ref",
        f"The document refers to another one ($ref {shown!r}), which Odyssey never fetches;"
        " bundle it into one document with references that start with '#'.",
    )


def _references(root: dict[str, Any]) -> Iterator[str]:
    pending: list[tuple[Any, bool]] = [(root, False)]
    while pending:
        value, named = pending.pop()
        if isinstance(value, list):
            pending.extend((part, False) for part in value)
        elif isinstance(value, dict):
            reference = value.get("$ref")
            if isinstance(reference, str) and not named:
                yield reference
            pending.extend(
                (part, key in _NAMED and not named)
                for key, part in value.items()
                if named or not (key in _DATA or key.startswith("x-"))
            )


# How much work one document may cause: references let a small text stand for any amount of it.

EFFORT = 64 * 1024 * 1024
"""In bytes of JSON gone through, for all schemas of a document together; some tens of seconds at the very worst."""

LARGEST_PART = 1024 * 1024


class Effort:
    def __init__(self, left: int = EFFORT) -> None:
        self._left = left

    def allows(self, part: Any) -> bool:
        """Whether a part of the document may be gone through; it is counted as if it were."""
        size = len(msgspec.json.encode(part))
        return size <= LARGEST_PART and self.spend(size)

    def spend(self, size: int) -> bool:
        self._left -= size
        return self._left > 0
