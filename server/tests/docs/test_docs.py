"""The documentation as built: every `sh` block of a guide runs, every link leads somewhere, nothing is missing."""

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from support.process import ServerProcess
from support.programs import need

from odyssey.core.settings import Settings

ROOT = Path(__file__).parents[3]
GUIDES = sorted((ROOT / "docs" / "guides").glob("*.md"))
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]
KEY = "pk_live_" + "d" * 40
TOKEN = "a-token-of-your-own"


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """A platform and the plain Python agent, as the guides ask for."""
    server = ServerProcess("--data", str(tmp_path_factory.mktemp("data")), ODYSSEY_BOOTSTRAP_API_KEY=KEY)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    agent = subprocess.Popen(
        [sys.executable, "-m", "uvicorn", "agent:app", "--port", str(port), "--log-level", "warning"],
        cwd=ROOT / "examples" / "plain-python",
        env={**os.environ, "AGENT_TOKEN": TOKEN},
    )
    url = f"http://127.0.0.1:{port}/dispatch"
    for _ in range(300):
        try:
            httpx.get(url, trust_env=False)
            break
        except httpx.ConnectError:
            time.sleep(0.1)
    yield {
        "ODYSSEY_URL": server.url,
        "ODYSSEY_API_KEY": KEY,
        "AGENT_URL": url,
        "AGENT_TOKEN": TOKEN,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    agent.terminate()
    agent.wait(timeout=30)
    server.stop()


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
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text("utf-8")):
        assert target.startswith("https://") or (page.parent / target).exists(), target


def test_every_setting_is_documented() -> None:
    page = (ROOT / "docs" / "reference" / "settings.md").read_text("utf-8")
    for name in Settings.model_fields:
        assert f"`ODYSSEY_{name.upper()}`" in page


def test_every_make_target_of_the_docs_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for page in PAGES:
        mentioned = set(re.findall(r"`make ([a-z-]+)", page.read_text("utf-8")))
        assert mentioned <= targets, page
