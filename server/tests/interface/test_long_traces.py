"""A trace of five thousand events: all of it is there, little of it is drawn."""

from datetime import timedelta

from playwright.sync_api import expect
from support.agents import ScriptedAgent, final
from support.site import Site

from interface.conftest import OpenPage
from odyssey.journal.events import append_event
from odyssey.kit.clock import utc_now

EVENTS = 5_000
MOST_ROWS_DRAWN = 120


def long_run(site: Site) -> int:
    """Make a run and lengthen its journal the way the proxy would, only faster than a minute's limit allows."""
    agent = ScriptedAgent(lambda _: final())
    run: int = site.org.run(site.org.agent(agent.url, name="Long"))["id"]
    agent.stop()
    head = len(site.org.trace(run))
    now, state = utc_now(), site.platform.app.state

    async def lengthen() -> None:
        async with site.platform.database.write() as session:
            for sequence in range(head + 1, EVENTS + 1):
                append_event(
                    session,
                    state.signals,
                    run_id=run,
                    sequence=sequence,
                    attempt=1,
                    kind="trace_event",
                    occurred_at=now + timedelta(milliseconds=sequence),
                    data={"event_type": "assistant_message", "payload": {"text": f"message {sequence}"}},
                )

    site.platform.do(lengthen())
    return run


def test_five_thousand_events_scroll_and_only_those_in_sight_are_drawn(
    open_page: OpenPage, site: Site
) -> None:
    run = long_run(site)
    page = open_page(f"/runs/{run}").page
    steps = page.get_by_role("listbox", name="Steps")
    expect(page.get_by_text("5,000 steps").first).to_be_visible()
    drawn = steps.get_by_role("option")
    assert drawn.count() < MOST_ROWS_DRAWN
    steps.focus()
    page.keyboard.press("End")
    expect(page.locator(f"#step-{EVENTS}")).to_be_in_viewport()
    expect(page.get_by_role("region", name=f"Step {EVENTS}")).to_be_visible()
    assert drawn.count() < MOST_ROWS_DRAWN
    page.keyboard.press("Home")
    expect(page.locator("#step-1")).to_be_in_viewport()
    page.goto(f"/runs/{run}?step=2500")
    expect(page.locator("#step-2500")).to_be_in_viewport()
    assert drawn.count() < MOST_ROWS_DRAWN
