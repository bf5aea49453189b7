"""Starting a matrix: it is written down with its snapshot; its runs are made while it goes on."""

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.database import after_commit
from odyssey.core.signals import Signals
from odyssey.identity.caller import Caller, record_change
from odyssey.journal.contents import store_document
from odyssey.kit.clock import Clock
from odyssey.kit.ids import new_uuid
from odyssey.matrices.models import Matrix
from odyssey.matrices.progress import status_of
from odyssey.matrices.schemas import MatrixPlanned
from odyssey.matrices.snapshot import read_snapshot
from odyssey.matrices.source import MatrixSource
from odyssey.matrices.take_snapshot import Taken
from odyssey.runs.models import Campaign, Lane
from odyssey.runs.topics import CAMPAIGNS_TOPIC
from odyssey.statistics.significance import min_p


async def start_matrix(
    session: AsyncSession,
    signals: Signals,
    clock: Clock,
    caller: Caller,
    taken: Taken,
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
        planned_runs=matrix.campaign.planned_runs,
        cells=snapshot.cells,
        min_p=min_p(snapshot.repeats, snapshot.baseline_repeats),
        warnings=matrix.warnings,
    )
