"""The report on a tool's programs, as both routes give it."""

from odyssey.agents.program_routes import ProgramFault
from odyssey.library.compiling.propose import Proposal
from odyssey.library.compiling.replaying import Mismatch, Trial
from odyssey.library.compiling.schemas import (
    MismatchOut,
    ProgramAttemptOut,
    ProgramChangeOut,
    ProgramReportOut,
    ProgramShareOut,
)
from odyssey.records.problems import FieldError
from odyssey.simulation.fidelity import RecordedChange, Share


def report(tool: str, proposal: Proposal, accept_at: float) -> ProgramReportOut:
    best = proposal.best()
    return ProgramReportOut(
        tool=tool,
        accepted=best.is_accepted(accept_at),
        program=None if best.program is None else best.program.raw,
        attempts=[_attempt(trial) for trial in proposal.trials],
        responses=_share(best.row.responses),
        changes=_share(best.row.changes),
        refusal_texts=_share(best.row.refusal_texts),
        shown=proposal.shown,
        model=proposal.model,
        input_tokens=proposal.input_tokens,
        output_tokens=proposal.output_tokens,
        cost_usd=proposal.cost_usd,
    )


def _attempt(trial: Trial) -> ProgramAttemptOut:
    return ProgramAttemptOut(
        errors=[_fault(error) for error in trial.errors],
        equal=trial.equal,
        of=trial.of,
        mismatches=[_mismatch(one) for one in trial.mismatches],
    )


def _fault(error: FieldError) -> ProgramFault:
    return ProgramFault(loc=list(error.loc), msg=error.msg)


def _mismatch(one: Mismatch) -> MismatchOut:
    changes = {
        name: [_change(change) for change in getattr(one, name)]
        for name in ("expected_changes", "got_changes")
    }
    return MismatchOut(**one._asdict() | changes)


def _change(change: RecordedChange) -> ProgramChangeOut:
    return ProgramChangeOut(
        entity_type=change.entity_type, id=change.id, before=change.before, after=change.after
    )


def _share(share: Share) -> ProgramShareOut:
    return ProgramShareOut(share=share.share, interval=list(share.interval), equal=share.equal, of=share.of)
