"""The tickets of `tickets.csv`: what each asks for, what became of its run, and the table of them all."""

import csv
import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table

FILE = Path(__file__).resolve().parent / "tickets.csv"
KNOWN_TO_FAIL = {"ask whether it is cancelled": "policy_violated"}
"""The desk goes by words: whoever asks whether an order is cancelled has it cancelled. A check finds that."""

_STYLES = {"PASS": "green", "FAIL": "red"}


@dataclass
class Ticket:
    """One task, its run, and what the trace says about it."""

    name: str
    run: dict[str, Any]
    sources: Counter[str] = field(default_factory=Counter)
    changes: list[str] = field(default_factory=list)

    @property
    def ended(self) -> bool:
        return self.run["status"] in ("completed", "failed", "cancelled") and self.run["verdict"] != "PENDING"

    @property
    def outcome(self) -> str:
        """What there is to say of the run: its verdict and why, or how far it is."""
        if self.run["verdict"] == "PENDING":
            return str(self.run["status"])
        why = self.run.get("failure_mode") or self.run.get("error_class")
        return f"{self.run['verdict']} ({why})" if why else str(self.run["verdict"])

    @property
    def reason(self) -> str:
        """The first sentence of it; the run's page has the rest."""
        grades = self.run.get("grades") or []
        return str(grades[-1]["reason"]).partition(". ")[0].rstrip(".") if grades else ""

    def read_trace(self, events: list[dict[str, Any]]) -> None:
        # A run whose owner was lost begins anew; its earlier attempts changed nothing that counts.
        last_attempt = max((event["attempt"] for event in events), default=1)
        for event in events:
            if event["kind"] == "tool_call" and event["attempt"] == last_attempt:
                self.sources[event["data"].get("source") or "refused"] += 1
                self.changes += map(describe_operation, event["data"].get("operations") or [])


def names() -> list[str]:
    """Return what the rows call themselves, in their order."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return [json.loads(row["input"])["ticket"] for row in csv.DictReader(file)]


def describe_operation(operation: dict[str, Any]) -> str:
    if "flag" in operation:
        return f"{operation['op']} {operation['flag']}"
    subject = f"{operation['entity_type']} {operation['id']}"
    if operation["op"] != "update":
        return f"{operation['op']} {subject}"
    values = ", ".join(f"{name}={value}" for name, value in (operation.get("fields") or {}).items())
    return f"{subject}: {values}"


def table_of(tickets: list[Ticket]) -> Table:
    table = Table("Task", "Run", "Verdict", "Why", "Tool calls", "Ledger changes", "Answer", show_lines=True)
    for ticket in tickets:
        calls = "\n".join(f"{count} {source}" for source, count in sorted(ticket.sources.items()))
        beginning = " ".join((ticket.run.get("final_response") or "").split())[:90]
        verdict = f"[{_STYLES.get(ticket.run['verdict'], 'yellow')}]{escape(ticket.outcome)}"
        cells = (ticket.name, str(ticket.run["id"]), ticket.reason, calls or "0", "\n".join(ticket.changes))
        name, run, why, counted, changes = map(escape, cells)
        table.add_row(name, run, verdict, why, counted, changes or "none", escape(beginning))
    return table


def pass_rate(batch: dict[str, Any]) -> str:
    figure = batch["pass_rate"]
    if figure is None:
        return "Nothing was graded."
    low, high = (f"{share * 100:.0f} %" for share in figure["interval"])
    passed, failed = batch["verdicts"]["PASS"], batch["verdicts"]["FAIL"]
    return f"Pass rate {figure['share'] * 100:.1f} % ({passed} of {passed + failed}; 95 % interval {low} to {high})."


def unexpected(tickets: list[Ticket]) -> list[str]:
    """Name the tickets that did not end as the desk's rules say they do."""
    found = []
    for ticket in tickets:
        expected = f"FAIL ({KNOWN_TO_FAIL[ticket.name]})" if ticket.name in KNOWN_TO_FAIL else "PASS"
        if ticket.run["status"] != "completed" or ticket.outcome != expected:
            found.append(f"{ticket.name} is {ticket.run['status']}, {ticket.outcome}, instead of {expected}")
    return found
