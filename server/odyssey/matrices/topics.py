"""Names of the wake-ups that matrices send; see `core.signals`."""

from odyssey.core.signals import Signals
from odyssey.evals.eval_runs.observe import matrix_topic

MATRICES_TOPIC = "matrices"
"""A matrix was started, resumed, cancelled or completed: there may be work for the feeder of this process."""


def matrix_changed(signals: Signals, matrix_id: str) -> None:
    """Tell the feeder, and whoever is shown the matrix."""
    signals.notify(MATRICES_TOPIC)
    signals.announce(matrix_topic(matrix_id))
