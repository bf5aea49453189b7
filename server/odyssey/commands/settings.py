"""`odyssey settings`: every knob, what it is set to and what it does."""

import json
import sys
from typing import Annotated, Any

from cyclopts import Parameter
from pydantic import SecretStr, ValidationError
from rich.console import Console
from rich.table import Table

from odyssey.core.settings import Settings


def settings(*, json_output: Annotated[bool, Parameter(name="--json", negative="")] = False) -> None:
    """List every setting of the server with its ODYSSEY_… variable.

    Parameters
    ----------
    json_output
        Print JSON instead of a table.
    """
    try:
        current = Settings()
    except ValidationError as error:
        sys.exit(f"odyssey: {error.errors()[0]['msg']}")
    rows = [_row(current, name) for name in Settings.model_fields]
    if json_output:
        print(json.dumps(rows, indent=2))
        return
    table = Table("variable", "value", "default", "meaning", box=None, pad_edge=False)
    for row in rows:
        table.add_row(row["variable"], str(row["value"]), str(row["default"]), row["meaning"])
    Console().print(table)


def _row(current: Settings, name: str) -> dict[str, Any]:
    field = Settings.model_fields[name]
    return {
        "variable": f"ODYSSEY_{name.upper()}",
        "value": _shown(getattr(current, name)),
        "default": _shown(field.default),
        "meaning": field.description,
    }


def _shown(value: object) -> Any:
    if isinstance(value, SecretStr):
        return "(set)"
    return value if isinstance(value, str | int | float | None) else str(value)
