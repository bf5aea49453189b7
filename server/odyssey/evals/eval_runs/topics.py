"""Names of the wake-ups that eval runs send; see `core.signals`."""


def matrix_topic(matrix_id: str) -> str:
    """Name what is shown of how far a matrix is, in every process."""
    return f"matrix:{matrix_id}"
