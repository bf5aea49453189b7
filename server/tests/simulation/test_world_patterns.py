"""What the world engine looks for in descriptions is bounded: no search takes steps by the square of their length."""

import importlib
import pkgutil
import re

import pytest

import odyssey.simulation.world as package

PATTERNS = [
    pytest.param(found, id=f"{module.name}.{name}")
    for module in pkgutil.iter_modules(package.__path__)
    for name, found in vars(importlib.import_module(f"{package.__name__}.{module.name}")).items()
    if isinstance(found, re.Pattern)
]
UNBOUNDED = re.compile(r"\[\^[^\]]*\][*+]|(?<!\\)\.[*+]")
"""`[^.;]*` and `.+`: from each of n beginnings such a search looks at all that follows."""


@pytest.mark.parametrize("pattern", PATTERNS)
def test_only_what_is_anchored_looks_as_far_as_it_likes(pattern: re.Pattern[str]) -> None:
    assert pattern.pattern.startswith("^") or not UNBOUNDED.search(pattern.pattern)
