"""What holds on every page: no console error, nothing serious for axe, no sideways scrolling, a title, a curl."""

import pytest
from interface.conftest import OpenPage
from playwright.sync_api import Page, expect
from support.chromium import NARROW, WIDE, Scheme, axe_findings, overflow
from support.site import Site

PATHS = {
    "home": "/",
    "agents": "/agents",
    "agents, filtered": "/agents?q=desk&status=published&sort=-name",
    "agent": "/agents/{desk}",
    "agent, one tool": "/agents/{desk}?tab=tools&tool=get_order",
    "agent, ledger schema": "/agents/{desk}?tab=ledger",
    "agent, versions": "/agents/{crew}?tab=versions",
    "agent, settings": "/agents/{crew}?tab=settings",
    "agent, raw": "/agents/{desk}?tab=raw",
    "register an agent": "/agents/new",
    "edit an agent": "/agents/{desk}/edit",
    "runs": "/runs",
    "runs, filtered": "/runs?status=failed&sort=status",
    "new run": "/runs/new",
    "new run like another": "/runs/new?like={crew_run}",
    "new run from a world": "/runs/new?world_id={world}",
    "run": "/runs/{crew_run}",
    "run, a step": "/runs/{crew_run}?step=5",
    "run, transcript": "/runs/{crew_run}?tab=transcript",
    "run, seed": "/runs/{crew_run}?tab=seed",
    "run, raw": "/runs/{crew_run}?tab=raw",
    "run without a call": "/runs/{idle_run}",
    "failed run": "/runs/{failed_run}",
    "run that passed": "/runs/{passed_run}",
    "run that broke a policy": "/runs/{violating_run}",
    "run that claims too much": "/runs/{claiming_run}",
    "run that a judge graded": "/runs/{judged_run}",
    "run, a grade": "/runs/{judged_run}?step=6",
    "settings": "/settings",
    "datasets": "/datasets",
    "datasets, filtered": "/datasets?q=orders&sort=-rows",
    "new dataset": "/datasets/new",
    "new dataset, written": "/datasets/new?by=rows",
    "dataset": "/datasets/{dataset}",
    "dataset, a cell": "/datasets/{dataset}?row=2&column=checks",
    "dataset, upload": "/datasets/{dataset}?tab=upload",
    "dataset, audit": "/datasets/{dataset}?tab=audit",
    "dataset, batches": "/datasets/{dataset}?tab=batches",
    "batches": "/batches",
    "batches, filtered": "/batches?dataset_id={dataset}",
    "batch": "/batches/{batch}",
    "batch, failing tasks": "/batches/{batch}?show=failing",
    "two batches": "/batches/{earlier_batch}/compare?with={batch}",
    "a batch, compared with none": "/batches/{batch}/compare",
    "worlds": "/worlds",
    "worlds, filtered": "/worlds?q=harbour&sort=-size",
    "new world": "/worlds/new",
    "new world of a ledger": "/worlds/new?run={crew_run}&at=4",
    "copy of a world": "/worlds/new?copy={world}",
    "world": "/worlds/{world}?type=order",
    "world, an entity": "/worlds/{world}?type=order&entity=ord_1002",
    "world, try a tool": "/worlds/{world}?tab=try&agent={desk}&tool=update_order",
    "world, rules": "/worlds/{world}?tab=rules",
    "world, import": "/worlds/{world}?tab=import",
    "world, fidelity": "/worlds/{world}?tab=fidelity",
    "world, raw": "/worlds/{world}?tab=raw",
    "account": "/account",
    "no such page": "/no/such/page",
}


def address(site: Site, path: str) -> str:
    return path.format(
        desk=site.desk.agent["id"],
        crew=site.crew["id"],
        crew_run=site.crew_run,
        idle_run=site.idle_run,
        failed_run=site.failed_run,
        passed_run=site.verdicts.passed,
        violating_run=site.verdicts.violating,
        claiming_run=site.verdicts.claiming,
        judged_run=site.verdicts.judged,
        world=site.world,
        dataset=site.trials.dataset,
        batch=site.trials.after,
        earlier_batch=site.trials.before,
    )


def settled(page: Page) -> None:
    """Wait until the page shows what it is about."""
    page.get_by_role("heading", level=1).first.wait_for()
    expect(page.get_by_role("status", name="Loading")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
def test_a_page_is_without_error_and_accessible(
    open_page: OpenPage, site: Site, path: str, scheme: Scheme
) -> None:
    page = open_page(address(site, path), scheme=scheme).page
    settled(page)
    assert axe_findings(page) == []
    assert page.title().endswith("Odyssey")
    assert overflow(page) == 0


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
def test_a_page_fits_a_telephone(open_page: OpenPage, site: Site, path: str) -> None:
    page = open_page(address(site, path), viewport=NARROW).page
    settled(page)
    assert overflow(page) == 0
    assert axe_findings(page) == []


def test_a_missing_object_says_so_and_leads_on(open_page: OpenPage) -> None:
    for path in ("/runs/999999", "/agents/999999", "/worlds/999999", "/datasets/999999", "/batches/999999"):
        watched = open_page(path, viewport=WIDE)
        watched.expected = ["404"]
        expect(watched.page.get_by_role("heading", name="Not here")).to_be_visible()
        watched.page.get_by_role("link", name="Go to the start page").click()
        expect(watched.page.get_by_role("heading", level=1, name="Home")).to_be_visible()


def test_every_page_can_be_copied_as_curl(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/runs/{site.crew_run}").page
    settled(page)
    page.get_by_role("button", name="curl", exact=True).click()
    command = page.get_by_role("dialog").locator("pre").first.inner_text()
    assert f"/api/runs/{site.crew_run}" in command
    assert "$ODYSSEY_API_KEY" in command
    assert site.org.api_key not in page.content()
