"""Behaviours: lines that say how tools behave, and the layer they form around the answer of an engine."""

from odyssey.simulation.behaviours.behaviours import EMPTY, Behaviours, ToolBehaviours
from odyssey.simulation.behaviours.layer import with_behaviours
from odyssey.simulation.behaviours.moment import BehaviourFailedError
from odyssey.simulation.behaviours.reading import (
    MAX_BYTES,
    MAX_LINES,
    BehaviourReading,
    Line,
    read_behaviours,
)
from odyssey.simulation.behaviours.words import render_rule

__all__ = [
    "EMPTY",
    "MAX_BYTES",
    "MAX_LINES",
    "BehaviourFailedError",
    "BehaviourReading",
    "Behaviours",
    "Line",
    "ToolBehaviours",
    "read_behaviours",
    "render_rule",
    "with_behaviours",
]
