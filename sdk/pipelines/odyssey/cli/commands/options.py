"""Options that several commands have, and the secret that one of them names."""

import getpass
import os
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter, validators

from pipelines.odyssey.cli.failures import CommandFailedError

Switch = Parameter(negative="", show_default=False)
AsJson = Annotated[bool, Parameter(name="--json"), Switch]
Sort = Annotated[str | None, Parameter(name="--sort", allow_leading_hyphen=True)]
"""A field of the list, `-` ahead of it for descending; the platform knows which there are."""
Positive = Annotated[int, Parameter(validator=validators.Number(gte=1))]
Share = Annotated[float, Parameter(validator=validators.Number(gte=0, lte=1))]
Scenario = Annotated[str, Parameter(name="SCENARIO")]
Dose = Literal["mild", "medium", "strong"]
Delivery = Literal["user", "system", "tool_result"]
Folder = Annotated[Path | None, Parameter(name="--folder")]


def any_field(sort: str | None) -> Any:
    """Let a list be sorted by whatever was typed: which fields there are is for the platform to say."""
    return sort


def read_secret(environment_variable: str | None, what: str) -> str:
    """Return a secret without the line break that a pipe or a file leaves behind it."""
    if environment_variable is not None:
        value = os.environ.get(environment_variable, "")
        if not value:
            raise CommandFailedError(f"The environment variable {environment_variable} is not set.")
    elif sys.stdin.isatty():
        value = getpass.getpass(f"{what}: ")
    else:
        value = sys.stdin.read()
    value = value.rstrip("\r\n")
    if not value:
        raise CommandFailedError(
            f"There is no {what}: pipe it in, type it when asked, or name a variable with --secret-env."
        )
    return value
