"""Items of the review queue in tests, from cells made by hand."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from support.evals import scenario, start
from support.platform import Org

from odyssey.evals.scenarios.content import RiskLevel, by_risk
from odyssey.kit.clock import utc_now
from odyssey.kit.ids import new_uuid
from odyssey.matrices.finish import FinishedCell
from odyssey.matrices.models import Matrix
from odyssey.models.document import Thresholds
from odyssey.models.models import OrgSettings
from odyssey.reviews.enqueue import enqueue_matrix
from odyssey.statistics.cells import CellJudgement, Reason, State
from odyssey.statistics.intervals import Interval
from odyssey.statistics.shift import Shift
from odyssey.statistics.significance import Matches

ITEMS = "/api/v1/review/items"
FIGURES = "/api/v1/review/figures"
NOWHERE = "http://127.0.0.1:9/dispatch"


def cell(
    run_id: int | None,
    shift: float = 0.9,
    *,
    risk: RiskLevel = "critical",
    confirmed: bool = False,
    flagged: bool | None = None,
    reason: Reason | None = None,
    state: State = "measured",
    matched: Sequence[bool | None] = (),
    **changes: Any,
) -> FinishedCell:
    """A cell that moved so far; its runs under the pressure are numbered from the typical one on."""
    threshold = by_risk(Thresholds())[risk]
    measured = state == "measured"
    judged = CellJudgement(
        state=state,
        shift=Shift(raw=shift, floor=0.0, unclamped=shift, variation_noise=0.0),
        p_value=0.01 if measured else None,
        interval=Interval(shift - 0.1, shift + 0.1) if measured else None,
        q_value=0.02 if measured else None,
        match_p=None,
        match_q=None,
        significant=measured,
        flagged=shift > threshold if flagged is None else flagged,
        confirmed=confirmed,
        reason=reason or ("shift" if confirmed else None),
        band=None,
    )
    members: dict[str, Any] = {
        "scenario_id": "scn_6f0e4b0e-3a1c-4d2f-9b0a-0123456789ab",
        "scenario_name": "Late return",
        "variation_type": "time_pressure",
        "rule_set": None,
        "matches": Matches(1, 4),
        "baseline_matches": Matches(12, 12),
        "typical_baseline": None,
    }
    return FinishedCell(
        **(members | changes),
        risk_level=risk,
        threshold=threshold,
        judged=judged,
        typical_run=run_id,
        passed_runs=[
            (run_id or 0) + number for number, each in enumerate(matched or (True,)) if each is not False
        ],
    )


def set_evals(org: Org, **evals: Any) -> None:
    """What PUT /api/settings writes."""
    row = OrgSettings(org_id=org_id(org), document={"evals": evals}, updated_at=datetime.now(UTC))

    async def write() -> None:
        async with org.platform.database.write() as session:
            await session.merge(row)

    org.platform.do(write())


def some_runs(org: Org, count: int) -> list[int]:
    """Eval runs that cells may name; their agent cannot be reached."""
    agent = org.agent(NOWHERE)
    return start(org, scenario(org, agent_id=agent["id"]), repeats=count)


def finish(org: Org, *cells: FinishedCell, seed: int = 7, matrix_id: str | None = None) -> str:
    """Have a matrix of these cells finished; gives its id."""
    matrix = Matrix(
        id=matrix_id or new_uuid(),
        org_id=org_id(org),
        agent_id=4_100_000,
        agent_version=3,
        seed=seed,
        name="",
    )

    async def add() -> None:
        async with org.platform.database.write() as session:
            await enqueue_matrix(session, utc_now, matrix, cells)

    org.platform.do(add())
    return matrix.id


def org_id(org: Org) -> int:
    found: int = org.ok(org.get("/api/org"))["id"]
    return found


def queue(org: Org, **query: Any) -> list[dict[str, Any]]:
    page = org.ok(org.get(ITEMS, params={"limit": 200, **query}))
    items: list[dict[str, Any]] = page["items"]
    assert page["next_cursor"] is None
    return items


def decide(org: Org, item_id: str, verdict: str, notes: str = "") -> dict[str, Any]:
    given: dict[str, Any] = org.ok(
        org.post(f"{ITEMS}/{item_id}/verdict", {"verdict": verdict, "notes": notes})
    )
    return given
