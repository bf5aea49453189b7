"""Finding a scenario by what a person calls it."""

import re
from typing import Any

from pipelines.odyssey.cli.connection import CommandFailedError, Connection
from pipelines.odyssey.cli.printing.screen import word

SCENARIOS = "/api/v1/eval/scenarios"

_ID = re.compile(r"scn_[0-9a-f-]{36}")
_MEMBERS = ("id", "name", "version", "risk_level")


def find_scenario(platform: Connection, wanted: str) -> dict[str, Any]:
    """Return the scenario with this id, or else the only one with this name."""
    if _ID.fullmatch(wanted):
        missing = f"There is no scenario {wanted}."
        return platform.get(f"{SCENARIOS}/{wanted}", members=_MEMBERS, missing=missing)
    named = [each for each in platform.pages(SCENARIOS, q=wanted[:200]) if each["name"] == wanted]
    if not named:
        raise CommandFailedError(
            f"There is no scenario called {word(wanted)}; odyssey eval scenarios list names them."
        )
    if len(named) > 1:
        ids = ", ".join(str(each["id"]) for each in named[:5])
        raise CommandFailedError(
            f"{len(named)} scenarios are called {word(wanted)}; give the id of one: {ids}."
        )
    return named[0]
