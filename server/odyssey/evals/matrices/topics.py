"""Names of the wake-ups that matrices send; see `core.signals`."""

MATRICES_TOPIC = "matrices"
"""A matrix was started, resumed, cancelled or completed."""
