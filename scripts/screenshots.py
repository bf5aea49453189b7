"""Take the pictures that README and guides show, from a platform with the demo's data.

`--all FOLDER` takes every page in light and dark, wide and narrow, for a person to look at.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "server" / "tests"))

from playwright.sync_api import Page, ViewportSize  # noqa: E402
from support.browser import session_cookies  # noqa: E402
from support.chromium import NARROW, WIDE, Contexts, Scheme, chromium  # noqa: E402
from support.desk import desk_state  # noqa: E402
from support.heat import LATE, Heat, give_heat  # noqa: E402
from support.live_org import LiveOrg, give_live_org  # noqa: E402
from support.platform import Org  # noqa: E402
from support.reviewed import give_history  # noqa: E402
from support.site import Site, furnished_site  # noqa: E402

IMAGES = ROOT / "docs" / "images"
IN_DOCS = {
    "home-light",
    "agent-light",
    "new-run-light",
    "run-light",
    "run-dark",
    "ledger-light",
    "world-light",
    "try-light",
    "behaviours-light",
    "world-fidelity-light",
    "verdict-light",
    "settings-light",
    "dataset-light",
    "audit-light",
    "batch-light",
    "compare-light",
    "scenarios-light",
    "scenario-light",
    "eval-runs-light",
    "side-by-side-light",
    "heat-map-light",
    "review-light",
    "review-figures-light",
    "matrix-cell-light",
    "matrix-compare-light",
    "endpoint-light",
    "live-run-light",
}
BROUGHT_UP = {"new-run": "Failure rules", "behaviours": "Try it"}
"""Pictures that show a part further down, by its heading."""
PRESSED = {"try": "Run", "behaviours": "Run"}
"""Pictures of what comes after a button is pressed."""
TRIED = {"order_id": "ord_1002", "status": "cancelled"}
BEHAVIOUR = """\
# Only what has not left the house can be changed.
update_order only when order.status == "pending" else conflict "Order {order.order_id} is {order.status}"
update_order when args.status == "cancelled" sets flag "cancelled:{args.order_id}"
create_payment fails when order == null with not_found "No such order"
create_payment when args.kind == "refund" sets order.status = "refunded"
create_payment is slow on Mondays, as the bank is."""
SCHEMES: tuple[Scheme, ...] = ("light", "dark")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--all", type=Path, metavar="FOLDER", help="every page, scheme and width, into FOLDER"
    )
    options = parser.parse_args()
    folder = options.all or IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as data,
        chromium() as browser,
        furnished_site(f"sqlite+aiosqlite:///{data}/odyssey.db") as site,
        ExitStack() as stack,
    ):
        contexts = Contexts(browser, site.url)
        site.org.ok(site.org.put("/api/settings", site.verdicts.judge))
        heat = give_heat(site.platform, stack)
        give_history(heat.org, heat.before)
        live = give_live_org(site.platform, stack)
        furnished = (
            (site.org, addresses(site)),
            (heat.org, heat_addresses(heat)),
            (live.org, live_addresses(live)),
        )
        for org, paths in furnished:
            for picture in take(contexts, org, paths, folder, everything=options.all is not None):
                print(picture)


def take(
    contexts: Contexts, org: Org, paths: dict[str, str], folder: Path, *, everything: bool
) -> Iterator[Path]:
    widths: dict[str, ViewportSize] = {"wide": WIDE, "narrow": NARROW} if everything else {"wide": WIDE}
    for scheme in SCHEMES:
        for width, viewport in widths.items():
            page = contexts.lend(session_cookies(org)).pages[0]
            page.set_viewport_size(viewport)
            page.emulate_media(color_scheme=scheme)
            for name, path in paths.items():
                if everything or f"{name}-{scheme}" in IN_DOCS:
                    suffix = f"-{width}-{scheme}" if everything else f"-{scheme}"
                    brought_up = None if everything else BROUGHT_UP.get(name)
                    _open(page, path, PRESSED.get(name), brought_up)
                    yield _shoot(page, folder / f"{name}{suffix}.png", full=everything)
            contexts.take_back(page.context)


def addresses(site: Site) -> dict[str, str]:
    crew, desk = site.crew["id"], site.desk.agent["id"]
    tried = f"agent={desk}&tool=update_order&args={_as_text(TRIED)}"
    return {
        "home": "/",
        "agents": "/agents",
        "agent": f"/agents/{desk}",
        "agent-ledger": f"/agents/{desk}?tab=ledger",
        "agent-versions": f"/agents/{crew}?tab=versions",
        "new-agent": "/agents/new",
        "edit-agent": f"/agents/{desk}/edit",
        "runs": "/runs",
        "new-run": f"/runs/new?like={site.crew_run}",
        "run": f"/runs/{site.crew_run}?step=5",
        "ledger": f"/runs/{site.desk.runs[0]}?step=5",
        "transcript": f"/runs/{site.crew_run}?tab=transcript",
        "seed": f"/runs/{site.crew_run}?tab=seed",
        "idle-run": f"/runs/{site.idle_run}",
        "failed-run": f"/runs/{site.failed_run}",
        "verdict": f"/runs/{site.verdicts.violating}",
        "passed-run": f"/runs/{site.verdicts.passed}",
        "claiming-run": f"/runs/{site.verdicts.claiming}",
        "judged-run": f"/runs/{site.verdicts.judged}",
        "settings": "/settings",
        "datasets": "/datasets",
        "dataset": f"/datasets/{site.trials.dataset}?row=2&column=checks",
        "new-dataset": "/datasets/new",
        "new-dataset-rows": "/datasets/new?by=rows",
        "dataset-upload": f"/datasets/{site.trials.dataset}?tab=upload",
        "audit": f"/datasets/{site.trials.dataset}?tab=audit",
        "dataset-batches": f"/datasets/{site.trials.dataset}?tab=batches",
        "batches": "/batches",
        "batch": f"/batches/{site.trials.after}",
        "compare": f"/batches/{site.trials.before}/compare?with={site.trials.after}",
        "worlds": "/worlds",
        "world": f"/worlds/{site.world}?type=order&entity=ord_1002",
        "try": f"/worlds/{site.world}?tab=try&{tried}",
        "behaviours": f"/worlds/{_behaving_world(site.org)}?tab=behaviour&{tried}",
        "world-rules": f"/worlds/{site.world}?tab=rules",
        "world-import": f"/worlds/{site.world}?tab=import",
        "world-fidelity": f"/worlds/{site.world}?tab=fidelity",
        "new-world": f"/worlds/new?run={site.crew_run}&at=4",
        "new-run-world": f"/runs/new?world_id={site.world}",
        "scenarios": "/scenarios",
        "scenario": f"/scenarios/{site.library.scenario}",
        "new-scenario": "/scenarios/new",
        "edit-scenario": f"/scenarios/{site.library.scenario}/edit",
        "scenario-versions": f"/scenarios/{site.library.scenario}?tab=versions&from=1&to=3",
        "variations": "/variations?show=sycophancy",
        "eval-runs": "/evals/runs",
        "eval-run": f"/evals/runs/{site.pressed.hurried}",
        "cell": f"/evals/compare?scenario_id={site.pressed.scenario}&variation_type=time_pressure&dose=medium",
        "side-by-side": f"/evals/compare?baseline={site.pressed.baseline}&variation={site.pressed.hurried}",
        "account": "/account",
        "missing": "/no/such/page",
    }


def heat_addresses(heat: Heat) -> dict[str, str]:
    return {
        "matrices": "/matrices",
        "new-matrix": "/matrices/new",
        "heat-map": f"/matrices/{heat.after}",
        "matrix-cell": f"/matrices/{heat.after}?cell={heat.cell(LATE, 'time_pressure')}",
        "review": "/review",
        "review-figures": "/review/figures",
        "review-decided": "/review?status=decided",
        "matrix-compare": f"/matrices/compare?before={heat.before}&after={heat.after}",
        "home-evals": "/",
    }


def live_addresses(live: LiveOrg) -> dict[str, str]:
    return {
        "endpoints": "/endpoints",
        "endpoint": f"/endpoints/{live.endpoint}",
        "silent-endpoint": f"/endpoints/{live.silent}",
        "mcp-endpoint": f"/endpoints/{live.peer}",
        "new-endpoint": "/endpoints/new",
        "live-agent": f"/agents/{live.agent['id']}?tab=tools",
        "live-run": f"/runs/{live.run}?step=3",
        "lost-run": f"/runs/{live.lost}?step=2",
        "cassettes": "/cassettes",
        "cassette": f"/cassettes/{live.cassette}",
        "replayed-run": f"/runs/{live.replay}?step=3",
        "credentials": "/settings",
    }


def _behaving_world(org: Org) -> int:
    body = {
        "name": "Harbour Goods with rules",
        "initial_state": desk_state(),
        "behavior_instructions": BEHAVIOUR,
    }
    world: int = org.ok(org.post("/api/worlds", body))["id"]
    return world


def _as_text(arguments: dict[str, str]) -> str:
    """Write arguments as the address holds them: a text, whose JSON is quoted once more."""
    return quote(json.dumps(json.dumps(arguments)))


def _open(page: Page, path: str, pressed: str | None, brought_up: str | None) -> None:
    page.goto(path)
    page.get_by_role("heading", level=1).first.wait_for()
    page.locator("[role=status][aria-label=Loading]").first.wait_for(state="hidden")
    if pressed is not None:
        page.get_by_role("button", name=pressed, exact=True).click()
    if brought_up is not None:
        heading = page.get_by_role("heading", name=brought_up)
        heading.evaluate("element => element.scrollIntoView({block: 'start'})")


def _shoot(page: Page, file: Path, *, full: bool) -> Path:
    page.wait_for_timeout(400)  # fonts and the last data are drawn
    page.screenshot(path=file, full_page=full)
    return file


if __name__ == "__main__":
    main()
