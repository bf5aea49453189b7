"""The user interface as files: what is served, how long it may be kept, and what a page may load."""

import gzip
import re
from collections.abc import Iterator

import httpx
import pytest
from conftest import NewDatabase
from support.platform import Platform

from odyssey.api.interface import STATIC

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
INITIAL_LOAD_LIMIT = 300 * 1024


@pytest.fixture(scope="module")
def client(new_database: NewDatabase) -> Iterator[httpx.Client]:
    platform = Platform(new_database())
    with httpx.Client(base_url=platform.url, trust_env=False, headers=BROWSER, timeout=60) as client:
        yield client
    platform.stop()


@pytest.mark.parametrize("path", ["/", "/signin", "/agents", "/runs/7?step=3", "/no/such/page"])
def test_every_address_of_the_interface_opens_its_page(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["cache-control"] == "no-store"
    assert '<div id="root">' in answer.text


@pytest.mark.parametrize("path", ["/api/nothing", "/assets/nothing.js", "/schemas/nothing", "/health"])
def test_what_is_no_page_is_not_answered_by_one(client: httpx.Client, path: str) -> None:
    assert not client.get(path).headers["content-type"].startswith("text/html")


def test_a_program_that_asks_for_json_gets_no_page(client: httpx.Client) -> None:
    answer = client.get("/agents", headers={"Accept": "application/json"})
    assert answer.status_code == 404
    assert answer.json()["code"] == "not_found"


def test_each_page_has_its_own_nonce_and_allows_only_its_own_origin(client: httpx.Client) -> None:
    policies = []
    for _ in range(2):
        answer = client.get("/")
        policy = answer.headers["content-security-policy"]
        (nonce,) = re.findall(r"'nonce-([\w-]{20,})'", policy)
        assert f'content="{nonce}"' in answer.text
        policies.append(policy.replace(nonce, ""))
    assert policies[0] == policies[1]
    assert "default-src 'none'" in policies[0]
    assert "unsafe" not in policies[0]
    assert "data:" not in policies[0]
    assert "frame-ancestors 'none'" in policies[0]


def test_pages_send_no_referrer_and_cannot_be_framed_or_sniffed(client: httpx.Client) -> None:
    headers = client.get("/runs").headers
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-frame-options"] == "DENY"
    assert headers["x-content-type-options"] == "nosniff"


def test_hashed_files_are_kept_for_ever_and_the_rest_is_asked_for_again(client: httpx.Client) -> None:
    script = _entry(client)
    answer = client.get(script)
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-type"].startswith("text/javascript")
    again = client.get("/favicon.svg")
    assert again.headers["cache-control"] == "no-cache"
    unchanged = client.get("/favicon.svg", headers={"If-None-Match": again.headers["etag"]})
    assert unchanged.status_code == 304


@pytest.mark.parametrize(
    "path",
    ["/assets/../index.html", "/assets/%2e%2e/built-from.txt", "/built-from.txt", "/.vite/manifest.json"],
)
def test_nothing_but_the_built_files_can_be_read(client: httpx.Client, path: str) -> None:
    answer = client.get(path, headers={"Accept": "*/*"})
    assert answer.status_code == 404


def test_what_every_page_loads_first_is_under_300_kilobytes(client: httpx.Client) -> None:
    """The page, its scripts, its styles and both fonts, as they travel."""
    page = client.get("/").text
    first = re.findall(r'(?:src|href)="(/[^"]+)"', page)
    fonts = [f"/assets/{font.name}" for font in STATIC.glob("assets/*.woff2")]
    sizes = {path: _travelling(client, path) for path in [*first, *fonts]}
    assert any(path.endswith(".js") for path in first)
    assert len(fonts) == 2
    assert sum(sizes.values()) + len(gzip.compress(page.encode())) < INITIAL_LOAD_LIMIT, sizes


def _entry(client: httpx.Client) -> str:
    (script,) = re.findall(r'<script type="module"[^>]* src="(/assets/[^"]+)"', client.get("/").text)
    return str(script)


def _travelling(client: httpx.Client, path: str) -> int:
    with client.stream("GET", path, headers={"Accept-Encoding": "gzip"}) as answer:
        assert answer.status_code == 200, path
        return sum(len(part) for part in answer.iter_raw())
