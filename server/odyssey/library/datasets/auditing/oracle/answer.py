"""Answers that nobody can give: a pattern that finds nothing, a schema that nothing fits, words against each other."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from odyssey.grading.checks import read_checks, run_checks
from odyssey.library.datasets.auditing.demands import Impossibility, named
from odyssey.library.datasets.auditing.patterns import all_texts, finds_nothing, ignores_case
from odyssey.library.datasets.auditing.straw_run import Stage
from odyssey.records.json_schema import SchemaInvalidError, compile_schema

_DEEPEST = 10


class Spoken(NamedTuple):
    check: int
    how: str
    asked: Any


def spoken_checks(raw_checks: Sequence[Any]) -> list[Spoken]:
    return [
        Spoken(index, *next(iter(check["final_response"].items())))
        for index, check in enumerate(raw_checks)
        if "final_response" in check
    ]


def impossible_answers(raw_checks: Sequence[Any], stage: Stage) -> Iterator[Impossibility]:
    spoken = spoken_checks(raw_checks)
    for one in spoken:
        if one.how == "regex":
            if finds_nothing(one.asked):
                yield Impossibility(one.check, "no text has this pattern")
            yield from _of_few_texts(one, spoken, stage)
        elif one.how == "json_schema":
            if is_empty(one.asked):
                yield Impossibility(one.check, "no JSON fits this schema")
            for other in spoken:
                if (
                    other.how == "json_schema"
                    and other.check > one.check
                    and _exclude(one.asked, other.asked)
                ):
                    yield Impossibility(one.check, f"{named(other.check)} asks for other JSON")


def _of_few_texts(one: Spoken, spoken: Sequence[Spoken], stage: Stage) -> Iterator[Impossibility]:
    """A pattern that only a few texts fit, and none of them what another check asks for."""
    texts = all_texts(one.asked)
    if texts is None:
        return
    for other in spoken:
        # Where case does not matter, the texts are known but for their case.
        if other.check == one.check or (ignores_case(one.asked) and other.how != "contains"):
            continue
        checks = read_checks([{"final_response": {other.how: other.asked}}]).checks
        results = (run_checks(checks, stage.evidence(text))[-1] for text in texts)
        if not any(result.state == "passed" for result in results):
            yield Impossibility(one.check, f"{named(other.check)} wants what this pattern leaves no room for")


# Schemas that nothing fits, as far as that is plain: what they name one by one is not what they ask for.


def is_empty(schema: Any, depth: int = 0) -> bool:
    if schema is False:
        return True
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return False
    values = _listed(schema)
    if values is not None:
        fits = _validator(schema)
        return fits is not None and not any(map(fits, values))
    return schema.get("type") == "object" and any(
        is_empty(shape, depth + 1) for shape in _required(schema).values()
    )


def _exclude(one: Any, other: Any, depth: int = 0) -> bool:
    """Whether no value fits both, by what one of them names."""
    if not isinstance(one, dict) or not isinstance(other, dict) or depth > _DEEPEST:
        return False
    for first, second in ((one, other), (other, one)):
        values, fits = _listed(first), _validator(second)
        if values is not None and fits is not None and not any(map(fits, values)):
            return True
    if not one.get("type") == other.get("type") == "object":
        return False
    left, right = _required(one), _required(other)
    return any(_exclude(left[name], right[name], depth + 1) for name in left.keys() & right.keys())


def _listed(schema: dict[str, Any]) -> list[Any] | None:
    return [schema["const"]] if "const" in schema else schema.get("enum")


def _required(schema: dict[str, Any]) -> dict[str, Any]:
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict) or not isinstance(required, list):
        return {}
    return {name: properties[name] for name in required if name in properties}


def _validator(schema: dict[str, Any]) -> Callable[[Any], bool] | None:
    if "$ref" in str(schema):  # it may lead out of this part of the schema
        return None
    try:
        return compile_schema(schema).is_valid
    except SchemaInvalidError:
        return None
