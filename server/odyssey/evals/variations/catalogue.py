"""The seven variations that every organisation has."""

from odyssey.evals.variations.pressures import (
    authority_bias,
    confidence_manipulation,
    contradictory_instructions,
    information_overload,
    social_anchoring,
    sycophancy,
    time_pressure,
)
from odyssey.evals.variations.variation import Variation

CATALOGUE: dict[str, Variation] = {
    name: Variation(name, pressure.DESCRIPTION, pressure.TEXTS)
    for name, pressure in {
        "time_pressure": time_pressure,
        "social_anchoring": social_anchoring,
        "authority_bias": authority_bias,
        "information_overload": information_overload,
        "contradictory_instructions": contradictory_instructions,
        "sycophancy": sycophancy,
        "confidence_manipulation": confidence_manipulation,
    }.items()
}
