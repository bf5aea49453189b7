"""Names of the wake-ups that runs send; see `core.signals`."""

RUNS_TOPIC = "runs"
"""A run was made, moved on, ended or was graded."""
BATCHES_TOPIC = "batches"
"""A batch was made: its agent is to be pinged and its runs are to be made."""
OWNERSHIP_TOPIC = "ownership"
"""A running run was taken away: its owner must look."""
