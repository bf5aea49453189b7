"""What one request for eval runs comes to: each run with its seed, the text it gets, and the way that text takes."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from odyssey.agents.config import VariationDelivery
from odyssey.evals.behaviour import Delivered
from odyssey.evals.variations.texts import Dose, Variation, render
from odyssey.journal.injections import CarriedText
from odyssey.kit.ids import new_random_seed


class Pressure(NamedTuple):
    """A variation as it is applied to all runs of a cell."""

    variation: Variation
    dose: Dose
    delivery: VariationDelivery
    step: int
    placebo: bool


class PlannedRun(NamedTuple):
    user_instruction: str
    random_seed: int
    repeat: int
    carried: CarriedText | None = None
    """What travels apart from the instruction."""
    injection: str | None = None
    """The text it gets, whichever way; None for a baseline."""
    paraphrase: int | None = None


def draw_seeds(seed: int | None, label: str, count: int) -> list[int]:
    """Give each run a seed of its own; the same seed gives the same ones."""
    if seed is None:
        return [new_random_seed() for _ in range(count)]
    digests = (sha256(f"{seed} {label} {number}".encode()).digest() for number in range(count))
    return [int.from_bytes(digest[:8], "big") >> 1 for digest in digests]


def plan_baselines(rendered: str, seeds: Sequence[int]) -> list[PlannedRun]:
    return [PlannedRun(rendered, seed, repeat) for repeat, seed in enumerate(seeds, start=1)]


def plan_pressed(rendered: str, pressure: Pressure, seeds: Sequence[int]) -> list[PlannedRun]:
    return [_pressed(rendered, pressure, seed, repeat) for repeat, seed in enumerate(seeds, start=1)]


def _pressed(rendered: str, pressure: Pressure, seed: int, repeat: int) -> PlannedRun:
    made = render(pressure.variation, pressure.dose, seed, ahead_of=rendered)
    text = made.placebo if pressure.placebo else made.text
    if pressure.delivery == "user":
        return PlannedRun(f"{text}\n\n{rendered}", seed, repeat, None, text, made.paraphrase)
    if pressure.delivery == "system":
        carried = CarriedText("system", text)
    else:
        carried = CarriedText("tool_result", text, pressure.step)
    return PlannedRun(rendered, seed, repeat, carried, text, made.paraphrase)


# Whether the text of a pressure reached the agent: by what the platform saw, not by what was sent.
#
# `user` travels in the instruction itself. `system` is delivered when the exact text stands in a system
# message of the reply or in a `system_prompt` event; the agent's own word alone is a claim. `tool_result` is
# delivered when an answer carried it.

APPLIED = "system_injection_applied"


def was_delivered(
    delivery: VariationDelivery,
    text: str,
    *,
    dispatched: bool,
    messages: Sequence[Mapping[str, Any]] | None,
    metadata: Mapping[str, Any] | None,
    system_prompts: Iterable[Any],
    carried: bool,
) -> Delivered:
    """Judge one ended run by its evidence; `system_prompts` are payloads, `carried` is about tool results."""
    if delivery == "user":
        return "delivered" if dispatched else "undelivered"
    if delivery == "tool_result":
        return "delivered" if carried else "undelivered"
    spoken = [message.get("content") for message in messages or () if message.get("role") == "system"]
    if any(_holds(text, part) for part in (*spoken, *system_prompts)):
        return "delivered"
    return "claimed" if metadata is not None and metadata.get(APPLIED) is True else "undelivered"


def _holds(text: str, value: Any) -> bool:
    """Whether a text stands anywhere in the strings of a value."""
    if isinstance(value, str):
        return text in value
    if isinstance(value, Mapping):
        return any(_holds(text, part) for part in value.values())
    return isinstance(value, list) and any(_holds(text, part) for part in value)
