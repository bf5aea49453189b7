"""A thousand wrong answers about worlds of several shapes are found, and the right ones they were made of are not."""

import random
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import msgspec
import pytest
from support.corruptions import KINDS
from support.honest_calls import PLACES, Honest, honest_calls, in_other_words

from odyssey.records.json_schema import compile_schema
from odyssey.simulation.engine import Answer
from odyssey.simulation.simulate import SimulationResult, conclude

SEEDS = range(4)
CALLS = 120
"""Of each world."""
EACH = 84
"""Of each of twelve kinds."""


class Miss(NamedTuple):
    place: str
    tool: str
    arguments: object
    answer: Answer


def strictly(honest: Honest, answer: Answer) -> SimulationResult:
    output = honest.call.tool.output_schema
    compiled = None if output is None else compile_schema(output)
    return conclude("llm", answer, honest.call, honest.world, compiled, "strict")


def as_of_a_model(answer: Answer) -> Answer:
    """A model says what it does and not how it read the call."""
    return msgspec.structs.replace(answer, reading=None, certainty=0.7, explanation="")


@lru_cache(maxsize=len(SEEDS))
def honest_answers(seed: int) -> list[Honest]:
    """Half of them as the world engine gives them, half as a model might."""
    chance = random.Random(seed)
    calls = [each for place in PLACES for each in honest_calls(place, CALLS, chance)]
    return [each if place % 2 else in_other_words(each, chance) for place, each in enumerate(calls)]


def corrupted(kind: str, seed: int) -> Iterator[tuple[Honest, Answer]]:
    chance = random.Random(f"{seed} {kind}")
    made = 0
    while made < EACH:
        source = chance.choice(honest_answers(seed))
        answer = KINDS[kind](source, chance)
        if answer is None:
            continue
        made += 1
        yield source, as_of_a_model(answer) if made % 2 else answer


@pytest.mark.parametrize("seed", SEEDS)
def test_a_thousand_corruptions_are_found(seed: int) -> None:
    missed: dict[str, list[Miss]] = {kind: [] for kind in KINDS}
    for kind, misses in missed.items():
        for source, answer in corrupted(kind, seed):
            if strictly(source, answer).source == "odyssey":
                misses.append(Miss(source.place.name, source.call.tool.name, source.call.arguments, answer))
    total = EACH * len(KINDS)
    found = total - sum(map(len, missed.values()))
    by_kind = {kind: f"{EACH - len(misses)} of {EACH}" for kind, misses in missed.items()}
    examples = [miss for misses in missed.values() for miss in misses[:2]]
    assert total >= 1000
    assert found / total >= 0.99, (by_kind, examples)
    assert all(len(misses) / EACH <= 0.05 for misses in missed.values()), (by_kind, examples)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_answers_they_were_made_of_are_not(seed: int) -> None:
    honest = honest_answers(seed)
    alarms = [
        (each.place.name, each.call.tool.name, each.call.arguments, answer, done.violations)
        for each in honest
        for answer in (each.answer, as_of_a_model(each.answer))
        if (done := strictly(each, answer)).source == "error"
    ]
    assert len(alarms) / (2 * len(honest)) < 0.01, alarms[:5]


def test_every_world_and_every_tool_takes_part() -> None:
    sources = [source for seed in SEEDS for kind in KINDS for source, _ in corrupted(kind, seed)]
    tools = {(place.name, spec.name) for place in PLACES for spec in place.tools}
    assert {(source.place.name, source.call.tool.name) for source in sources} == tools
