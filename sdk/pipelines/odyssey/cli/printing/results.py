"""The rows of a batch as a table: how often each passed, and why it did not."""

from collections import Counter
from collections.abc import Iterable

from pipelines.odyssey.cli.printing.figures import counted, print_figures
from pipelines.odyssey.cli.printing.screen import Screen, clean, many, word
from pipelines.odyssey.client import types as t

MOST_ROWS = 50

_INSTRUCTION = 44


class Results:
    """What the rows of a batch say, read once; of many rows those that did not pass are shown first."""

    def __init__(self, rows: Iterable[t.BatchRowOut]) -> None:
        self.rows = 0
        self.not_passed = 0
        """Runs that should have passed and did not."""
        self.nothing_to_grade = 0
        self._faulty: list[t.BatchRowOut] = []
        self._fine: list[t.BatchRowOut] = []
        for row in rows:
            self._add(row)

    def _add(self, row: t.BatchRowOut) -> None:
        self.rows += 1
        faulty = sum(not has_passed(run) and not had_nothing(run) for run in row["runs"])
        self.not_passed += faulty
        self.nothing_to_grade += sum(map(had_nothing, row["runs"]))
        shown = self._faulty if faulty else self._fine
        if len(shown) < MOST_ROWS:
            shown.append(row)

    def print(self, screen: Screen) -> None:
        if not self.rows:
            screen.line("No rows.")
            return
        shown = (self._faulty + self._fine)[:MOST_ROWS]
        if self.rows <= MOST_ROWS:
            shown.sort(key=lambda row: row["row"])
        table = [("row", "passed", "verdicts", "why", "instruction")]
        screen.table(table + [_cells(screen, row) for row in shown])
        if self.rows > len(shown):
            screen.line(f"{many(self.rows - len(shown), 'more row')}; those that did not pass stand first.")


def has_passed(run: t.RowRunOut | t.RunSummary | t.RunOut) -> bool:
    return bool(run["verdict"] == "PASS")


def had_nothing(run: t.RowRunOut | t.RunSummary | t.RunOut) -> bool:
    """Whether there was nothing to grade a run by; it then counts neither way."""
    ungraded = run["verdict"] == "NOT APPLICABLE" and run["failure_mode"] is None
    return bool(ungraded and run["status"] == "completed")


def print_results(screen: Screen, batch: t.BatchOut, results: Results) -> None:
    results.print(screen)
    screen.line()
    print_batch(screen, batch)
    if results.nothing_to_grade:
        screen.line(
            f"{many(results.nothing_to_grade, 'run')} without checks, rubric or judge: nothing to grade by, "
            "neither passed nor failed."
        )
    if results.not_passed:
        screen.line(
            f"{many(results.not_passed, 'run')} did not pass. That is FAIL, or NOT APPLICABLE with something to "
            "grade by."
        )


def print_batch(screen: Screen, batch: t.BatchOut) -> None:
    screen.line(clean(f"Batch {batch['id']}  {batch['status']}"))
    if batch["error_class"] is not None:
        ping = batch["ping"]
        detail = (ping and ping["detail"]) or "the agent did not answer the ping"
        screen.text(f"{batch['error_class']}: {detail}", lead="  error     ")
    screen.line(
        f"  agent     {batch['agent_id']} version {batch['agent_version']}  {word(batch['agent_name'])}"
    )
    if batch["dataset_id"] is not None:
        name = word(batch["dataset_name"])
        screen.line(f"  dataset   {batch['dataset_id']} revision {batch['revision']}  {name}")
    screen.line(f"  runs      {counted(batch['runs'])}; {batch['repeats']} of each row")
    print_figures(screen, batch)


def _cells(screen: Screen, row: t.BatchRowOut) -> tuple[str, ...]:
    graded = row["passes"] + row["fails"]
    verdicts = Counter(str(run["verdict"]) for run in row["runs"])
    why = Counter(run["failure_mode"] or run["status"] for run in row["runs"] if not has_passed(run))
    modes = ", ".join(word(mode) for mode, _ in why.most_common() if mode != "completed")
    instruction = screen.shorten(" ".join(row["user_instruction"].split()), _INSTRUCTION)
    return (str(row["row"]), f"{row['passes']}/{graded}", counted(verdicts), modes, instruction)
