"""What holds on every page: no console error, nothing serious for axe, no sideways scrolling, a title, a curl."""

import re
from collections.abc import Mapping, Sequence

import pytest
from _pytest.mark import ParameterSet
from playwright.sync_api import Page, expect
from support.browser import session_cookies
from support.chromium import NARROW, Scheme, axe_findings, becomes_true
from support.live_org import LiveOrg
from support.platform import Org
from support.site import Site

from interface.conftest import OpenPage

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
    "new run, like another": "/runs/new?like={crew_run}",
    "new run, from a world": "/runs/new?world_id={world}",
    "run": "/runs/{crew_run}",
    "run, a step": "/runs/{crew_run}?step=5",
    "run, transcript": "/runs/{crew_run}?tab=transcript",
    "run, seed": "/runs/{crew_run}?tab=seed",
    "run, raw": "/runs/{crew_run}?tab=raw",
    "run, without a call": "/runs/{idle_run}",
    "run, failed": "/runs/{failed_run}",
    "run, passed": "/runs/{passed_run}",
    "run, against a policy": "/runs/{violating_run}",
    "run, with claims": "/runs/{claiming_run}",
    "run, judged": "/runs/{judged_run}",
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
    "new world, of a ledger": "/worlds/new?run={crew_run}&at=4",
    "new world, a copy": "/worlds/new?copy={world}",
    "world": "/worlds/{world}?type=order",
    "world, an entity": "/worlds/{world}?type=order&entity=ord_1002",
    "world, try a tool": "/worlds/{world}?tab=try&agent={desk}&tool=update_order",
    "world, behaviour": "/worlds/{world}?tab=behaviour&agent={desk}&tool=update_order",
    "world, rules": "/worlds/{world}?tab=rules",
    "world, import": "/worlds/{world}?tab=import",
    "world, fidelity": "/worlds/{world}?tab=fidelity",
    "world, raw": "/worlds/{world}?tab=raw",
    "scenarios": "/scenarios",
    "scenarios, filtered": "/scenarios?q=refund&risk_level=critical&tag=policy%2Flimits&sort=-risk_level",
    "new scenario": "/scenarios/new",
    "new scenario, a copy": "/scenarios/new?copy={scenario}",
    "edit a scenario": "/scenarios/{scenario}/edit",
    "scenario": "/scenarios/{scenario}",
    "scenario, side by side": "/scenarios/{scenario}?tab=compare",
    "scenario, runs": "/scenarios/{scenario}?tab=runs",
    "scenario, versions": "/scenarios/{scenario}?tab=versions&from=1&to=3",
    "variations": "/variations?show=information_overload",
    "eval runs": "/evals/runs",
    "eval runs, filtered": "/evals/runs?variation_type=time_pressure&flagged=true&sort=-raw_shift",
    "eval run": "/evals/runs/{pressed_run}",
    "eval run, a baseline": "/evals/runs/{baseline_run}",
    "eval run, its text did not arrive": "/evals/runs/{unheard_run}",
    "eval run, failed": "/evals/runs/{collapsed_run}",
    "side by side": "/scenarios/{pressed}?tab=compare&variation_type=time_pressure&dose=medium",
    "side by side, two runs": "/evals/compare?baseline={baseline_run}&variation={pressed_run}",
    "side by side, a failure": "/evals/compare?baseline={baseline_run}&variation={collapsed_run}",
    "side by side, not delivered": "/evals/compare?scenario_id={pressed}&variation_type=authority_bias",
    "side by side, of nothing": "/evals/compare",
    "review": "/review?item={waiting_item}",
    "review, filtered": "/review?source=flag&risk_level=critical&confirmed=false&variation_type=time_pressure",
    "review, submitted": "/review?item={asked_item}",
    "review, decided": "/review?status=decided&item={decided_item}",
    "review, nothing": "/review?source=sample",
    "review, figures": "/review/figures",
    "account": "/account",
    "no such page": "/no/such/page",
}


MOST_READ = (
    *("home", "agent", "runs", "new run", "run", "settings", "dataset", "batch", "world"),
    *("scenario", "side by side", "review", "matrix"),
)
"""Of each kind one: a list is made like that of the runs, an eval run of what a run and a comparison are."""

WITHOUT_CURL = {"/no/such/page"}

LIVE_PATHS = {
    "endpoints": "/endpoints",
    "endpoints, filtered": "/endpoints?q=orders&sort=-tools",
    "new endpoint": "/endpoints/new",
    "endpoint": "/endpoints/{endpoint}",
    "endpoint, one tool": "/endpoints/{endpoint}?tool=addNote",
    "endpoint, its users": "/endpoints/{endpoint}?tab=used",
    "endpoint, raw": "/endpoints/{endpoint}?tab=raw",
    "endpoint, nobody answers": "/endpoints/{silent}",
    "edit an endpoint": "/endpoints/{endpoint}/edit",
    "settings, with credentials": "/settings",
    "agent, with live tools": "/agents/{agent}?tool=get_order",
    "run, with live tools": "/runs/{run}?step=3",
    "run, a hop that failed": "/runs/{run}?step=10",
    "run, a call that went out": "/runs/{lost}?step=2",
    "run, replayed": "/runs/{replay}?step=2",
    "new run, replayed": "/runs/new?like={run}&cassette={cassette}",
    "cassettes": "/cassettes",
    "cassette": "/cassettes/{cassette}",
    "cassette, compared": "/cassettes/{cassette}?tab=compare",
}
"""Pages of the organisation that has live tools."""


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
        scenario=site.library.scenario,
        pressed=site.pressed.scenario,
        baseline_run=site.pressed.baseline,
        pressed_run=site.pressed.hurried,
        unheard_run=site.pressed.unheard,
        collapsed_run=site.pressed.failed,
        waiting_item=site.reviewed.waiting,
        asked_item=site.reviewed.asked,
        decided_item=site.reviewed.decided,
    )


def live_address(live_org: LiveOrg, path: str) -> str:
    return path.format(
        endpoint=live_org.endpoint,
        silent=live_org.silent,
        agent=live_org.agent["id"],
        run=live_org.run,
        lost=live_org.lost,
        replay=live_org.replay,
        cassette=live_org.cassette,
    )


def settled(page: Page) -> None:
    """Wait until the page shows what it is about."""
    page.get_by_role("heading", level=1).first.wait_for()
    expect(page.get_by_role("status", name="Loading")).to_have_count(0)


FITS = "() => document.documentElement.scrollWidth <= document.documentElement.clientWidth"


def checked(page: Page) -> None:
    assert axe_findings(page) == []
    assert becomes_true(page, FITS)


def curl_commands(page: Page) -> list[str]:
    page.get_by_role("button", name="curl", exact=True).click()
    shown = page.get_by_role("dialog").filter(has_text="with an API key in ODYSSEY_API_KEY")
    shown.locator("pre").first.wait_for()
    commands = shown.locator("pre").all_inner_texts()
    page.keyboard.press("Escape")
    expect(shown).to_be_hidden()
    return commands


def tried(org: Org, command: str) -> None:
    """Ask for what a command asks for, unless it would change something; it must be there."""
    found = re.fullmatch(
        r"curl -s(?: -X (\w+))? '(.+?)' \\\n  -H \"Authorization: Bearer \$ODYSSEY_API_KEY\".*",
        command,
        re.DOTALL,
    )
    assert found, command
    method, url = found.groups()
    assert url.startswith(f"{org.platform.url}/api/")
    if method is None:
        with org.client.stream("GET", url.replace("'\\''", "'")) as answer:
            assert answer.status_code == 200, command


def opened(paths: Mapping[str, str]) -> list[ParameterSet]:
    """The pages that people open most; all the others, and what a page can show beside, in full."""
    return [
        pytest.param(path, id=name, marks=[] if name in MOST_READ else [pytest.mark.full])
        for name, path in paths.items()
    ]


@pytest.mark.parametrize("path", opened(PATHS))
def test_a_page_is_accessible_in_both_colours_fits_a_telephone_and_has_its_curl(
    open_page: OpenPage, site: Site, path: str
) -> None:
    fits(open_page(address(site, path), scheme="dark").page, site.org, has_curl=path not in WITHOUT_CURL)


@pytest.mark.parametrize("path", opened(LIVE_PATHS))
def test_so_is_a_page_of_live_tools(open_page: OpenPage, live_org: LiveOrg, path: str) -> None:
    where = live_address(live_org, path)
    fits(open_page(where, scheme="dark", cookies=session_cookies(live_org.org)).page, live_org.org)


def fits(page: Page, org: Org, *, has_curl: bool = True) -> None:
    """Look at a page that was opened dark and wide: so, and light on a telephone."""
    settled(page)
    assert page.title().endswith("Odyssey")
    is_in(page, "dark")
    checked(page)
    if has_curl:
        for command in curl_commands(page):
            tried(org, command)
        assert org.api_key not in page.content()
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(NARROW)
    is_in(page, "light")
    settled(page)
    checked(page)


def is_in(page: Page, scheme: Scheme) -> None:
    colours = page.locator("html[data-mantine-color-scheme]")
    expect(colours).to_have_attribute("data-mantine-color-scheme", scheme)


@pytest.mark.full
@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
def test_a_page_is_accessible_in_light_colours_on_a_wide_screen_and_loaded_on_a_telephone(
    open_page: OpenPage, site: Site, path: str
) -> None:
    fits_light(open_page(address(site, path)).page)


@pytest.mark.full
@pytest.mark.parametrize("path", LIVE_PATHS.values(), ids=LIVE_PATHS)
def test_so_is_a_page_of_live_tools_in_light_colours(
    open_page: OpenPage, live_org: LiveOrg, path: str
) -> None:
    fits_light(open_page(live_address(live_org, path), cookies=session_cookies(live_org.org)).page)


def fits_light(page: Page) -> None:
    settled(page)
    is_in(page, "light")
    checked(page)
    page.set_viewport_size(NARROW)
    page.reload()
    settled(page)
    checked(page)


MISSING = (
    *(f"/{kind}/999999" for kind in ("runs", "agents", "worlds", "datasets", "batches", "evals/runs")),
    *(f"/{kind}/00000000-0000-0000-0000-000000000000" for kind in ("matrices", "endpoints", "cassettes")),
    "/scenarios/scn_00000000-0000-0000-0000-000000000000",
    "/scenarios/scn_00000000-0000-0000-0000-000000000000/edit",
)
OF_EACH_KIND = (MISSING[0], MISSING[-4], MISSING[-1])


@pytest.mark.parametrize("paths", [OF_EACH_KIND, pytest.param(MISSING, marks=pytest.mark.full)])
def test_a_missing_object_says_so_and_leads_on(open_page: OpenPage, paths: Sequence[str]) -> None:
    watched = open_page("/favicon.svg")
    watched.expected = ["404"]
    page = watched.page
    for path in paths:
        page.goto(path)
        expect(page.get_by_role("heading", name="Not here")).to_be_visible()
    page.get_by_role("link", name="Go to the start page").click()
    expect(page.get_by_role("heading", level=1, name="Home")).to_be_visible()
