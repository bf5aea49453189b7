"""Datasets: uploading with faults told at their cells, writing rows in the browser, auditing, running on an agent."""

import json
import re
from pathlib import Path
from typing import Any

from playwright.sync_api import FilePayload, Locator, Page, expect
from support.agents import ScriptedAgent, final
from support.chromium import write_over
from support.datasets import post_csv, post_json, table, values_of
from support.site import Site
from support.trials import ALL, POLITE, REFUND

from interface.conftest import OpenPage, as_viewer_of
from odyssey.library.datasets.columns import COLUMNS

STATE = {"order": {"ord_1": {"order_id": "ord_1", "status": "pending", "total": 40}}}
ROWS: list[dict[str, Any]] = [
    {
        "user_instruction": "Cancel order ord_1.",
        "initial_state": STATE,
        "checks": [{"called": "update_order"}],
    },
    {"user_instruction": "Say hello.", "checks": [{"final_response": {"contains": "hello"}}]},
]


def keep(site: Site, name: str, rows: list[dict[str, Any]] = ROWS) -> dict[str, Any]:
    dataset: dict[str, Any] = site.org.ok(post_json(site.org, rows, name=name))
    return dataset


def called(site: Site, name: str) -> dict[str, Any]:
    """Find a dataset that was made on a page."""
    (found,) = site.org.ok(site.org.get("/api/datasets", params={"q": name}))["items"]
    return {**found}


def grid(page: Page) -> Locator:
    return page.get_by_role("grid", name="Rows")


def cell(page: Page, row: int, column: str) -> Locator:
    return grid(page).locator(f'[data-row="{row}"][data-column="{column}"]')


def write(page: Page, row: int, column: str, text: str) -> None:
    cell(page, row, column).click()
    page.keyboard.press("Enter")
    page.get_by_label(f"{column} of row {row}", exact=True).fill(text)
    page.keyboard.press("Enter")
    expect(cell(page, row, column)).to_contain_text(text)


def paste(page: Page, text: str) -> None:
    """Press Control V with this on the clipboard."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.keyboard.press("Control+v")


def drop(page: Page, file: Path, kind: str) -> None:
    transfer = page.evaluate_handle(
        """([text, name, type]) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([text], name, {type}));
            return transfer;
        }""",
        [file.read_text(), file.name, kind],
    )
    page.get_by_text("drop a file anywhere here").dispatch_event("drop", {"dataTransfer": transfer})


def unsaved(page: Page) -> Locator:
    return page.get_by_role("region", name="Unsaved rows")


def test_the_list_is_found_by_keys_filtered_and_opened(open_page: OpenPage, site: Site) -> None:
    keep(site, "A second dataset")
    page = open_page("/").page
    page.get_by_role("heading", level=1, name="Home").wait_for()
    page.keyboard.press("g")
    page.keyboard.press("d")
    expect(page.get_by_role("heading", level=1, name="Datasets")).to_be_visible()
    rows = page.get_by_role("table", name="Datasets").locator("tbody tr")
    orders = rows.filter(has_text="Orders, six tasks")
    expect(orders).to_contain_text("user, state, failure_rules, expected_outcome, checks")
    expect(orders).to_contain_text(re.compile(r"Batch \d+\s*71 % passed \[\d+–\d+\]"))
    page.get_by_label("Filter datasets").fill("orders, six")
    expect(rows).to_have_count(1)
    page.reload()
    expect(rows).to_have_count(1)
    rows.first.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="Orders, six tasks")).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("d")
    expect(page.get_by_role("heading", level=1, name="Datasets")).to_be_visible()
    page.keyboard.press("Control+k")
    page.get_by_role("dialog").get_by_role("textbox").fill("Orders, six")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="Orders, six tasks")).to_be_visible()
    page.get_by_role("tab", name="Audit").click()
    the_audit_names_rows_that_say_nothing(page)


def the_audit_names_rows_that_say_nothing(page: Page) -> None:
    found = page.get_by_role("region", name="What the audit found")
    expect(found).to_contain_text("of 6 rows can be passed by a useless agent.")
    rows = page.get_by_role("table", name="Rows that useless agents pass").locator("tbody tr")
    expect(rows.filter(has_text=REFUND)).to_contain_text("repeats in the past tense")
    expect(rows.filter(has_text=ALL)).to_contain_text("only reads")
    expect(rows.filter(has_text=POLITE)).to_contain_text("only claims")
    rows.filter(has_text=POLITE).get_by_role("link").click()
    expect(cell(page, 5, "checks")).to_be_focused()


def test_a_file_is_taken_if_it_is_text_and_its_faults_lead_to_their_cells(
    open_page: OpenPage, site: Site, tmp_path: Path
) -> None:
    file = tmp_path / "Spring.csv"
    file.write_text(
        table(
            {"user": "Cancel it.", "checks": [{"caled": "x"}], "note": "n"},
            {"user": "", "checks": "[", "note": ""},
        )
    )
    page = open_page("/datasets/new").page
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="choose a file").click()
    latin = FilePayload(name="latin.csv", mimeType="text/csv", buffer="user\nCafé\n".encode("latin-1"))
    chooser.value.set_files(latin)
    expect(page.get_by_role("alert")).to_contain_text("latin.csv is not text in UTF-8")
    drop(page, file, "text/csv")
    expect(page.get_by_label("Name", exact=True)).to_have_value("Spring")
    faults = page.get_by_role("region", name="Faults")
    expect(faults).to_contain_text("3 faults")
    expect(faults.get_by_role("row").filter(has_text="checks is not JSON")).to_contain_text("line 3")
    expect(page.get_by_role("region", name="Warnings", exact=True)).to_contain_text(
        "column 'note' is not known"
    )
    expect(page.get_by_role("button", name="Make the dataset")).to_be_disabled()
    faults.get_by_role("button", name="Show checks of row 1").click()
    expect(cell(page, 1, "checks")).to_be_focused()
    expect(cell(page, 1, "checks")).to_have_attribute("aria-invalid", "true")
    expect(cell(page, 0, "checks")).to_contain_text("did you mean 'called'")
    page.keyboard.press("Delete")
    write(page, 1, "user", "Wait for it.")
    cell(page, 0, "checks").click()
    page.keyboard.press("Delete")
    expect(page.get_by_text("2 rows, nothing to mend.")).to_be_visible()
    page.get_by_role("button", name="Make the dataset").click()
    expect(page.get_by_role("heading", level=1, name="Spring")).to_be_visible()
    assert values_of(site.org, called(site, "Spring")) == [{"user": "Cancel it."}, {"user": "Wait for it."}]


def test_rows_are_pasted_as_json_or_chosen_as_a_file(open_page: OpenPage, site: Site, tmp_path: Path) -> None:
    page = open_page("/datasets/new").page
    page.get_by_label("CSV or JSON").fill(json.dumps(ROWS))
    expect(page.get_by_text("2 rows, nothing to mend.")).to_be_visible()
    page.get_by_label("Name", exact=True).fill("Pasted")
    page.get_by_role("button", name="Make the dataset").click()
    expect(page.get_by_role("heading", level=1, name="Pasted")).to_be_visible()
    assert values_of(site.org, called(site, "Pasted"))[0]["state"] == STATE
    page.get_by_role("tab", name="Upload").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV template").click()
    template = tmp_path / "template.csv"
    download.value.save_as(template)
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="choose a file").click()
    chooser.value.set_files(template)
    page.get_by_role("button", name="Save as revision 2").click()
    expect(cell(page, 0, "user")).to_contain_text("tell me what it would have cost")
    assert called(site, "Pasted")["revision"] == 2


def test_rows_are_written_with_the_keyboard(open_page: OpenPage, site: Site) -> None:
    page = open_page("/datasets/new?by=rows").page
    page.get_by_label("Name", exact=True).fill("Typed")
    cell(page, 0, "user").click()
    page.keyboard.type("needs no new run")  # n and g are shortcuts elsewhere
    page.keyboard.press("Tab")
    expect(cell(page, 0, "state")).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.get_by_label("expected_outcome of row 0").select_option("refusal")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="checks of row 0")
    expect(dialog.get_by_role("textbox")).to_be_focused()
    page.keyboard.type("7")
    expect(dialog.get_by_role("textbox")).to_have_text("7")
    page.keyboard.press("Backspace")
    dialog.get_by_role("button", name="Begin with an example").click()
    expect(dialog.get_by_role("textbox")).to_contain_text("update_order")
    write_over(dialog.get_by_role("textbox"), '[{"called": {"tool": "get_order", "count": "x"}}]')
    expect(dialog.get_by_role("alert")).to_contain_text("0.called.count")
    write_over(dialog.get_by_role("textbox"), '[{"called": "get_order"}]')
    expect(dialog.get_by_role("alert")).to_have_count(0)
    page.keyboard.press("Control+Enter")
    expect(dialog).to_have_count(0)
    expect(cell(page, 0, "checks")).to_be_focused()
    page.get_by_role("button", name="Duplicate").click()
    page.get_by_role("button", name="Add a row").click()
    expect(grid(page).locator("tbody tr")).to_have_count(3)
    write(page, 2, "user", "The last one.")
    cell(page, 1, "user").click()
    page.get_by_role("button", name="Remove").click()
    expect(grid(page).locator("tbody tr")).to_have_count(2)
    page.keyboard.press("Control+z")
    expect(grid(page).locator("tbody tr")).to_have_count(3)
    page.get_by_role("button", name="Redo").click()
    expect(grid(page).locator("tbody tr")).to_have_count(2)
    page.get_by_role("button", name="Make the dataset").click()
    expect(page.get_by_role("heading", level=1, name="Typed")).to_be_visible()
    first = {"user": "needs no new run", "expected_outcome": "refusal", "checks": [{"called": "get_order"}]}
    assert values_of(site.org, called(site, "Typed")) == [
        first,
        {"user": "The last one.", "expected_outcome": "completion"},
    ]
    the_columns_are_those_of_the_server(page)


def test_cells_are_pasted_from_a_spreadsheet(open_page: OpenPage, site: Site) -> None:
    page = open_page("/datasets/new?by=rows").page
    page.get_by_label("Name", exact=True).fill("From a sheet")
    cell(page, 0, "user").click()
    paste(page, 'One\t"{""order"": {}}"\tcompletion\n"Two\nlines"\t\trefusal\nThree\n')
    expect(grid(page).locator("tbody tr")).to_have_count(3)
    expect(cell(page, 1, "expected_outcome")).to_have_text("refusal")
    cell(page, 2, "checks").click()
    paste(page, '[\n  {"called": "get_order"}\n]')
    expect(cell(page, 2, "checks")).to_contain_text('[ {"called": "get_order"} ]')
    cell(page, 2, "user").click()
    paste(page, "user\trandom_seed\nFour\t9007199254740993\n")
    expect(cell(page, 2, "random_seed")).to_have_text("9007199254740993")
    page.get_by_role("button", name="Make the dataset").click()
    expect(page.get_by_role("heading", level=1, name="From a sheet")).to_be_visible()
    rows = values_of(site.org, called(site, "From a sheet"))
    assert [row["user"] for row in rows] == ["One", "Two\nlines", "Four"]
    assert rows[2]["random_seed"] == 9007199254740993
    assert rows[2]["checks"] == [{"called": "get_order"}]


def the_columns_are_those_of_the_server(page: Page) -> None:
    page.get_by_role("button", name="Columns").click()
    items = page.get_by_role("menuitemcheckbox")
    expect(items).to_have_count(len(COLUMNS))
    names = [text.split("\n")[0] for text in items.all_inner_texts()]
    assert names == [column.name for column in COLUMNS]
    items.filter(has_text="random_seed").click()
    expect(grid(page).get_by_role("columnheader", name="random_seed")).to_be_visible()


def test_only_what_was_edited_changes_and_nothing_is_lost_by_a_click(open_page: OpenPage, site: Site) -> None:
    """Numbers and texts that a browser would write otherwise stay as they were uploaded."""
    state = '{"order": {"a": {"total": 1.0, "big": 9007199254740993, "name": "Zoë"}}}'
    content = table(
        {"user": " kept ", "state": state, "random_seed": "-9223372036854775808"}, {"user": "Two"}
    )
    dataset = site.org.ok(post_csv(site.org, content, name="Exact"))
    before = site.org.get(f"/api/datasets/{dataset['id']}/export").text
    page = open_page(f"/datasets/{dataset['id']}").page
    write(page, 1, "user", "Three")
    page.get_by_role("tab", name="Batches").click()
    page.get_by_role("tab", name=re.compile("Rows")).click()
    expect(cell(page, 1, "user")).to_have_text("Three")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Runs", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Stay").click()
    expect(unsaved(page)).to_contain_text("Runs keep the rows they were made with.")
    unsaved(page).get_by_role("button", name="Save as revision 2").click()
    expect(unsaved(page)).to_have_count(0)
    after = site.org.get(f"/api/datasets/{dataset['id']}/export").text
    assert after == before.replace("Two", "Three")
    page.reload()
    expect(cell(page, 1, "user")).to_have_text("Three")


def test_faults_follow_what_is_typed_and_hold_back_saving(open_page: OpenPage, site: Site) -> None:
    dataset = keep(site, "Linted")
    page = open_page(f"/datasets/{dataset['id']}?row=1&column=user").page
    expect(cell(page, 1, "user")).to_be_focused()
    page.keyboard.press("Delete")
    faults = page.get_by_role("region", name="Faults")
    expect(faults).to_contain_text("1 fault")
    expect(cell(page, 1, "user")).to_have_attribute("aria-invalid", "true")
    expect(unsaved(page).get_by_role("button", name="Save as revision 2")).to_be_disabled()
    cell(page, 0, "user").click()
    page.get_by_role("button", name="Add a row").click()
    expect(cell(page, 2, "user")).to_have_attribute("aria-invalid", "true")  # the fault moved with its row
    unsaved(page).get_by_role("button", name="Discard").click()
    expect(faults).to_have_count(0)
    page.get_by_role("combobox", name="Compare with the tools").click()
    page.get_by_role("option", name="Support desk").click()
    cell(page, 0, "checks").click()
    page.keyboard.press("Delete")
    paste(page, '[{"called": "update_ordr"}]')
    warnings = page.get_by_role("region", name="Warnings", exact=True)
    expect(warnings).to_contain_text("the agent has no tool 'update_ordr'; did you mean 'update_order'?")


def test_a_dataset_that_changed_meanwhile_is_not_overwritten(open_page: OpenPage, site: Site) -> None:
    dataset = keep(site, "Contested rows")
    page = open_page(f"/datasets/{dataset['id']}").page
    write(page, 1, "user", "Mine.")
    other = site.org.client.put(f"/api/datasets/{dataset['id']}", json=[{"user_instruction": "Theirs."}])
    assert other.json()["revision"] == 2
    unsaved(page).get_by_role("button", name=re.compile("Save as revision")).click()
    alert = page.get_by_role("alert").filter(has_text="revision 2 was saved since you opened this one")
    expect(alert).to_be_visible()
    expect(cell(page, 1, "user")).to_have_text("Mine.")
    alert.get_by_role("button", name="Discard mine").click()
    expect(cell(page, 0, "user")).to_have_text("Theirs.")
    write(page, 0, "user", "Mine again.")
    site.org.ok(site.org.client.put(f"/api/datasets/{dataset['id']}", json=[{"user_instruction": "Theirs."}]))
    unsaved(page).get_by_role("button", name=re.compile("Save as revision")).click()
    page.get_by_role("button", name="Save mine as revision 4").click()
    expect(unsaved(page)).to_have_count(0)
    assert values_of(site.org, dataset) == [{"user": "Mine again."}]


def test_many_rows_are_read_in_pages(open_page: OpenPage, site: Site) -> None:
    dataset = keep(
        site, "Many", [{"user_instruction": f"Task {n}", "initial_state": STATE} for n in range(510)]
    )
    page = open_page(f"/datasets/{dataset['id']}").page
    expect(page.get_by_text("More than 500 rows are shown here, not edited.")).to_be_visible()
    expect(grid(page).locator("tbody tr")).to_have_count(100)
    page.get_by_role("navigation", name="Pages").get_by_role("button", name="Next").click()
    expect(cell(page, 0, "user")).to_have_text("Task 100")
    expect(page.get_by_text("Rows 100 to 199 of 510")).to_be_visible()
    page.reload()
    cell(page, 0, "state").click()
    page.keyboard.press("x")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="state of row 100")).to_contain_text("ord_1")
    page.keyboard.press("Escape")
    with page.expect_download() as download:
        page.get_by_role("link", name="download the CSV").click()
    assert Path(download.value.path()).read_text().count("Task") == 510
    page.get_by_role("link", name="upload it again").click()
    expect(page.get_by_label("CSV or JSON")).to_be_visible()


PAID_ONLY = {
    "entities": [
        {
            "type": "order",
            "id_field": "order_id",
            "fields": [
                {"name": "order_id", "type": "string"},
                {"name": "status", "type": "string", "enum": ["paid"]},
            ],
        }
    ]
}


def test_a_dataset_is_run_on_an_agent_that_fits_renamed_and_downloaded(
    open_page: OpenPage, site: Site
) -> None:
    agent = ScriptedAgent(lambda _: final("hello"))
    site.org.agent(agent.url, name="Says hello")
    site.org.agent("http://127.0.0.1:9/x", name="Schema keeper", ledger_schema=PAID_ONLY)
    dataset = keep(site, "To be run")
    watched = open_page(f"/datasets/{dataset['id']}")
    watched.expected = ["422"]
    page = watched.page
    page.get_by_role("button", name="Run on an agent").click()
    dialog = page.get_by_role("dialog", name="Run on an agent")
    dialog.get_by_role("combobox", name="Agent").click()
    page.get_by_role("option", name="Schema keeper").click()
    dialog.get_by_role("button", name="Start").click()
    dialog.get_by_role("button", name="Show state of row 0").click()
    expect(cell(page, 0, "state")).to_be_focused()
    page.get_by_role("button", name="Run on an agent").click()
    dialog.get_by_role("combobox", name="Agent").click()
    page.get_by_role("option", name="Says hello").click()
    dialog.get_by_label("Repeats").fill("3")
    expect(dialog.get_by_role("status")).to_contain_text("2 rows × 3 = 6 runs")
    dialog.get_by_role("button", name="Start").click()
    page.wait_for_url(re.compile(r"/batches/\d+$"))
    expect(page.get_by_role("list", name="Runs by outcome")).to_contain_text("3 passed")
    expect(page.get_by_role("list", name="Runs by outcome")).to_contain_text("3 failed")
    page.goto(f"/datasets/{dataset['id']}?tab=batches")
    expect(page.get_by_role("table", name="Batches").locator("tbody tr")).to_contain_text("6 of 6 (× 3)")
    agent.stop()
    is_renamed_downloaded_and_deleted(page, site, dataset)


def is_renamed_downloaded_and_deleted(page: Page, site: Site, dataset: dict[str, Any]) -> None:
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Rename").click()
    page.get_by_role("dialog").get_by_label("Name").fill("New name")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="New name")).to_be_visible()
    page.get_by_role("button", name="Download").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="JSON").click()
    assert json.loads(Path(download.value.path()).read_text())[0]["user_instruction"] == "Cancel order ord_1."
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("button", name="Delete the dataset").click()
    expect(page.get_by_role("heading", level=1, name="Datasets")).to_be_visible()
    assert site.org.get(f"/api/datasets/{dataset['id']}").status_code == 404


def test_rows_that_cannot_be_passed_are_told_before_anything_runs(open_page: OpenPage, site: Site) -> None:
    contradiction = [{"called": "update_order"}, {"policy": {"never": "update_*"}}]
    rows: list[dict[str, Any]] = [
        {"user_instruction": "Anything."},
        {"user_instruction": "Do it, do not.", "checks": contradiction},
    ]
    dataset = keep(site, "Never passed", rows)
    page = open_page(f"/datasets/{dataset['id']}?tab=audit").page
    told = "1 row can never get a PASS: 0"
    expect(page.get_by_role("region", name="Rows that can never get a PASS")).to_contain_text(told)
    nobody = page.get_by_role("table", name="Rows that nobody can pass").locator("tbody tr")
    expect(nobody).to_contain_text("Check 1: check 2 forbids every call of update_order.")
    page.get_by_role("combobox", name="With the tools of").click()
    page.get_by_role("option", name="Support desk").click()
    page.wait_for_url(re.compile(r"agent_id=\d+"))
    expect(nobody).to_contain_text("Check 1: check 2 forbids every call of update_order.")
    page.get_by_role("button", name="Run on an agent").click()
    expect(page.get_by_role("dialog", name="Run on an agent")).to_contain_text(told)


def test_a_viewer_reads_and_changes_nothing(open_page: OpenPage, site: Site) -> None:
    page = as_viewer_of(open_page, site.org, f"/datasets/{site.trials.dataset}")
    expect(cell(page, 0, "user")).to_be_visible()
    for name in ("Run on an agent", "Add a row", "More"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)
    expect(page.get_by_role("tab", name="Upload")).to_have_count(0)
    cell(page, 0, "user").click()
    page.keyboard.press("Delete")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="user of row 0")).to_contain_text("Cancel order ord_2.")
    page.goto("/datasets/new")
    expect(page.get_by_text("Viewers may read datasets but not change them")).to_be_visible()
    page.goto(f"/batches/{site.trials.after}")
    expect(page.get_by_role("table", name="Tasks")).to_be_visible()
