"""Wire types of cassettes."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StringConstraints

from odyssey.core.wire import Body, Instant, PlainText
from odyssey.endpoints.cassettes.playback import Match, OnMiss
from odyssey.kit.ids import MAX_INTEGER_ID

MOST_COMPARED = 20

Kind = Literal["added", "removed", "changed", "type_changed"]

_CassetteId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]
_Number = Annotated[int, Field(ge=1, le=MAX_INTEGER_ID)]


class CassetteIn(Body):
    name: Annotated[PlainText, Field(min_length=1, max_length=255)]
    run_id: _Number = Field(description="A run of this org that has ended: its passthrough calls are kept.")


class CassetteOut(BaseModel):
    id: str
    name: str
    run_id: int = Field(description="The run it was recorded from.")
    attempt: int
    agent_id: int
    agent_version: int
    interactions: int
    bytes: int = Field(description="Of all arguments and responses.")
    created_by: int
    created_at: Instant


class CassettesPage(BaseModel):
    items: list[CassetteOut]
    next_cursor: str | None


class InteractionOut(BaseModel):
    number: int
    tool_name: str
    arguments: dict[str, Any]
    response: Any
    source: Literal["passthrough", "transport_error"]
    status: int | None = Field(description="Of HTTP; null for MCP, and where there was no answer.")
    is_error: bool
    read_only: bool = Field(description="The endpoint says that the tool changes nothing.")
    endpoint_id: str | None
    endpoint: str | None = Field(description="The endpoint's name then.")
    type: str | None
    upstream_tool: str | None = Field(description="What the endpoint calls the tool.")
    run_id: int
    sequence: int = Field(description="The step of that run's trace.")
    captured: bool = Field(description="A later run asked for it and the cassette did not have it.")
    occurred_at: Instant


class InteractionsPage(BaseModel):
    items: list[InteractionOut]
    next_cursor: str | None


class ReplayIn(Body):
    """Play the live tools of runs from a cassette instead of asking them."""

    id: _CassetteId
    match: Match = Field(
        "strict",
        description="`strict`: calls must come in the recorded order. `lenient`: any order, and again and again.",
    )
    on_miss: OnMiss = Field(
        "fail",
        description="What it does not have is a transport error (`fail`), or asked live and added (`capture`).",
    )


class ReplayOut(BaseModel):
    id: str
    match: Match
    on_miss: OnMiss
    last_number: int = Field(
        description="The last interaction there was when the run was asked for; later ones are not played."
    )


class DiffIn(Body):
    numbers: Annotated[list[_Number], Field(min_length=1, max_length=MOST_COMPARED)] | None = Field(
        None, description=f"Which interactions; without it the first {MOST_COMPARED}."
    )
    include_changing: bool = Field(
        False, description="Also ask again what may change something: it is done once more, for real."
    )


class ChangeOut(BaseModel):
    path: str = Field(description="A JSONPath (RFC 9535) in the response.")
    kind: Kind
    before: Any = Field(description="As recorded; a large value as the beginning of its JSON, in a string.")
    after: Any


class ComparedOut(BaseModel):
    number: int
    tool_name: str
    state: Literal["same", "changed", "skipped", "failed"] = Field(
        description="`skipped`: not asked, because it may change something. `failed`: asked without getting an answer."
    )
    changes: list[ChangeOut]
    detail: str


class DiffOut(BaseModel):
    compared: int = Field(description="same + changed")
    same: int
    changed: int
    skipped: int
    failed: int
    left_out: int = Field(description="Interactions of the cassette that were not asked for.")
    interactions: list[ComparedOut]
