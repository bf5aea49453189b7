"""The audit of the tests themselves: which rows does a useless agent pass, and which can nobody pass?"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.compiled import CompiledAgent
from odyssey.grading.checks import read_checks
from odyssey.journal.contents import load_conduct
from odyssey.library.datasets.auditing.demands import demands_of
from odyssey.library.datasets.auditing.oracle.oracle import find_impossible
from odyssey.library.datasets.auditing.row import RowOnTrial
from odyssey.library.datasets.auditing.straw_agents import passing_agents
from odyssey.library.datasets.auditing.straw_run import set_stage
from odyssey.library.datasets.auditing.tools import ToolBox, of_agent, of_checks
from odyssey.library.datasets.reading import Spool, SpoolPart
from odyssey.library.datasets.render import page_of_rows
from odyssey.library.datasets.repository import StoredRow
from odyssey.library.datasets.schemas import AuditOut, ImpossibleRowOut, PassedRowOut
from odyssey.library.datasets.ungradable import UngradableRows, cut_instruction
from odyssey.library.models import Dataset
from odyssey.library.seeds import checks_version_of
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.repository import SharedWorlds

_ROWS_AT_ONCE = 50
_MOST_NAMED = 10_000
_NOTHING_TO_ACT_ON = "Anybody passes: there is nothing to act on."


class RowConduct(NamedTuple):
    """How the world of a row behaves."""

    behavior: str
    failure_rules: list[Any]


class AuditRow(NamedTuple):
    position: int
    task_id: int | None
    seed: dict[str, Any]
    """As stored."""
    state: dict[str, Any] | None
    """What its world begins with; None if that is a named world's."""
    state_hash: str
    conduct_hash: str | None

    @property
    def has_checks(self) -> bool:
        return bool(self.seed["checks"]) or self.expects_refusal

    @property
    def expects_refusal(self) -> bool:
        return bool(self.seed["expected_outcome"] == "refusal")


class Worlds(NamedTuple):
    """The named worlds of some rows, by hash."""

    ledgers: Mapping[str, Ledger]
    conducts: Mapping[str, RowConduct]

    def ledger_of(self, row: AuditRow) -> Ledger:
        return self.ledgers[row.state_hash] if row.state is None else Ledger.adopt(row.state)

    def conduct_of(self, row: AuditRow) -> RowConduct:
        if row.conduct_hash is not None:
            return self.conducts[row.conduct_hash]
        return RowConduct(row.seed["behavior_instructions"], row.seed["failure_rules"])


class Audit:
    """What was found so far."""

    def __init__(self, agent: CompiledAgent | None, *, judged: bool) -> None:
        self._box: ToolBox | None = None if agent is None else of_agent(agent)
        self._ungradable = UngradableRows(judged=judged)
        self._found = AuditOut(
            rows=0,
            judged_only=0,
            nothing_to_grade=0,
            passed_rows=0,
            passed=[],
            impossible_rows=0,
            impossible=[],
            ungradable=self._ungradable.found,
        )

    def look_at_all(self, rows: Sequence[AuditRow], worlds: Worlds) -> None:
        for row in rows:
            self._look(row, worlds)

    def report(self) -> AuditOut:
        return self._found.model_copy(update={"ungradable": self._ungradable.found})

    def _look(self, row: AuditRow, worlds: Worlds) -> None:
        found = self._found
        found.rows += 1
        self._ungradable.look(row.position, row.seed, row.task_id)
        if not row.has_checks:
            found.judged_only += bool(row.seed["rubric"])
            found.nothing_to_grade += not row.seed["rubric"]
            return
        trial = self._trial(row, worlds)
        if not self._note_passed(row, trial):
            self._note_impossible(row, trial)

    def _trial(self, row: AuditRow, worlds: Worlds) -> RowOnTrial:
        raw, ledger, conduct = row.seed["checks"], worlds.ledger_of(row), worlds.conduct_of(row)
        version = checks_version_of(row.seed)
        demands = demands_of(raw, version)
        stage = set_stage(
            row.seed,
            ledger,
            self._box or of_checks(demands, ledger),
            failure_rules=conduct.failure_rules,
            behavior=conduct.behavior,
        )
        return RowOnTrial(stage, raw, read_checks(raw, version).checks, demands)

    def _note_passed(self, row: AuditRow, trial: RowOnTrial) -> bool:
        agents, found = passing_agents(trial), self._found
        found.passed_rows += bool(agents)
        if agents and len(found.passed) < _MOST_NAMED:
            is_empty = not any(map(trial.stage.ledger.entities, trial.stage.ledger.entity_types()))
            is_void = row.expects_refusal and not trial.raw_checks and is_empty
            found.passed.append(
                PassedRowOut(
                    row=row.position,
                    task_id=row.task_id,
                    user_instruction=cut_instruction(row.seed),
                    agents=agents,
                    rubric=bool(row.seed["rubric"]),
                    note=_NOTHING_TO_ACT_ON if is_void else None,
                )
            )
        return bool(agents)

    def _note_impossible(self, row: AuditRow, trial: RowOnTrial) -> None:
        impossible, found = find_impossible(trial), self._found
        found.impossible_rows += impossible is not None
        if impossible is not None and len(found.impossible) < _MOST_NAMED:
            found.impossible.append(
                ImpossibleRowOut(
                    row=row.position,
                    task_id=row.task_id,
                    user_instruction=cut_instruction(row.seed),
                    check=impossible.check,
                    reason=impossible.reason,
                )
            )


class Auditor:
    """Reads rows and audits them, some at a time."""

    def __init__(
        self,
        session: AsyncSession,
        worlds: SharedWorlds,
        org_id: int,
        agent: CompiledAgent | None,
        *,
        judged: bool,
    ) -> None:
        self.session = session
        self._worlds = worlds
        self.org_id = org_id
        self._audit = Audit(agent, judged=judged)

    async def audit_dataset(self, dataset: Dataset) -> AuditOut:
        position = 0
        while position < dataset.row_count:
            stored = await page_of_rows(self.session, dataset, start=position, limit=_ROWS_AT_ONCE)
            await self._look_at([_of_stored(row) for row in stored])
            position += len(stored)
        return self._audit.report()

    async def audit_rows(self, spool: Spool) -> AuditOut:
        """Audit rows that nobody keeps; all are without fault."""
        while part := await asyncio.to_thread(spool.next_part):
            await self._look_at(await asyncio.to_thread(_of_spooled, part))
        return self._audit.report()

    async def _look_at(self, rows: Sequence[AuditRow]) -> None:
        session, org_id = self.session, self.org_id
        states = {row.state_hash for row in rows if row.state is None}
        ledgers = {digest: await self._worlds.boot(session, org_id, digest) for digest in states}
        hashes = {row.conduct_hash for row in rows if row.conduct_hash is not None}
        loaded = {digest: await load_conduct(session, org_id, digest) for digest in hashes}
        conducts = {
            digest: RowConduct(conduct.behavior_instructions, conduct.failure_rules)
            for digest, conduct in loaded.items()
        }
        await asyncio.to_thread(self._audit.look_at_all, rows, Worlds(ledgers, conducts))


def _of_stored(row: StoredRow) -> AuditRow:
    return AuditRow(
        position=row.position,
        task_id=row.task_id,
        seed=row.seed,
        state=None if row.state is None else msgspec.json.decode(row.state),
        state_hash=row.state_hash,
        conduct_hash=row.conduct_hash,
    )


def _of_spooled(part: SpoolPart) -> list[AuditRow]:
    rows: list[AuditRow] = []
    for row in part.rows:
        state = part.documents.get(row.initial_state_hash)
        rows.append(
            AuditRow(
                position=row.position,
                task_id=None,
                seed=msgspec.json.decode(row.seed),
                state=None if row.conduct_hash is not None or state is None else msgspec.json.decode(state),
                state_hash=row.initial_state_hash,
                conduct_hash=row.conduct_hash,
            )
        )
    return rows
