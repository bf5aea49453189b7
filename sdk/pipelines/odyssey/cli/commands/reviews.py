"""`odyssey review`: what a person should look at, and what they found."""

import sys
from typing import Annotated, Literal
from uuid import UUID

from cyclopts import App, Parameter

from pipelines.odyssey.cli.commands.options import AsJson, Positive, Switch
from pipelines.odyssey.cli.connection import Server, connected, if_missing
from pipelines.odyssey.cli.failures import NOT_RIGHT
from pipelines.odyssey.cli.printing.figures import percent
from pipelines.odyssey.cli.printing.screen import Screen, clean, many, word
from pipelines.odyssey.client import types as t

Item = Annotated[UUID, Parameter(name="ITEM")]
Risk = Literal["low", "medium", "high", "critical"]
Source = Literal["flag", "incident", "sample", "manual"]
Verdict = Literal["true_positive", "false_positive", "true_negative", "false_negative", "defect_found"]

_SCENARIO = 40

app = App(name="review")


@app.command(name="list")
def list_items(
    *,
    status: Literal["open", "decided", "superseded"] = "open",
    source: Source | None = None,
    risk: Risk | None = None,
    variation: str | None = None,
    matrix: UUID | None = None,
    agent: Positive | None = None,
    confirmed: Annotated[bool, Switch] = False,
    limit: Positive = 20,
    fail_on_open: Annotated[bool, Switch] = False,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """List the queue, the most pressing item first; of decided items the newest verdict first.

    Parameters
    ----------
    status
        Items that wait for a verdict, those that have one, or those that were put here for what turned out to be no
        more.
    source
        Only items that were flagged, hold an incident, were drawn as a sample, or submitted by hand.
    risk
        Only items of scenarios of this risk.
    variation
        Only items under this pressure; `baseline` stands for runs without one.
    matrix
        Only items of the matrix with this id.
    agent
        Only items of the agent with this number.
    confirmed
        Only items that are no noise.
    limit
        How many items to list at most.
    fail_on_open
        Exit code 1 if any item is listed that waits for a verdict.
    json_output
        Print one JSON object {items, next_cursor, open} as the API gives it.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        screen = Screen()
        found = platform.review.page(
            limit=limit,
            status=status,
            source=source,
            risk_level=risk,
            variation_type=variation,
            matrix_id=None if matrix is None else str(matrix),
            agent_id=agent,
            confirmed=True if confirmed else None,
        )
        if json_output:
            screen.json(found)
        else:
            _print_list(screen, found, limit)
        if fail_on_open and any(item["status"] == "open" for item in found["items"]):
            sys.exit(NOT_RIGHT)


@app.command
def show(item_id: Item, /, *, json_output: AsJson = False, server: Server | None = None) -> None:
    """Print one item: what is known of it, and its verdict.

    Parameters
    ----------
    item_id
        Id of the item.
    json_output
        Print the item as the API gives it.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        with if_missing(f"There is no item {item_id}."):
            found = platform.review.get(str(item_id))
        if json_output:
            Screen().json(found)
        else:
            _print_item(Screen(), found)


@app.command
def verdict(
    item_id: Item,
    given: Annotated[Verdict, Parameter(name="VERDICT")],
    /,
    *,
    notes: str = "",
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Say what an item really is. A verdict is never changed.

    Parameters
    ----------
    item_id
        Id of the item.
    given
        What it is.
    notes
        Why; kept with the verdict.
    json_output
        Print the item as the API gives it.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        with if_missing(f"There is no item {item_id}."):
            found = platform.review.verdict(str(item_id), verdict=given, notes=notes)
        if json_output:
            Screen().json(found)
        elif found["verdict"] is not None:
            Screen().line(f"Item {item_id}: {given}, by {word(found['verdict']['reviewer'])}.")


@app.command
def submit(
    run_id: Annotated[int, Parameter(name="RUN")],
    /,
    *,
    notes: str = "",
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Put an eval run into the queue by hand.

    Parameters
    ----------
    run_id
        Number of the run.
    notes
        Why it should be looked at.
    json_output
        Print the item as the API gives it.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        with if_missing(f"There is no eval run {run_id}."):
            found = platform.review.submit(run_id=run_id, notes=notes)
        if json_output:
            Screen().json(found)
        else:
            Screen().line(f"Item {found['id']}: run {run_id} waits for a verdict.")


@app.command
def figures(*, json_output: AsJson = False, server: Server | None = None) -> None:
    """Print how often flags were right so far, and the thresholds that the verdicts suggest.

    Parameters
    ----------
    json_output
        Print {overall, by_risk, by_variation, thresholds} as the API gives them.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        found = platform.review.figures()
        if json_output:
            Screen().json(found)
        else:
            _print_figures(Screen(), found)


def _print_list(screen: Screen, found: t.ReviewItemsPage, limit: int) -> None:
    if found["items"]:
        heading = ("id", "why", "risk", "scenario", "pressure", "shift", "matches", "run", "verdict")
        screen.table([heading, *(_listed(screen, item) for item in found["items"])])
    else:
        screen.line("No items.")
    if found["next_cursor"] is not None:
        screen.line(f"There are more; --limit {limit * 2} shows twice as many.")
    screen.line(f"{many(found['open'], 'item')} open in all.")


def _listed(screen: Screen, item: t.ReviewItem) -> tuple[str, ...]:
    return (
        str(item["id"]),
        _why(item),
        str(item["risk_level"]),
        screen.shorten(str(item["scenario_name"]), _SCENARIO),
        _pressure(item),
        "" if item["shift"] is None else f"{item['shift']:.2f}",
        "" if item["match_rate"] is None else percent(item["match_rate"]),
        str(item["run_id"]),
        _verdict(item),
    )


def _verdict(item: t.ReviewItem) -> str:
    if item["verdict"] is not None:
        return str(item["verdict"]["verdict"])
    return "superseded" if item["status"] == "superseded" else ""


def _print_item(screen: Screen, item: t.ReviewItem) -> None:
    screen.line(clean(f"Item {item['id']}  {_why(item)}"))
    name = word(item["scenario_name"])
    screen.line(f"  scenario  {name}, {item['risk_level']} risk, {word(item['scenario_id'])}")
    screen.line(f"  pressure  {clean(_pressure(item))}")
    screen.line(f"  agent     {item['agent_id']} version {item['agent_version']}")
    if item["matrix_id"] is not None:
        screen.line(f"  matrix    {word(item['matrix_id'])}")
    if item["sentence"] is not None:
        screen.text(item["sentence"], lead="  incident  ")
    if item["shift"] is not None:
        screen.line(f"  shift     {_shift(item)}")
    if item["match_rate"] is not None:
        screen.line(f"  matches   {_matches(item, item['match_rate'])}")
    baseline = item["baseline_run_id"]
    screen.line(f"  run       {item['run_id']}{'' if baseline is None else f', baseline {baseline}'}")
    if item["notes"]:
        screen.text(item["notes"], lead="  notes     ")
    given = item["verdict"]
    if item["superseded_at"] is not None:
        when = _moment(item["superseded_at"])
        screen.line(f"  verdict   none needed: superseded at {when}, as it turned out to be nothing")
    elif given is None:
        screen.line("  verdict   none yet")
    else:
        when = _moment(given["decided_at"])
        screen.line(f"  verdict   {given['verdict']} by {word(given['reviewer'])} at {when}")
        if given["notes"]:
            screen.text(given["notes"], lead="            ")
    screen.line(f"odyssey runs show {item['run_id']} tells what the agent did.")


def _moment(when: str) -> str:
    return str(when)[:19].replace("T", " ")


def _why(item: t.ReviewItem) -> str:
    if item["incident"] is not None:
        return f"incident, {str(item['incident']).replace('_', ' ')}"
    if item["confirmed"]:
        return f"confirmed by {str(item['reason']).replace('_', ' ')}"
    return str(item["source"] if item["reason"] is None else f"{item['source']}, {item['reason']}")


def _pressure(item: t.ReviewItem) -> str:
    pressure = str(item["variation_type"] or "none")
    return pressure if item["rule_set"] is None else f"{pressure}, {item['rule_set']}"


def _shift(item: t.ReviewItem) -> str:
    said = f"{item['shift']:.2f}"
    if item["interval"] is None:
        said += " (raw)"
    else:
        low, high = item["interval"]
        said += f" ({low:.2f} to {high:.2f})"
    if item["threshold"] is not None:
        said += f", threshold {item['threshold']:g}"
    return said if item["q_value"] is None else f"{said}, q {item['q_value']:.2g}"


def _matches(item: t.ReviewItem, rate: float) -> str:
    said = _rate(rate, item["match_runs"])
    baseline = item["baseline_match_rate"]
    if baseline is None:
        return said
    return f"{said}, without pressure {_rate(baseline, item['baseline_match_runs'])}"


def _rate(share: float, runs: int | None) -> str:
    """Write '25 % (1 of 4)'; an item from before counts were kept has none."""
    return percent(share) if runs is None else f"{percent(share)} ({round(share * runs)} of {runs})"


def _print_figures(screen: Screen, found: t.ReviewFigures) -> None:
    rows = [("flags", "right", "wrong", "precision")]
    rows.append(("all", *_precision(found["overall"])))
    for group in (found["by_risk"], found["by_variation"]):
        decided = {name: each for name, each in group.items() if each["precision"] is not None}
        rows += [(name, *_precision(each)) for name, each in decided.items()]
    screen.table(rows)
    screen.line()
    for each in found["thresholds"]:
        screen.line(clean(f"{each['risk_level']}: {each['explanation']}"))


def _precision(figure: t.Precision) -> tuple[str, str, str]:
    if figure["precision"] is None or figure["interval"] is None:
        return "0", "0", "no verdicts yet"
    low, high = figure["interval"]
    share = f"{percent(figure['precision'])} ({percent(low)} to {percent(high)})"
    return str(figure["right"]), str(figure["wrong"]), share
