"""What a password is kept as, and what comparing one costs."""

import asyncio
import importlib.util
from types import ModuleType
from typing import Literal

import pytest
from argon2 import PasswordHasher

from odyssey.identity import signin


@pytest.fixture
def as_installed() -> ModuleType:
    """A fresh copy of the module: the one the tests share hashes at the least cost (support/platform.py)."""
    assert signin.__file__
    spec = importlib.util.spec_from_file_location("passwords_as_installed", signin.__file__)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_password_is_kept_as_owasp_recommends(as_installed: ModuleType) -> None:
    """At least argon2id with 19 MiB and two passes, which is their first choice."""
    kept = asyncio.run(as_installed.hash_password("correct horse"))
    _, kind, _, costs, _, _ = kept.split("$")
    memory, passes, lanes = (int(cost.split("=")[1]) for cost in costs.split(","))
    assert kind == "argon2id"
    assert memory >= 19 * 1024
    assert passes >= 2
    assert lanes >= 1
    assert asyncio.run(as_installed.password_matches(kept, "correct horse"))
    assert not asyncio.run(as_installed.password_matches(kept, "correct hors"))


def test_who_has_no_password_is_compared_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str | bytes] = []

    class Counting(PasswordHasher):
        def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:
            compared.append(password)
            return super().verify(hash, password)

    monkeypatch.setattr(signin, "HASHER", Counting())
    assert not asyncio.run(signin.password_matches(None, "correct horse"))
    assert not asyncio.run(signin.password_matches(None, "nobody has this password"))
    assert compared == ["correct horse", "nobody has this password"]
