"""What every suite of this repository shares."""

import gc

import pytest
from support.costs import Costs

try:
    from hypothesis import HealthCheck, settings
except ImportError:  # beside the agent frameworks, where no test needs it
    settings = None  # type: ignore[assignment,misc]
else:
    pytest_plugins = ["hypothesispytest"]


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # the process that prints, not one of its workers
        config.pluginmanager.register(Costs(), "costs")
    if settings is not None:
        # `make test` tries the same few examples each time, so that it is never red by chance; `make test-full` many
        # new ones.
        is_full = not config.getoption("markexpr")
        settings.register_profile(
            "tests",
            max_examples=200 if is_full else 30,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],  # a limit on seconds would be red by chance too
            derandomize=not is_full,
            print_blob=is_full,
        )
        settings.load_profile("tests")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let two workers begin with the browser's tests, whose site each worker makes anew.

    xdist's worksteal cuts this list into one equal part per worker; a worker starts at the head of its part, and one
    that is done steals from the tail of another's. So the two halves stand at the heads of the first part and of the
    middle one: of 8,000 tests for four workers, at 0 and at 4,000; for three, at 0 and at 2,666.
    """
    workers = getattr(config, "workerinput", {"workercount": 2})["workercount"]
    of_pages = [item for item in items if "server/tests/interface/" in item.nodeid]
    others = [item for item in items if "server/tests/interface/" not in item.nodeid]
    half = len(of_pages) // 2
    while 0 < half < len(of_pages) and of_pages[half].path == of_pages[half - 1].path:
        half += 1  # what a file sets up is set up once
    middle = max(0, len(items) * (workers // 2) // workers - half)
    items[:] = of_pages[:half] + others[:middle] + of_pages[half:] + others[middle:]


def pytest_collection_finish() -> None:
    """Leave what is loaded out of every search for garbage: that took a tenth of the run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
