"""Names of the wake-ups that runs send; see `core.signals`."""

from collections.abc import Iterable

from odyssey.core.signals import Listener, Signals
from odyssey.journal.events import run_topic

RUNS_TOPIC = "runs"
"""A run was made, moved on, ended or was graded: there may be work for the loops of this process."""
CAMPAIGNS_TOPIC = "campaigns"
"""A campaign was made, goes on or has ended: there may be work for the loop of campaigns of this process."""
OWNERSHIP_TOPIC = "ownership"
"""A running run was taken away: its owner must look."""


def org_runs_topic(org_id: int) -> str:
    """Name what is shown of an org's runs, in every process."""
    return f"org:{org_id}:runs"


def runs_changed(signals: Signals, *org_ids: int, apart_from: Listener | None = None) -> None:
    """Tell the loops, and whoever is shown the runs of these orgs."""
    signals.notify(RUNS_TOPIC, apart_from=apart_from)
    for org_id in org_ids:
        signals.announce(org_runs_topic(org_id))


def runs_ended(signals: Signals, org_id: int, run_ids: Iterable[int]) -> None:
    """Tell of runs that ended without an event in their journals."""
    for run_id in run_ids:
        signals.announce(run_topic(run_id))
    runs_changed(signals, org_id)
