"""Starting a matrix, ending it before it is over, letting a cancelled one go on, and running one once more."""

import asyncio
from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.compiled import CompiledAgents
from odyssey.campaigns.ending import cancel, resume
from odyssey.core.database import after_commit
from odyssey.core.errors import ConflictError
from odyssey.core.signals import Signals
from odyssey.evals.behaviour import DISTANCE_VERSION
from odyssey.evals.eval_runs.observe import matrix_topic
from odyssey.identity.caller import Caller, record_change
from odyssey.journal.contents import store_document
from odyssey.kit.clock import Clock
from odyssey.kit.ids import new_uuid
from odyssey.matrices.analysis import places_of
from odyssey.matrices.models import Matrix
from odyssey.matrices.progress import end_of_matrix, plan_of, status_of
from odyssey.matrices.repository import get_matrix, last_cancelled
from odyssey.matrices.schemas import MatrixIn, MatrixPlanned, RuleSetIn
from odyssey.matrices.snapshot import read_snapshot
from odyssey.matrices.source import MatrixSource
from odyssey.matrices.take_snapshot import MatrixDraft, changes_since, take_snapshot
from odyssey.runs.models import Campaign, Lane
from odyssey.runs.topics import CAMPAIGNS_TOPIC
from odyssey.statistics.significance import min_p

# Starting a matrix: it is written down with its snapshot; its runs are made while it goes on.


async def start_matrix(
    session: AsyncSession,
    signals: Signals,
    clock: Clock,
    caller: Caller,
    taken: MatrixDraft,
    *,
    name: str,
    rerun_of: str | None = None,
) -> Matrix:
    snapshot, asked = taken.snapshot, taken.snapshot.asked
    for conduct in taken.conducts:
        await store_document(session, caller.org_id, conduct)
    campaign = Campaign(
        kind=MatrixSource.kind,
        org_id=caller.org_id,
        agent_id=snapshot.agent_id,
        agent_version=snapshot.agent_version,
        state="checking",
        planned_runs=taken.size.runs,
        made_runs=0,
        again=[],
        turn=0,
    )
    matrix = Matrix(
        id=new_uuid(),
        campaign=campaign,
        org_id=caller.org_id,
        agent_id=snapshot.agent_id,
        agent_version=snapshot.agent_version,
        name=name,
        seed=snapshot.seed,
        distance_version=DISTANCE_VERSION,
        snapshot=snapshot.stored(),
        scenarios=len(snapshot.scenarios),
        variations=len(snapshot.variations),
        budget_runs=asked.budget_runs,
        warnings=taken.warnings,
        rerun_of=rerun_of,
        ended_before=0,
        created_by=caller.person_id,
        created_at=clock(),
    )
    session.add(matrix)
    most_at_once = asked.max_concurrency if asked.parallel else 1
    if most_at_once is not None:
        session.add(Lane(id=matrix.id, most_at_once=most_at_once))
    await session.flush()
    record_change(
        session,
        caller,
        clock,
        "matrix.create",
        object_type="matrix",
        object_id=matrix.id,
        after=snapshot.stored(),
    )
    after_commit(session, lambda: signals.notify(CAMPAIGNS_TOPIC))
    return matrix


def planned(matrix: Matrix) -> MatrixPlanned:
    snapshot = read_snapshot(matrix.snapshot)
    return MatrixPlanned(
        id=matrix.id,
        status=status_of(matrix),
        planned_runs=snapshot.planned_runs,
        confirm_runs_max=snapshot.confirm_runs_max,
        cells=snapshot.cells,
        min_p=min_p(snapshot.repeats, snapshot.baseline_repeats),
        warnings=matrix.warnings,
    )


# Ending a matrix before it is over, letting a cancelled one go on, and running one once more.


class ExperimentChangedError(ConflictError):
    code, title = "experiment_changed", "What the experiment is made of was edited"

    def __init__(self, changed: Sequence[str]) -> None:
        super().__init__(
            f"Since it was started: {'; '.join(changed)}. Runs from before and after cannot be compared: "
            "rerun the matrix, so that all of it goes by what there is now."
        )


class SelectionGoneError(ConflictError):
    code, title = "experiment_changed", "What the experiment is made of is no longer there"

    def __init__(self, gone: Sequence[str]) -> None:
        super().__init__(f"It cannot be run once more: {'; '.join(gone)}. Start a new matrix without that.")


async def cancel_matrix(
    session: AsyncSession, signals: Signals, clock: Clock, caller: Caller, matrix_id: str
) -> Matrix:
    """Make no more runs and end those that wait. While the matrix is held nobody can make new ones."""
    matrix = await get_matrix(session, caller.org_id, matrix_id, lock=True)
    status = status_of(matrix)
    if status != "running":
        raise ConflictError(f"Matrix {matrix_id} has ended already ({status}).")
    matrix.finished_at = end_of_matrix(matrix, clock())
    await cancel(session, signals, clock, matrix.campaign)
    record_change(
        session, caller, clock, "matrix.cancel", object_type="matrix", object_id=matrix_id, before=status
    )
    after_commit(session, lambda: signals.announce(matrix_topic(matrix_id)))
    return matrix


async def resume_matrix(
    session: AsyncSession, signals: Signals, clock: Clock, caller: Caller, matrix_id: str
) -> Matrix:
    """Have the runs made that are missing: those that were cancelled once more, then those that never were."""
    matrix = await get_matrix(session, caller.org_id, matrix_id, lock=True)
    status = status_of(matrix)
    if status != "cancelled":
        raise ConflictError(
            f"Matrix {matrix_id} is {status}; only a cancelled one can be resumed. To run it once more, rerun it."
        )
    snapshot = read_snapshot(matrix.snapshot)
    changes = await changes_since(session, caller.org_id, snapshot)
    if changes.every:
        raise ExperimentChangedError(changes.every)
    plan = plan_of(matrix)
    numbers, places = await asyncio.to_thread(plan.numbers), places_of(plan)
    cancelled = {numbers[places(key)] for key in await last_cancelled(session, matrix_id)}
    matrix.reason, matrix.finished_at = None, None
    await resume(session, signals, matrix.campaign, cancelled)
    record_change(
        session, caller, clock, "matrix.resume", object_type="matrix", object_id=matrix_id, before=status
    )
    after_commit(session, lambda: signals.announce(matrix_topic(matrix_id)))
    return matrix


async def take_again(
    session: AsyncSession, agents: CompiledAgents, caller: Caller, matrix: Matrix
) -> MatrixDraft:
    """Take a snapshot of the same selection as it is now; the seed stays, so texts and order do too."""
    snapshot = read_snapshot(matrix.snapshot)
    gone = (await changes_since(session, caller.org_id, snapshot)).gone
    if gone:
        raise SelectionGoneError(gone)
    asked = snapshot.asked
    body = MatrixIn(
        scenario_ids=[each.id for each in snapshot.scenarios],
        variation_types=[each.name for each in snapshot.variations],
        name=matrix.name,
        parallel=asked.parallel,
        agent_id=snapshot.agent_id,
        repeats=snapshot.repeats,
        baseline_repeats=snapshot.baseline_repeats,
        placebo=snapshot.placebo,
        delivery=asked.delivery,
        dose=snapshot.dose,
        step=snapshot.step,
        seed=snapshot.seed,
        max_concurrency=asked.max_concurrency,
        budget_runs=asked.budget_runs,
        max_unmeasured=asked.max_unmeasured,
        confirm=asked.confirm,
        confirm_runs_max=asked.confirm_runs_max,
        min_match=asked.min_match,
        rule_sets=[
            RuleSetIn(name=each.name, failure_rules=each.failure_rules) for each in snapshot.rule_sets
        ],
    )
    return await take_snapshot(session, agents, caller, body)
