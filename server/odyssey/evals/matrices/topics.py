"""Names of the wake-ups that matrices send; see `core.signals`."""

from odyssey.core.signals import Signals

MATRICES_TOPIC = "matrices"
"""A matrix was started, resumed, cancelled or completed: there may be work for the feeder of this process."""


def matrix_topic(matrix_id: str) -> str:
    """Name what is shown of how far a matrix is, in every process."""
    return f"matrix:{matrix_id}"


def matrix_changed(signals: Signals, matrix_id: str) -> None:
    """Tell the feeder, and whoever is shown the matrix."""
    signals.notify(MATRICES_TOPIC)
    signals.announce(matrix_topic(matrix_id))
