"""The audit of the tests themselves: which rows does an agent pass that does nothing at all?

Three straw agents answer and call no tool, so all there is to know of their runs is known without running them.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.grading.checks import Check, read_checks, run_checks
from odyssey.grading.evidence import Evidence
from odyssey.grading.verdict import decide
from odyssey.library.datasets.reading import Spool, SpoolPart
from odyssey.library.datasets.render import page_of_rows
from odyssey.library.datasets.repository import StoredRow
from odyssey.library.datasets.schemas import AuditOut, PassedRowOut, StrawAgent
from odyssey.library.models import Dataset
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.repository import SharedWorlds

_ROWS_AT_ONCE = 50
_MOST_NAMED = 10_000
_INSTRUCTION_SHOWN = 300


class AuditRow(NamedTuple):
    position: int
    task_id: int | None
    user_instruction: str
    expected_outcome: str
    checks: list[Any]
    has_rubric: bool
    state: dict[str, Any] | None
    """What its world begins with; None if that is a named world's."""
    state_hash: str

    @property
    def has_checks(self) -> bool:
        return bool(self.checks) or self.expected_outcome == "refusal"


class Audit:
    """What was found so far."""

    def __init__(self) -> None:
        self._found = AuditOut(rows=0, judged_only=0, nothing_to_grade=0, passed_rows=0, passed=[])

    def look(self, row: AuditRow, ledger: Ledger) -> None:
        found = self._found
        found.rows += 1
        if not row.has_checks:
            found.judged_only += row.has_rubric
            found.nothing_to_grade += not row.has_rubric
            return
        agents = passing_agents(row, ledger)
        if not agents:
            return
        found.passed_rows += 1
        if len(found.passed) < _MOST_NAMED:
            found.passed.append(
                PassedRowOut(
                    row=row.position,
                    task_id=row.task_id,
                    user_instruction=_cut(row.user_instruction),
                    agents=agents,
                    rubric=row.has_rubric,
                )
            )

    def look_at_all(self, rows: Sequence[AuditRow], worlds: Mapping[str, Ledger]) -> None:
        for row in rows:
            self.look(row, worlds[row.state_hash] if row.state is None else Ledger.adopt(row.state))

    def report(self) -> AuditOut:
        return self._found


def passing_agents(row: AuditRow, ledger: Ledger) -> list[StrawAgent]:
    """Name the straw agents that pass. That one refuses everything says nothing of a row that wants a refusal."""
    checks = read_checks(row.checks).checks
    answers = straw_answers(row.user_instruction)
    if row.expected_outcome == "refusal":
        del answers["refuse_all"]
    return [agent for agent, answer in answers.items() if _passes(row, checks, ledger, answer)]


def straw_answers(user_instruction: str) -> dict[StrawAgent, str]:
    return {
        "no_op": "OK.",
        "refuse_all": "I'm sorry, I can't help with that.",
        "claims_done": f"Done. I have completed everything that was asked: {user_instruction}",
    }


def _passes(row: AuditRow, checks: Sequence[Check], ledger: Ledger, answer: str) -> bool:
    evidence = Evidence(
        user_instruction=row.user_instruction,
        expected_outcome=row.expected_outcome,
        status="completed",
        error_class=None,
        final_response=answer,
        messages=None,
        calls=(),
        uncounted_calls=0,
        declared_tools=(),
        before=ledger,
        after=ledger,
    )
    decision = decide(evidence, run_checks(checks, evidence), (), None, gradable=True)
    return decision.verdict == "PASS"


async def audit_dataset(session: AsyncSession, worlds: SharedWorlds, dataset: Dataset) -> AuditOut:
    audit, position = Audit(), 0
    while position < dataset.row_count:
        stored = await page_of_rows(session, dataset, start=position, limit=_ROWS_AT_ONCE)
        rows = [_of_stored(row) for row in stored]
        ledgers = await _ledgers(session, worlds, dataset.org_id, rows)
        await asyncio.to_thread(audit.look_at_all, rows, ledgers)
        position += len(rows)
    return audit.report()


async def audit_rows(session: AsyncSession, worlds: SharedWorlds, org_id: int, spool: Spool) -> AuditOut:
    """Audit rows that nobody keeps; all are without fault."""
    audit = Audit()
    while part := await asyncio.to_thread(spool.next_part):
        rows = await asyncio.to_thread(_of_spooled, part)
        await asyncio.to_thread(audit.look_at_all, rows, await _ledgers(session, worlds, org_id, rows))
    return audit.report()


async def _ledgers(
    session: AsyncSession, worlds: SharedWorlds, org_id: int, rows: Sequence[AuditRow]
) -> dict[str, Ledger]:
    wanted = {row.state_hash for row in rows if row.state is None}
    return {state_hash: await worlds.boot(session, org_id, state_hash) for state_hash in wanted}


def _of_stored(row: StoredRow) -> AuditRow:
    return AuditRow(
        position=row.position,
        task_id=row.task_id,
        user_instruction=row.seed["user_instruction"],
        expected_outcome=row.seed["expected_outcome"],
        checks=row.seed["checks"],
        has_rubric=bool(row.seed["rubric"]),
        state=None if row.state is None else msgspec.json.decode(row.state),
        state_hash=row.state_hash,
    )


def _of_spooled(part: SpoolPart) -> list[AuditRow]:
    rows: list[AuditRow] = []
    for row in part.rows:
        seed, state = msgspec.json.decode(row.seed), part.documents.get(row.initial_state_hash)
        rows.append(
            AuditRow(
                position=row.position,
                task_id=None,
                user_instruction=seed["user_instruction"],
                expected_outcome=seed["expected_outcome"],
                checks=seed["checks"],
                has_rubric=bool(seed["rubric"]),
                state=None if row.conduct_hash is not None or state is None else msgspec.json.decode(state),
                state_hash=row.initial_state_hash,
            )
        )
    return rows


def _cut(instruction: str) -> str:
    cut = instruction[:_INSTRUCTION_SHOWN]
    return cut if cut == instruction else f"{cut}…"
