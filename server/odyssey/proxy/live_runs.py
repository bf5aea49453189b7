"""The worlds of the runs being served, kept in memory while nobody else has moved them on."""

from collections import OrderedDict
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.journal.models import RunContext
from odyssey.simulation.rules import Rule, read_rules
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import fold
from odyssey.worlds.repository import boot_ledger, load_entries

_KEPT = 1024


class LiveRun(NamedTuple):
    head: int
    """The sequence up to which the ledger is right."""
    ledger: Ledger
    rules: tuple[Rule, ...]


class LiveRuns:
    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[int, int], LiveRun] = OrderedDict()

    async def at(self, session: AsyncSession, context: RunContext, attempt: int, head: int) -> LiveRun:
        """Return the run as it is at `head`, reading only the entries this process has not seen."""
        found = self._kept.get((context.run_id, attempt))
        if found is None:
            rules, _, _ = read_rules(context.failure_rules)
            found = LiveRun(0, await boot_ledger(session, context), rules)
        if found.head < head:
            missed = await load_entries(session, context.run_id, attempt, after=found.head)
            found = found._replace(head=head, ledger=fold(found.ledger, (placed.entry for placed in missed)))
        return found

    def keep(self, run_id: int, attempt: int, run: LiveRun) -> None:
        """Call it once the change is committed."""
        self._kept[run_id, attempt] = run
        self._kept.move_to_end((run_id, attempt))
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
