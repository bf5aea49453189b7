"""What is sent as the contents of a world, read as a whole: every fault of all of it is said at once."""

from collections.abc import Mapping
from typing import Any

from odyssey.core.errors import ValidationFailedError
from odyssey.library.behaviours.reading import take_behavior
from odyssey.library.named_worlds.state import check_state, prepare
from odyssey.records.problems import FaultList
from odyssey.simulation.rules import read_rules
from odyssey.worlds.stored_state import StoredState

CONTENTS = ("initial_state", "behavior_instructions", "failure_rules")


def read_contents(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same members with the state `Prepared` and the behaviour as text."""
    faults, read = FaultList(), dict(given)
    if "initial_state" in given:
        faults += check_state(given["initial_state"])
    if "failure_rules" in given:
        faults += read_rules(given["failure_rules"]).errors
    if "behavior_instructions" in given:
        read["behavior_instructions"], wrong = take_behavior(given["behavior_instructions"])
        faults += wrong
    if faults:
        raise ValidationFailedError(faults)
    if "initial_state" in given:
        read["initial_state"] = prepare(StoredState.of(given["initial_state"]))
    return read
