"""What of the tests of the whole surface waits for `make test-full`."""

import pytest


@pytest.hookimpl(tryfirst=True)  # before what is marked is left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Generated requests to every route go to SQLite here and to both databases in full: the routes are the same."""
    for item in items:
        if item.path.name == "test_openapi.py" and "[postgres-" in item.name:
            item.add_marker(pytest.mark.full)
