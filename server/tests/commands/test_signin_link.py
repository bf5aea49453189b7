"""`odyssey signin-link` on the database of a platform that runs."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
from support.platform import Org, Platform
from support.process import odyssey_here


class Site(NamedTuple):
    admin: Org
    """The first organisation, with the admin whom `odyssey up` makes."""
    data: str

    @property
    def where(self) -> tuple[str, ...]:
        return ("--data", self.data, "--url", self.admin.platform.url)

    def exchange(self, link: str) -> httpx.Response:
        url, _, token = link.strip().partition("/signin#")
        assert url == self.admin.platform.url
        return httpx.post(f"{url}/api/auth/session", json={"link": token}, trust_env=False, timeout=None)

    def email_of(self, link: str) -> str:
        email: str = self.exchange(link).json()["person"]["email"]
        return email


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    data = tmp_path_factory.mktemp("data")
    platform = Platform(f"sqlite+aiosqlite:///{data / 'odyssey.db'}")
    yield Site(platform.new_org("Default", "admin@localhost"), str(data))
    platform.stop()


def test_a_link_is_for_whom_it_was_asked_for(site: Site) -> None:
    person = {"email": "ann@example.com", "role": "viewer"}
    site.admin.ok(site.admin.post("/api/people", person))
    asked_for = odyssey_here("signin-link", "--email", "Ann@Example.com", *site.where)
    assert site.email_of(asked_for.stdout) == person["email"]
    assert site.email_of(odyssey_here("signin-link", *site.where).stdout) == "admin@localhost"

    create = ("orgs", "create", "Second", "--admin", "ann@example.com", "--data", site.data)
    assert odyssey_here(*create, ODYSSEY_ALLOW_LOOPBACK="true").returncode == 0
    refused = odyssey_here("signin-link", "--email", "ann@example.com", *site.where)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "1 (Default), 2 (Second)" in refused.stderr
    assert "--org" in refused.stderr
    chosen = odyssey_here("signin-link", "--email", "ann@example.com", "--org", "2", *site.where)
    assert site.exchange(chosen.stdout).json()["org"] == {"id": 2, "name": "Second"}
    first_of_org = odyssey_here("signin-link", "--org", "2", *site.where)
    assert site.email_of(first_of_org.stdout) == "ann@example.com"


@pytest.mark.parametrize(
    ("settings", "address"),
    [
        ({"ODYSSEY_PORT": "8321"}, "http://127.0.0.1:8321"),
        ({"ODYSSEY_PUBLIC_URL": "https://odyssey.example"}, "https://odyssey.example"),
    ],
)
def test_a_link_leads_to_where_the_settings_say(site: Site, settings: dict[str, str], address: str) -> None:
    made = odyssey_here("signin-link", "--data", site.data, **settings)
    assert made.stdout.startswith(f"{address}/signin#")


def test_who_cannot_be_signed_in_is_told_why(site: Site, tmp_path: Path) -> None:
    for arguments, says in (
        (["--data", site.data, "--email", "nobody@example.com"], "nobody@example.com"),
        (["--data", site.data, "--email", "admin@localhost", "--org", "9"], "admin@localhost"),
        (["--data", site.data, "--org", "9"], "no admin"),
        (["--data", str(tmp_path / "nothing")], "no database"),
        (["--database-url", "postgresql://127.0.0.1:1/x"], "cannot be reached"),
    ):
        refused = odyssey_here("signin-link", *arguments)
        assert (refused.returncode, refused.stdout) == (1, ""), arguments
        assert says in refused.stderr
        assert "Traceback" not in refused.stderr
    assert not (tmp_path / "nothing").exists()
