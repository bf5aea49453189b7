"""Where the interface shows what a report speaks of."""


def matrix_address(base_url: str, matrix_id: str) -> str:
    return f"{base_url.rstrip('/')}/matrices/{matrix_id}"


def run_address(base_url: str, run_id: int) -> str:
    return f"{base_url.rstrip('/')}/runs/{run_id}"
