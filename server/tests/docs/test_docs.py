"""The documentation as built: every `sh` block of a guide runs, every link leads somewhere, nothing is missing."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

import pytest
from support.asgi import Served
from support.example_agents import load_example
from support.platform import Platform
from support.programs import need
from support.warm_programs import warm_programs

from odyssey.core.settings import Settings

ROOT = Path(__file__).parents[3]
GUIDES = sorted((ROOT / "docs" / "guides").glob("*.md"))
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]
FIRST_ADMIN = "admin@localhost"
TOKEN = "a-token-of-your-own"


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """A platform and the plain Python agent, as the guides ask for."""
    data = tmp_path_factory.mktemp("guides")
    agent = load_example("plain-python/agent.py", TOKEN)
    with ExitStack() as stack:
        stack.enter_context(patch.dict(os.environ, {"NO_PROXY": "127.0.0.1"}))
        platform = Platform(f"sqlite+aiosqlite:///{data / 'odyssey.db'}")
        stack.callback(platform.stop)
        commands = stack.enter_context(warm_programs(data, "odyssey.main"))
        yield {
            "ODYSSEY_URL": platform.url,
            "ODYSSEY_API_KEY": platform.new_org("Guides", FIRST_ADMIN).api_key,
            "AGENT_URL": f"{stack.enter_context(Served(agent.app)).url}/dispatch",
            "AGENT_TOKEN": TOKEN,
            "PATH": f"{commands}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTEST_ADDOPTS": "-p no:schemathesis -p no:hypothesispytest",  # which a reader may not have
        }


@pytest.mark.parametrize("guide", [page for page in GUIDES if blocks(page, "sh")], ids=lambda page: page.stem)
def test_the_commands_of_a_guide_run(guide: Path, environment: dict[str, str], tmp_path: Path) -> None:
    need("curl", "curl")
    script = "set -euo pipefail\n" + "\n".join(blocks(guide, "sh"))
    clean = {
        name: value
        for name, value in os.environ.items()
        if "proxy" not in name.lower() and name != "COLUMNS"  # a given width breaks lines of tables
    }
    done = subprocess.run(
        ["bash", "-c", script],
        env={**clean, **environment},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target, fragment in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]+))?[^)]*\)", page.read_text("utf-8")):
        if not target.startswith("https://"):
            found = page.parent / target if target else page
            assert found.exists(), target
            assert not fragment or fragment in places(found), f"{target}#{fragment}"


def places(page: Path) -> set[str]:
    """Where a link into a page can lead: its named places, and its headings as GitHub names them."""
    text = page.read_text("utf-8")
    headings = re.findall(
        r"^#+ (.+)$", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE), re.MULTILINE
    )
    slugs = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r'<a id="([\w-]+)">', text))


def test_every_setting_is_documented() -> None:
    page = (ROOT / "docs" / "reference" / "settings.md").read_text("utf-8")
    for name in Settings.model_fields:
        assert f"`ODYSSEY_{name.upper()}`" in page


def test_every_make_target_of_the_docs_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for page in PAGES:
        mentioned = set(re.findall(r"`make ([a-z-]+)", page.read_text("utf-8")))
        assert mentioned <= targets, page
