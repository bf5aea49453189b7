"""What an agent could do beside its task without a row noticing: the hint for rows that look at the ledger alone.

Example: a row checks that order ord_1 is cancelled. An agent that cancels it and deletes its customer passes. The hint
names `delete_customer`, a tool of the agent that changes the world and that no check of the row speaks of.
"""

from collections.abc import Collection, Mapping
from typing import Any

from odyssey.agents.compiled import CompiledAgent
from odyssey.grading.checks import Check, read_checks
from odyssey.grading.checks.ledger import entity_named_in
from odyssey.grading.evidence import CHANGING, operation_of
from odyssey.kit.words import listed
from odyssey.library.seeds import Seed
from odyssey.records.problems import FieldError
from odyssey.records.smallest import smallest_value
from odyssey.records.tools import LedgerSchema, Tool
from odyssey.simulation.engine import ToolCall
from odyssey.worlds.ledger import Ledger

_MOST_NAMED = 2
_NOTICING = ("only_changed", "untouched")


class SideEffects:
    """The hints for the rows of one table; which tools of an agent act on a world is found out once per world."""

    def __init__(self, agent: CompiledAgent | None) -> None:
        self._agent = agent
        self._acting: dict[frozenset[str], list[str]] = {}

    def hint(self, seed: Seed) -> FieldError | None:
        """Say what the checks of a row would not notice; None where they look at all changes, or at none."""
        checks = read_checks(seed.checks, seed.checks_version).checks
        kinds = {check.kind for check in checks}
        if "ledger" not in kinds or not kinds.isdisjoint(_NOTICING):
            return None
        types = seed.types if seed.world is None else seed.world.types
        examples = self._tools(checks, types) or _others(checks, types)
        such = f", such as {listed(examples, 'or')}" if examples else ""
        index = next(check.index for check in checks if check.kind == "ledger")
        message = (
            f"nothing here notices what else the agent changes{such}; say what may change by only_changed, "
            "or what must not by untouched"
        )
        return FieldError(loc=("checks", index), msg=message)

    def _tools(self, checks: Collection[Check], types: frozenset[str]) -> list[str]:
        if self._agent is None:
            return []
        if types not in self._acting:
            tools = {name: each.tool for name, each in self._agent.tools.items()}
            self._acting[types] = _acting(tools, types, self._agent.ledger_schema)
        spoken_of = {name for check in checks for name in check.tools}
        return [f"by {name}" for name in self._acting[types] if name not in spoken_of][:_MOST_NAMED]


def _acting(
    tools: Mapping[str, Tool], types: frozenset[str], ledger_schema: LedgerSchema | None
) -> list[str]:
    """The tools that the world engine reads as changing a world of these types."""
    world = Ledger.boot({name: {} for name in sorted(types)})
    found = []
    for name, tool in tools.items():
        arguments: Any = smallest_value(tool.input_schema)
        call = ToolCall(tool, arguments, ledger_schema, random_seed=0, sequence=1)
        if isinstance(arguments, dict) and operation_of(call, world) in CHANGING:
            found.append(name)
    return found


def _others(checks: Collection[Check], types: frozenset[str]) -> list[str]:
    """The types of the world that no path of the row speaks of."""
    paths = [path for check in checks if check.kind == "ledger" for path in check.asked]
    spoken_of = {entity.type for path in paths if (entity := entity_named_in(path)) is not None}
    return [f"a {name}" for name in sorted(types - spoken_of)][:_MOST_NAMED]
