"""The scheduler against every interleaving hypothesis can think of: crashes, pauses, late results, cancels."""

from datetime import UTC, datetime, timedelta

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from odyssey.core.scheduling import (
    MAX_ATTEMPTS,
    TERMINAL,
    Cancel,
    Claim,
    Command,
    Finish,
    Release,
    Renew,
    Work,
    step,
)

LEASE = timedelta(seconds=10)
OWNERS = st.sampled_from(["a", "b", "c"])
START = datetime(2026, 1, 1, tzinfo=UTC)


class Scheduling(RuleBasedStateMachine):
    """One piece of work, three processes that may die, sleep or come back late."""

    @initialize()
    def begin(self) -> None:
        self.work = Work()
        self.now = START
        self.held: dict[str, int] = {}
        self.started: list[int] = []
        self.live_token: int | None = None
        self.results: list[tuple[str, int]] = []
        self.cancelled = False

    def take(self, event: Claim | Renew | Finish | Release | Cancel) -> tuple[Command, ...]:
        self.work, commands = step(self.work, event, LEASE)
        if Command.REVOKE_TOKENS in commands:
            self.live_token = None
        if Command.START in commands:
            self.started.append(self.work.attempt)
            self.live_token = self.work.attempt
        return commands

    @rule(owner=OWNERS)
    def claim(self, owner: str) -> None:
        before = self.work
        commands = self.take(Claim(owner, self.now))
        if Command.START in commands:
            lost = before.lease_until is not None and before.lease_until <= self.now
            assert before.status == "pending" or lost
            self.held[owner] = self.work.attempt

    @precondition(lambda self: bool(self.held))
    @rule(data=st.data())
    def renew(self, data: st.DataObject) -> None:
        owner = data.draw(st.sampled_from(sorted(self.held)))
        commands = self.take(Renew(owner, self.held[owner], self.now))
        if Command.ABORT in commands:
            del self.held[owner]

    @precondition(lambda self: bool(self.held))
    @rule(data=st.data(), status=st.sampled_from(["completed", "failed"]))
    def finish(self, data: st.DataObject, status: str) -> None:
        owner = data.draw(st.sampled_from(sorted(self.held)))
        attempt = self.held.pop(owner)
        commands = self.take(Finish(owner, attempt, "completed" if status == "completed" else "failed"))
        if Command.RECORD in commands:
            self.results.append((owner, attempt))
            assert attempt == self.work.attempt

    @precondition(lambda self: bool(self.held))
    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        owner = data.draw(st.sampled_from(sorted(self.held)))
        self.take(Release(owner, self.held.pop(owner)))

    @precondition(lambda self: bool(self.held))
    @rule(data=st.data())
    def kill(self, data: st.DataObject) -> None:
        del self.held[data.draw(st.sampled_from(sorted(self.held)))]

    @rule()
    def cancel(self) -> None:
        ended = self.work.status in TERMINAL
        self.take(Cancel())
        self.cancelled = self.cancelled or not ended

    @rule(seconds=st.integers(0, 30))
    def time_passes(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    @invariant()
    def one_result_at_most(self) -> None:
        assert len(self.results) <= 1
        if self.cancelled:
            assert self.work.status == "cancelled"
            assert not self.results

    @invariant()
    def attempts_are_numbered_and_bounded(self) -> None:
        assert self.started == list(range(1, len(self.started) + 1))
        assert len(self.started) <= MAX_ATTEMPTS

    @invariant()
    def only_the_running_attempt_has_a_token(self) -> None:
        expected = self.work.attempt if self.work.status == "running" else None
        assert self.live_token == expected

    @invariant()
    def an_owner_and_a_lease_belong_to_running_work(self) -> None:
        running = self.work.status == "running"
        assert (self.work.owner is not None) == running
        assert (self.work.lease_until is not None) == running

    def teardown(self) -> None:
        """Whatever happened, one process that stays alive brings the work to its end."""
        for _ in range(2 * MAX_ATTEMPTS):
            self.now += 2 * LEASE
            commands = self.take(Claim("last", self.now))
            if Command.START in commands:
                self.take(Finish("last", self.work.attempt, "completed"))
        assert self.work.status in TERMINAL


Scheduling.TestCase.settings = settings(stateful_step_count=40)
TestScheduling = Scheduling.TestCase
