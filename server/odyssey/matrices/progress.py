"""How far a matrix is, and how long it will still take by the pace so far."""

from datetime import datetime

from odyssey.matrices.models import Matrix
from odyssey.matrices.plan import MatrixPlan
from odyssey.matrices.repository import ObservedCounts
from odyssey.matrices.schemas import MatrixStatus, Progress
from odyssey.matrices.snapshot import read_confirmation, read_snapshot


def status_of(matrix: Matrix) -> MatrixStatus:
    match matrix.campaign.state:
        case "completed":
            return "completed"
        case "cancelled":
            return "cancelled"
        case _:  # while its agent is pinged nothing has gone wrong yet
            return "running"


def plan_of(matrix: Matrix) -> MatrixPlan:
    """Read the plan of a matrix that was read with its snapshot."""
    return MatrixPlan(read_snapshot(matrix.snapshot), read_confirmation(matrix.confirmation))


def progress_of(matrix: Matrix, counts: ObservedCounts) -> Progress:
    """Count planned runs, each once however often it was repeated."""
    if matrix.campaign.state == "completed":
        planned = matrix.campaign.planned_runs
        return Progress(
            planned=planned, made=planned, ended=planned, missing=matrix.missing_runs or 0, seconds_left=None
        )
    made = matrix.campaign.made_runs - len(matrix.campaign.again)
    ended = ended_runs(matrix, counts)
    return Progress(
        planned=matrix.campaign.planned_runs,
        made=made,
        ended=ended,
        missing=ended - counts.telling,
        seconds_left=_seconds_left(matrix, ended, counts),
    )


def end_of_matrix(matrix: Matrix, now: datetime) -> datetime:
    """Give the moment a matrix ends: now, but not before it began, by whichever process's clock that was."""
    return max(now, matrix.began_at or matrix.created_at)


def ended_runs(matrix: Matrix, counts: ObservedCounts) -> int:
    """A run that was repeated has ended when its repeat has; one that is to be made again has not."""
    return matrix.campaign.made_runs - len(matrix.campaign.again) - counts.unobserved


def _seconds_left(matrix: Matrix, ended: int, counts: ObservedCounts) -> float | None:
    since = ended - matrix.ended_before
    if (
        matrix.campaign.state != "running"
        or matrix.began_at is None
        or counts.last_observed_at is None
        or since <= 0
    ):
        return None
    elapsed = (counts.last_observed_at - matrix.began_at).total_seconds()
    return round(max(0.0, elapsed) / since * (matrix.campaign.planned_runs - ended), 1)
