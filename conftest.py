"""What every suite of this repository shares: its end says which files cost most."""

import pytest
from support.costs import Costs


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # the process that prints, not one of its workers
        config.pluginmanager.register(Costs(), "costs")
