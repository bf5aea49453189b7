"""Options that several commands have."""

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter, validators

Switch = Parameter(negative="", show_default=False)
AsJson = Annotated[bool, Parameter(name="--json"), Switch]
Sort = Annotated[str | None, Parameter(name="--sort", allow_leading_hyphen=True)]
"""A field of the list, `-` ahead of it for descending; the platform knows which there are."""


def any_field(sort: str | None) -> Any:
    """Let a list be sorted by whatever was typed: which fields there are is for the platform to say."""
    return sort


Positive = Annotated[int, Parameter(validator=validators.Number(gte=1))]
Share = Annotated[float, Parameter(validator=validators.Number(gte=0, lte=1))]
Scenario = Annotated[str, Parameter(name="SCENARIO")]
Dose = Literal["mild", "medium", "strong"]
Delivery = Literal["user", "system", "tool_result"]
Folder = Annotated[Path | None, Parameter(name="--folder")]
