"""What became of programs, for people: a row for each tool, and what a program gets wrong in words."""

from collections.abc import Sequence

from pipelines.odyssey.cli.printing.figures import money
from pipelines.odyssey.cli.printing.screen import Screen, clean, many, word
from pipelines.odyssey.client import types as t

_HEADINGS = ("tool", "accepted", "calls", "responses", "changes", "same words", "attempts", "shown")
_WRONG = 160


def print_reports(screen: Screen, reports: Sequence[t.ProgramReportOut]) -> None:
    """Print the table, then what is wrong with the programs that were not accepted."""
    screen.table([_HEADINGS, *map(_row, reports)])
    refused = [report for report in reports if not report["accepted"]]
    if refused:
        screen.line()
    for report in refused:
        screen.line(f"{word(report['tool'])}: {screen.shorten(what_is_wrong(report), _WRONG)}")
    screen.line()
    screen.line(f"{len(reports) - len(refused)} of {many(len(reports), 'program')} accepted.")
    cost = sum(report["cost_usd"] for report in reports)
    if cost:
        screen.line(f"The model cost {money(cost)}.")


def what_is_wrong(report: t.ProgramReportOut) -> str:
    """Say the first thing that speaks against the best program of a tool."""
    if not report["attempts"]:
        return "there is no recorded call of it"
    attempt = sorted(report["attempts"], key=lambda one: (not one["errors"], one["equal"]))[-1]
    if attempt["errors"]:
        fault = attempt["errors"][0]
        place = ".".join(map(str, fault["loc"]))
        more = len(attempt["errors"]) - 1
        return f"{f'{place}: ' if place else ''}{fault['msg']}{f' (and {more} more)' if more else ''}"
    for one in attempt["mismatches"]:
        return f"call {one['call']} of task {word(one['task'])}: {one['problem']}"
    return "too few calls are equal"


def _row(report: t.ProgramReportOut) -> tuple[str, ...]:
    calls = report["attempts"][-1]["of"] if report["attempts"] else 0
    shares = (report["responses"], report["changes"], report["refusal_texts"])
    accepted = "yes" if report["accepted"] else "no"
    return (
        clean(report["tool"]),
        accepted,
        str(calls),
        *map(_share, shares),
        *_asked(report),
    )


def _asked(report: t.ProgramReportOut) -> tuple[str, str]:
    """How often a model was asked, and how many of the calls it saw."""
    if report["model"]:
        return str(len(report["attempts"])), str(report["shown"])
    return ("by hand" if report["attempts"] else "–"), "–"


def _share(share: t.ProgramShareOut) -> str:
    return f"{share['equal']} of {share['of']}" if share["of"] else "–"
