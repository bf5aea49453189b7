"""How often answers of a kind are exactly right: the confidence that is told, measured on reference worlds.

An engine knows how it came to an answer, and not how often that is right. So answers are sorted by what they rest on,
and each kind has the share that was right, response and changes, among thousands of recorded calls of back ends that
the engine's rules were not written beside. `make calibrate` measures it (`benchmarks/reference`) and writes
`calibration.json`.

Of a list of three orders the kind is `list/ok/0.9/shaped/many`: what was read, that it was not refused, how well it was
understood, that the answer had to be brought into the form of the output schema, and that there are several, which may
be too many, too few or in another order. Where that exact kind never occurred, the next wider one counts.
"""

from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

import msgspec

from odyssey.kit.caches import Same
from odyssey.simulation.engine import Answer, ToolCall

_RULES = 0.95
"""Of lines of behaviour and programs: no recorded call of the one world they were written for is answered otherwise."""
_DEPTH = 5


class AnswerKind(NamedTuple):
    """What an answer rests on, as far as it is known how often that is right."""

    operation: str
    outcome: str
    """`ok`, or the code of a refusal."""
    certainty: float
    shape: str
    """`free` where there is no output schema, `bare` where it does not name the members of what is shown."""
    rows: str
    """How many a list shows: `none`, `one` or `many`."""

    def names(self) -> Iterator[str]:
        """Name the kind, then wider ones; the widest is that of any answer."""
        operation, outcome, certainty, shape, rows = self
        if outcome == "ok":
            yield from (f"{operation}/ok/{certainty:g}/{shape}/{each}" for each in (rows,) if each)
            yield f"{operation}/ok/{certainty:g}/{shape}"
            yield f"{operation}/ok/{shape}"
            yield f"{operation}/ok"
        else:
            yield f"{operation}/{outcome}/{certainty:g}"
            yield f"{outcome}/{certainty:g}"
            yield outcome
        yield ""


def confidence_of(answer: Answer, call: ToolCall) -> float:
    if answer.evidence == "model":
        return answer.certainty  # nobody can say how often an org's model is right: by the attempts it took
    return _RULES if answer.evidence == "behaviour" else _share_of(kind_of(answer, call))


def confidence_of_any() -> float:
    """How often any answer is right: all that is known where a line about the tool is not understood."""
    return _shares()[""]


def kind_of(answer: Answer, call: ToolCall) -> AnswerKind:
    operation = "none" if answer.is_blank else "other" if answer.reading is None else answer.reading.operation
    return AnswerKind(
        operation,
        _code(answer) if answer.refused else "ok",
        answer.certainty,
        _shape(answer, call),
        _rows(answer.response) if operation == "list" else "",
    )


def _shape(answer: Answer, call: ToolCall) -> str:
    schema = call.tool.output_schema
    if schema is None:
        return "free"
    return "bare" if answer.shape != "invented" and _is_bare(Same(schema)) else answer.shape


@lru_cache(maxsize=1024)
def _is_bare(schema: Same) -> bool:
    """Whether a schema says nothing of the members of what it shows: `{"orders": {"items": {"type": "object"}}}`."""
    return _names_nothing(schema.it, _DEPTH)


def _names_nothing(schema: object, depth: int) -> bool:
    if not isinstance(schema, dict) or not depth:
        return False
    if schema.get("type") == "array":
        return _names_nothing(schema.get("items", {"type": "object"}), depth - 1)
    if schema.get("type") != "object":
        return False
    properties = schema.get("properties")
    inside = list(properties.values()) if isinstance(properties, dict) else []
    lists = [each for each in inside if isinstance(each, dict) and each.get("type") == "array"]
    of_objects = [each for each in lists if isinstance(each.get("items"), dict) and "type" in each["items"]]
    return not inside or any(
        _names_nothing(each, depth - 1) for each in (inside if len(inside) == 1 else of_objects)
    )


@lru_cache(maxsize=1024)
def _share_of(kind: AnswerKind) -> float:
    shares = _shares()
    return next(shares[name] for name in kind.names() if name in shares)


def _code(answer: Answer) -> str:
    error = answer.response.get("error") if isinstance(answer.response, dict) else None
    return str(error.get("code")) if isinstance(error, dict) else "refused"


def _rows(response: object) -> str:
    """How many there are in a list, or in the only list of an answer."""
    lists = (
        [each for each in response.values() if isinstance(each, list)]
        if isinstance(response, dict)
        else [response]
    )
    if len(lists) != 1 or not isinstance(lists[0], list):
        return ""
    return ("none", "one")[len(lists[0])] if len(lists[0]) < 2 else "many"


@lru_cache(maxsize=1)
def _shares() -> dict[str, float]:
    text = files("odyssey.simulation").joinpath("calibration.json").read_bytes()
    return msgspec.json.decode(text, type=dict[str, float])
