"""One run: what happened, step by step, and the world at each step."""

import json
import re
import threading
from typing import Any

from playwright.sync_api import Page, expect
from support.agents import Dispatched, ScriptedAgent
from support.site import Site, post_event

from interface.conftest import OpenPage


def steps(page: Page) -> list[str]:
    listbox = page.get_by_role("listbox", name="Steps")
    listbox.get_by_role("option").first.wait_for()
    return listbox.get_by_role("option").all_inner_texts()


def test_the_timeline_shows_every_step_with_source_actor_and_rule(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/runs/{site.crew_run}").page
    rows = steps(page)
    assert len(rows) == 9
    assert "dispatch" in rows[0]
    assert all(word in rows[1] for word in ("get_order", "odyssey", "supervisor"))
    assert "supervisor → supervisor" in rows[2]
    assert all(word in rows[3] for word in ("injected", "rule 0"))
    assert all(word in rows[5] for word in ("night-shift", "rule 1"))
    assert "refused" in rows[6]
    assert "reply" in rows[8]


def test_the_strip_tells_what_there_is_to_know_before_looking(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/runs/{site.crew_run}").page
    strip = page.get_by_role("region", name="About this run")
    for fact in ("Order crew", "v1", "3 odyssey", "2 injected", "1 refused", "9007199254740993"):
        expect(strip).to_contain_text(fact)
    expect(strip).to_contain_text(re.compile(r"Duration\s*\d+ ms"))
    expect(strip).to_contain_text("Cancel order ord_2 and tell the customer.")
    strip.get_by_role("link", name="Order crew").click()
    expect(page.get_by_role("heading", level=1, name="Order crew")).to_be_visible()


def test_bars_begin_and_end_where_the_calls_did(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/runs/{site.crew_run}").page
    steps(page)
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


def test_a_step_shows_arguments_response_operations_and_the_world_after_it(
    open_page: OpenPage, site: Site
) -> None:
    page = open_page(f"/runs/{site.crew_run}?step=5").page
    detail = page.get_by_role("region", name="Step 5")
    expect(detail).to_contain_text("update_order")
    expect(detail).to_contain_text(re.compile("pending.*→.*cancelled"))
    expect(detail.get_by_role("region", name="arguments")).to_contain_text("ord_2")
    expect(detail.get_by_role("region", name="response")).to_contain_text("12")
    detail.get_by_role("tab", name="Ledger").click()
    changed = detail.get_by_role("article", name="ord_2 changed")
    expect(changed).to_contain_text("cancelled")
    assert "step=5" in page.url


def test_the_world_before_the_change_is_another(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/runs/{site.crew_run}?step=2&pane=ledger").page
    detail = page.get_by_role("region", name="Step 2")
    expect(detail).to_contain_text("This step changed nothing.")
    expect(detail).to_contain_text("2 unchanged")


def test_a_failure_rule_is_shown_with_the_call_it_answered(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/runs/{site.crew_run}?step=4").page
    detail = page.get_by_role("region", name="Step 4")
    expect(detail).to_contain_text("busy")
    expect(detail).to_contain_text("rule 0")


def test_a_refused_call_says_why(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/runs/{site.crew_run}?step=7").page
    why = page.get_by_role("region", name="Why the call was refused")
    expect(why.get_by_role("listitem")).to_have_count(2)
    expect(why).to_contain_text('"status" is a required property')
    expect(why).to_contain_text(re.compile("total.*is not of type"))


def test_an_actor_nobody_declared_is_marked(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/runs/{site.crew_run}?step=6").page
    expect(page.get_by_role("region", name="Step 6")).to_contain_text("undeclared")
    other = open_page(f"/runs/{site.crew_run}?step=4").page
    expect(other.get_by_role("region", name="Step 4")).not_to_contain_text("undeclared")


def test_steps_are_walked_by_keyboard_and_filtered_in_the_address(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/runs/{site.crew_run}?step=2").page
    page.get_by_role("region", name="Step 2").wait_for()
    page.get_by_role("listbox", name="Steps").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("j")
    page.get_by_role("region", name="Step 4").wait_for()
    page.keyboard.press("k")
    page.get_by_role("region", name="Step 3").wait_for()
    page.get_by_role("button", name=re.compile("injected")).click()
    expect(page.get_by_role("listbox", name="Steps").get_by_role("option")).to_have_count(2)
    assert "source=" in page.url
    page.reload()
    expect(page.get_by_role("listbox", name="Steps").get_by_role("option")).to_have_count(2)


def test_the_transcript_shows_both_shapes_of_calls_and_what_was_only_claimed(
    open_page: OpenPage, site: Site
) -> None:
    page = open_page(f"/runs/{site.crew_run}?tab=transcript").page
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


def test_a_run_that_called_no_tool_is_called_out(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/runs/{site.idle_run}").page
    expect(page.get_by_role("region", name="No tool calls")).to_be_visible()


def test_what_is_odd_about_a_reply_is_said_above_it(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/runs/{site.idle_run}").page
    warnings = page.get_by_role("region", name="Warnings")
    expect(warnings).to_contain_text("The reply has no messages")
    expect(warnings).to_contain_text("messages_missing")


def test_everything_can_be_read_as_json(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/runs/{site.crew_run}?tab=raw").page
    raw = page.get_by_role("region", name="Run", exact=True)
    expect(raw).to_contain_text('user_instruction: "Cancel order ord_2 and tell the customer."')
    trace = page.get_by_role("region", name="Trace events of all attempts (9)")
    trace.get_by_role("button", name=re.compile("9 items")).click()
    expect(trace).to_contain_text(re.compile(r"\{ \d+ members \}"))
    page.goto(f"/runs/{site.crew_run}?step=5&pane=raw")
    step = page.get_by_role("region", name="Step 5")
    expect(step).to_contain_text('kind: "tool_call"')
    expect(step).to_contain_text('actor_id: "supervisor/refunds"')
    step.get_by_role("tab", name="Ledger").click()
    step.get_by_role("button", name=re.compile("Ledger as JSON")).click()
    expect(step.get_by_role("region", name="ledger")).to_contain_text("order")


def test_a_failed_run_says_what_it_means_and_what_to_do(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/runs/{site.failed_run}").page
    why = page.get_by_role("region", name="Why the run failed")
    expect(why).to_contain_text("final_response is empty")
    expect(why).to_contain_text("Always return final_response")
    expect(page.get_by_text("contract_error").first).to_be_visible()


def test_the_seed_shows_how_often_each_rule_fired(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/runs/{site.crew_run}?tab=seed").page
    expect(page.get_by_text("Cancel order ord_2 and tell the customer.").first).to_be_visible()
    expect(page.get_by_text("fired once")).to_have_count(2)


def test_long_integers_survive_the_browser(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/runs/{site.crew_run}").page
    expect(page.get_by_text("9007199254740993").first).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download trace").click()
    assert json.loads(download.value.path().read_text())


def test_a_run_is_watched_while_it_runs(open_page: OpenPage, site: Site) -> None:
    gate = threading.Event()

    def slow(dispatched: Dispatched) -> Any:
        dispatched.call("get_order", {"order_id": "ord_1"})
        gate.wait(30)
        post_event(dispatched, "assistant_message", {"text": "almost there"})
        dispatched.call("get_order", {"order_id": "ord_2"})
        return {"final_response": "Done."}

    agent = ScriptedAgent(slow)
    try:
        registered = site.org.agent(agent.url, name="Slow")
        (run,) = site.org.start(registered, {"user_instruction": "Take your time."})
        page = open_page(f"/runs/{run}").page
        options = page.get_by_role("listbox", name="Steps").get_by_role("option")
        expect(options).to_have_count(2)
        options.nth(1).click()
        gate.set()
        expect(options).to_have_count(5)
        expect(options.nth(2)).to_contain_text(re.compile("assistant_message.*almost there"))
        expect(page.get_by_text("completed").first).to_be_visible()
        expect(page.get_by_role("region", name="Step 2")).to_be_visible()
    finally:
        agent.stop()


def test_a_running_run_can_be_cancelled(open_page: OpenPage, site: Site) -> None:
    gate = threading.Event()

    def waiting(_: Dispatched) -> Any:
        gate.wait(30)
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
