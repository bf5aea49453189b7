"""Whether a recorded call was an act on the world: it changed it, or meant to and was refused or cut off."""

from collections.abc import Mapping
from typing import Any

from odyssey.grading.evidence import ACCEPTED
from odyssey.records.tools import LedgerSchema, Tool
from odyssey.simulation.classing import operation_of
from odyssey.simulation.engine import ToolCall
from odyssey.worlds.ledger import Ledger

CHANGING = frozenset({"create", "update", "remove"})


def is_mutating(
    data: Mapping[str, Any], tool: Tool | None, ledger_schema: LedgerSchema | None, world: Ledger
) -> bool:
    """Class one `tool_call` of the trace by its data.

    A call of a live service is what the service declares it to be: a read stays one although an adapter mirrors what it
    showed. A rule that answered leaves no reading of the engine's; then the engine is asked what it takes the call for
    in this world. What the proxy refused reached no world.
    """
    if data.get("http_status") != ACCEPTED:
        return False
    upstream = data.get("upstream")
    if isinstance(upstream, dict):
        return not upstream.get("read_only")
    if data.get("operations"):
        return True
    operation = _recorded(data)
    if operation is None:
        operation = _classed(data.get("arguments"), tool, ledger_schema, world)
    return operation in CHANGING


def _recorded(data: Mapping[str, Any]) -> str | None:
    validation = data.get("validation")
    reading = validation.get("reading") if isinstance(validation, dict) else None
    operation = reading.get("operation") if isinstance(reading, dict) else None
    return operation if isinstance(operation, str) else None


def _classed(
    arguments: Any, tool: Tool | None, ledger_schema: LedgerSchema | None, world: Ledger
) -> str | None:
    if tool is None or not isinstance(arguments, dict):
        return None
    return operation_of(ToolCall(tool, arguments, ledger_schema, random_seed=0, sequence=1), world)
