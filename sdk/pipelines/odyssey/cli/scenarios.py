"""Finding a scenario by what a person calls it."""

import re

from pipelines.odyssey.cli.connection import Connection, if_missing
from pipelines.odyssey.cli.failures import CommandFailedError
from pipelines.odyssey.cli.printing.screen import word
from pipelines.odyssey.client import types as t

Found = t.ScenarioOut | t.ScenarioSummary

_ID = re.compile(r"scn_[0-9a-f-]{36}")


def find_scenario(platform: Connection, wanted: str) -> Found:
    """Return the scenario with this id, or else the only one with this name."""
    if _ID.fullmatch(wanted):
        with if_missing(f"There is no scenario {wanted}."):
            return platform.eval.scenarios.get(wanted)
    named = [each for each in platform.eval.scenarios.list(q=wanted[:200]) if each["name"] == wanted]
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
