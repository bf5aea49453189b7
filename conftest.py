"""What every suite of this repository shares."""

import gc

import pytest
from support.costs import Costs

try:
    from hypothesis import settings
except ImportError:  # beside the agent frameworks, where no test needs it
    settings = None  # type: ignore[assignment,misc]


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
            derandomize=not is_full,
            print_blob=is_full,
        )
        settings.load_profile("tests")


def pytest_collection_finish() -> None:
    """Leave what is loaded out of every search for garbage: that took a tenth of the run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
