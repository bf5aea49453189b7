"""How faithful the world engine was found to be on a state: the report as it is sent, and its figures as shown."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field, model_validator

from odyssey.core.wire import Body, Instant

_FIGURES = ("responses", "changes", "refusals")

Rate = Annotated[float, Field(ge=0, le=1)]


class Share(Body):
    share: Rate | None = Field(description="null when there was nothing to compare.")
    interval: Annotated[list[Rate], Field(min_length=2, max_length=2, description="95 %, low and high.")]
    equal: Annotated[int, Field(ge=0)] | None = None
    of: Annotated[int, Field(ge=0)] | None = None

    @model_validator(mode="after")
    def _in_order(self) -> "Share":
        low, high = self.interval
        if low > high:
            raise ValueError("the lower end of the interval comes first")
        return self


class FidelityFigures(Body):
    calls: Annotated[int, Field(ge=0)] | None = None
    responses: Share
    reads: Share | None = None
    changes: Share
    refusals: Share
    refusal_texts: Share | None = None
    sure: Share | None = Field(
        None, description="Of the calls answered with a confidence of 0.6 or more: how many are right."
    )


class FirstDifference(Body):
    where: str = Field(description="`$.status`, or `changes` where the answers are equal.")
    recorded: Any = None
    simulated: Any = None


class ToolFigures(FidelityFigures):
    stateless: bool | None = None
    first_difference: FirstDifference | None = Field(
        None, description="Of the first call that was not answered rightly."
    )


class FidelityReport(FidelityFigures):
    """What `odyssey fidelity --json` prints."""

    tools: Annotated[dict[str, ToolFigures], Field(max_length=1000)]


class FidelityIn(FidelityReport):
    state_hash: Annotated[str, Field(max_length=64)] | None = Field(
        None, description="Of the state it was measured on; if it is not the world's, 409 `world_changed`."
    )


class ReportOut(FidelityReport):
    measured_at: Instant


class ShareOut(BaseModel):
    share: float | None
    interval: list[float]
    equal: int | None = Field(description="Calls that were equal; null where the report does not say.")
    of: int | None = Field(description="Calls that were compared.")


class FidelityOut(BaseModel):
    responses: ShareOut
    changes: ShareOut
    refusals: ShareOut
    measured_at: Instant


def figures(report: dict[str, Any], measured_at: datetime) -> FidelityOut:
    shares = {name: _share(report[name]) for name in _FIGURES}
    return FidelityOut(**shares, measured_at=measured_at)


def _share(kept: dict[str, Any]) -> ShareOut:
    return ShareOut(
        share=kept["share"], interval=kept["interval"], equal=kept.get("equal"), of=kept.get("of")
    )
