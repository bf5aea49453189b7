"""A long trace: all of it is there, little of it is drawn."""

from datetime import timedelta

import pytest
from playwright.sync_api import expect
from support.agents import ScriptedAgent, final
from support.site import Site

from interface.conftest import OpenPage
from odyssey.core.signals import Signals
from odyssey.journal.events import append_event
from odyssey.kit.clock import utc_now

MOST_ROWS_DRAWN = 120


def long_run(site: Site, events: int) -> int:
    """Make a run and lengthen its journal the way the proxy would, only faster than a minute's limit allows."""
    agent = ScriptedAgent(lambda _: final())
    run: int = site.org.run(site.org.agent(agent.url, name="Long"))["id"]
    agent.stop()
    head = len(site.org.trace(run))
    now, signals = utc_now(), site.platform.part(Signals)

    async def lengthen() -> None:
        async with site.platform.database.write() as session:
            for sequence in range(head + 1, events + 1):
                append_event(
                    session,
                    signals,
                    run_id=run,
                    sequence=sequence,
                    attempt=1,
                    kind="trace_event",
                    occurred_at=now + timedelta(milliseconds=sequence),
                    data={"event_type": "assistant_message", "payload": {"text": f"message {sequence}"}},
                )

    site.platform.do(lengthen())
    return run


@pytest.mark.parametrize("events", [500, pytest.param(5_000, marks=pytest.mark.full)])
def test_all_of_a_long_trace_scrolls_and_only_what_is_in_sight_is_drawn(
    open_page: OpenPage, site: Site, events: int
) -> None:
    run = long_run(site, events)
    page = open_page(f"/runs/{run}").page
    steps = page.get_by_role("listbox", name="Steps")
    expect(page.get_by_text(f"{events:,} steps").first).to_be_visible()
    drawn = steps.get_by_role("option")
    assert drawn.count() < MOST_ROWS_DRAWN
    steps.focus()
    page.keyboard.press("End")
    expect(page.locator(f"#step-{events}")).to_be_in_viewport()
    expect(page.get_by_role("region", name=f"Step {events}")).to_be_visible()
    assert drawn.count() < MOST_ROWS_DRAWN
    page.keyboard.press("Home")
    expect(page.locator("#step-1")).to_be_in_viewport()
    page.goto(f"/runs/{run}?step={events // 2}")
    expect(page.locator(f"#step-{events // 2}")).to_be_in_viewport()
    assert drawn.count() < MOST_ROWS_DRAWN
