"""One run: what happened, step by step, and the world at each step."""

import json
import re
import threading
from typing import Any

from playwright.sync_api import Locator, Page, expect
from support.agents import Answer, Dispatched, ScriptedAgent
from support.site import Site

from interface.conftest import TOOK, OpenPage
from interface.test_colours import as_rgb, colour


def steps(page: Page) -> Locator:
    return page.get_by_role("listbox", name="Steps").get_by_role("option")


def opened_step(page: Page, sequence: int) -> Locator:
    """Click a step; gives what is shown of it."""
    page.locator(f"#step-{sequence}").click()
    shown = page.get_by_role("region", name=f"Step {sequence}", exact=True)
    shown.wait_for()
    return shown


def test_the_timeline_shows_every_step_with_source_actor_and_rule(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/runs/{site.crew_run}").page
    expect(steps(page)).to_have_count(9)
    rows = steps(page).all_inner_texts()
    assert "dispatch" in rows[0]
    assert all(word in rows[1] for word in ("get_order", "odyssey", "supervisor"))
    assert "supervisor → supervisor" in rows[2]
    assert all(word in rows[3] for word in ("injected", "rule 0"))
    assert all(word in rows[5] for word in ("night-shift", "rule 1"))
    assert "refused" in rows[6]
    assert "reply" in rows[8]
    bars_begin_where_the_calls_did(page, site)
    for sequence, source in ((2, "odyssey"), (4, "injected")):
        has_the_colour_of_its_source(page, sequence, source)
    strip = page.get_by_role("region", name="About this run")
    for fact in ("Order crew", "v1", "3 odyssey", "2 injected", "1 refused", "9007199254740993"):
        expect(strip).to_contain_text(fact)
    expect(strip).to_contain_text(re.compile(rf"Duration\s*{TOOK}"))
    expect(strip).to_contain_text("Cancel order ord_2 and tell the customer.")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download trace").click()
    written = download.value.path().read_text()
    assert "9007199254740993" in written
    assert len(json.loads(written)["events"]) == 9
    strip.get_by_role("link", name="Order crew").click()
    expect(page.get_by_role("heading", level=1, name="Order crew")).to_be_visible()


def bars_begin_where_the_calls_did(page: Page, site: Site) -> None:
    calls = [event for event in site.org.trace(site.crew_run, "tool_call") if "latency_ms" in event["data"]]
    injected = next(event for event in calls if event["data"]["source"] == "injected")
    assert injected["data"]["latency_ms"] >= 40  # the rule says so
    row = page.locator(f"#step-{injected['sequence']}")
    expect(row).to_contain_text(f"{injected['data']['latency_ms']} ms")
    places = [left_of_bar(page, event["sequence"]) for event in calls]
    assert places == sorted(places)
    assert len(set(places)) > 2


def left_of_bar(page: Page, sequence: int) -> float:
    left: float = page.locator(f"#step-{sequence}").evaluate(
        "row => row.querySelector('[style*=\"left\"]').getBoundingClientRect().left"
    )
    return left


def has_the_colour_of_its_source(page: Page, sequence: int, source: str) -> None:
    row = page.locator(f"#step-{sequence}")
    wanted = as_rgb(colour(page, f"--source-{source}"))
    expect(row.get_by_text(source, exact=True)).to_have_css("color", wanted)
    painted = row.evaluate(
        "row => [...row.querySelectorAll('*')].map(each => getComputedStyle(each).backgroundColor)"
    )
    assert wanted in painted


def test_each_step_shows_what_it_did_and_the_world_after_it(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/runs/{site.crew_run}").page
    change = opened_step(page, 5)
    expect(change).to_contain_text("update_order")
    expect(change).to_contain_text(re.compile("pending.*→.*cancelled"))
    expect(change.get_by_role("region", name="arguments")).to_contain_text("ord_2")
    expect(change.get_by_role("region", name="response")).to_contain_text("12")
    injected = opened_step(page, 4)
    expect(injected).to_contain_text("busy")
    expect(injected).to_contain_text("rule 0")
    expect(injected).not_to_contain_text("undeclared")
    expect(opened_step(page, 6)).to_contain_text("undeclared")
    why = opened_step(page, 7).get_by_role("region", name="Why the call was refused")
    expect(why.get_by_role("listitem")).to_have_count(2)
    expect(why).to_contain_text('"status" is a required property')
    expect(why).to_contain_text(re.compile("total.*is not of type"))
    opened_step(page, 5).get_by_role("tab", name="Ledger").click()
    expect(change.get_by_role("article", name="ord_2 changed")).to_contain_text("cancelled")
    change.get_by_role("button", name=re.compile("Ledger as JSON")).click()
    expect(change.get_by_role("region", name="ledger")).to_contain_text("order")
    before = opened_step(page, 2)
    expect(before).to_contain_text("This step changed nothing.")
    expect(before).to_contain_text("2 unchanged")
    opened_step(page, 5).get_by_role("tab", name="Raw event").click()
    expect(change).to_contain_text('kind: "tool_call"')
    expect(change).to_contain_text('actor_id: "supervisor/refunds"')
    expect(page).to_have_url(re.compile("step=5"))


def test_steps_are_walked_by_keyboard_and_filtered_in_the_address(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/runs/{site.crew_run}?step=2").page
    page.get_by_role("region", name="Step 2").wait_for()
    page.get_by_role("listbox", name="Steps").focus()
    for key, sequence in (("ArrowDown", 3), ("j", 4), ("k", 3)):
        page.keyboard.press(key)
        page.get_by_role("region", name=f"Step {sequence}").wait_for()
    page.get_by_role("button", name=re.compile("injected")).click()
    expect(steps(page)).to_have_count(2)
    expect(page).to_have_url(re.compile("source="))
    page.reload()
    expect(steps(page)).to_have_count(2)


def test_transcript_seed_and_json_of_a_run_are_there_to_read(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/runs/{site.crew_run}?tab=transcript").page
    the_transcript_shows_what_was_only_claimed(page)
    page.get_by_role("tab", name="Seed").click()
    expect(page.get_by_text("Cancel order ord_2 and tell the customer.").first).to_be_visible()
    expect(page.get_by_text("fired once")).to_have_count(2)
    page.get_by_role("tab", name="Raw", exact=True).click()
    raw = page.get_by_role("region", name="Run", exact=True)
    expect(raw).to_contain_text('user_instruction: "Cancel order ord_2 and tell the customer."')
    expect(raw).to_contain_text("9007199254740993")
    trace = page.get_by_role("region", name="Trace events of all attempts (9)")
    expect(trace).to_contain_text(re.compile(r"\{ \d+ members \}"))
    trace.get_by_role("button", name="Fold 9 items", exact=True).click()
    expect(trace).not_to_contain_text("members")
    trace.get_by_role("button", name="Unfold 9 items").click()
    expect(trace).to_contain_text(re.compile(r"\{ \d+ members \}"))


def the_transcript_shows_what_was_only_claimed(page: Page) -> None:
    expect(page.get_by_text("You are the supervisor of a small crew.")).to_be_visible()
    expect(page.get_by_role("region", name="Claimed call of get_order")).to_contain_text("step 2")
    expect(page.get_by_role("region", name="Claimed call of update_order")).to_contain_text(
        "seen by the proxy"
    )
    expect(page.get_by_role("region", name="Claimed call of send_email")).to_contain_text(
        "not seen by the proxy"
    )
    reasoning = page.get_by_text("Read the order first.")
    expect(reasoning).to_be_hidden()
    page.get_by_role("button", name=re.compile("Reasoning")).click()
    expect(reasoning).to_be_visible()
    figures = page.locator("dl").filter(has_text="Input tokens")
    expect(figures).to_contain_text("scripted-1")
    expect(figures).to_contain_text("812")
    rest = page.get_by_role("table", name="Other metadata").get_by_role("row")
    expect(rest).to_have_count(1)
    expect(rest).to_contain_text(re.compile("build.*abc123"))


def test_what_is_odd_about_a_run_is_said_above_it(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/runs/{site.idle_run}").page
    expect(page.get_by_role("region", name="No tool calls")).to_be_visible()
    warnings = page.get_by_role("region", name="Warnings")
    expect(warnings).to_contain_text("The reply has no messages")
    expect(warnings).to_contain_text("messages_missing")
    verdict = page.get_by_role("region", name="Verdict")
    expect(verdict).to_contain_text("There is nothing to grade it by.")
    expect(verdict.get_by_role("link", name="Settings")).to_be_visible()
    verdict.get_by_role("link", name="run it again with changes").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"New run like {site.idle_run}")
    page.goto(f"/runs/{site.failed_run}")
    why = page.get_by_role("region", name="Why the run failed")
    expect(why).to_contain_text("final_response is empty")
    expect(why).to_contain_text("Always return final_response")
    expect(page.get_by_text("contract_error").first).to_be_visible()


def test_a_run_is_watched_while_it_runs_whatever_line_breaks_its_agent_writes(
    open_page: OpenPage, site: Site
) -> None:
    gate = threading.Event()

    def slow(dispatched: Dispatched) -> Answer:
        dispatched.post("/tools/get_order", '{\n  "order_id": "ord_1"\r\n}\n')
        gate.wait()
        dispatched.post("/traces/assistant_message", '{\r"text": "almost there"}\n\n')
        dispatched.call("get_order", {"order_id": "ord_2"})
        return Answer(200, b'{\n\n"final_response": "Done."}\n')

    agent = ScriptedAgent(slow)
    try:
        registered = site.org.agent(agent.url, name="Slow")
        (run,) = site.org.start(registered, {"user_instruction": "Take your time."})
        page = open_page(f"/runs/{run}").page
        expect(steps(page)).to_have_count(2)
        opened_step(page, 2)
        gate.set()
        expect(steps(page)).to_have_count(5)
        expect(steps(page).nth(2)).to_contain_text(re.compile("assistant_message.*almost there"))
        expect(page.get_by_text("completed").first).to_be_visible()
        expect(page.get_by_role("region", name="Step 2")).to_be_visible()
        expect(page.get_by_text("Done.", exact=True).first).to_be_visible()
    finally:
        gate.set()
        agent.stop()


def test_a_running_run_can_be_cancelled(open_page: OpenPage, site: Site) -> None:
    gate = threading.Event()

    def waiting(_: Dispatched) -> Any:
        gate.wait()
        return {"final_response": "Done."}

    agent = ScriptedAgent(waiting)
    try:
        registered = site.org.agent(agent.url, name="Waits")
        (run,) = site.org.start(registered, {"user_instruction": "Wait."})
        page = open_page(f"/runs/{run}").page
        page.get_by_role("button", name="Cancel run").click()
        page.get_by_role("dialog").get_by_role("button", name=re.compile("Cancel")).last.click()
        expect(page.get_by_text("cancelled").first).to_be_visible()
        assert site.org.wait(run)["status"] == "cancelled"
    finally:
        gate.set()
        agent.stop()
