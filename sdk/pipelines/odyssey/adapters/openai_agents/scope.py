"""Where a run of the framework stands: whose turn it is, as a path, and whether the platform ended it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from agents import Agent
from agents.tool_context import ToolContext

from pipelines.odyssey.adapters.kept_words import KeptWords
from pipelines.odyssey.context import actor_path, current_actor
from pipelines.odyssey.errors import RunEndedError

_scope: "ContextVar[Scope | None]" = ContextVar("odyssey_openai_agents_scope", default=None)


class Ending:
    """Shared by a run and the runs nested in it: the framework may turn the error itself into words."""

    error: RunEndedError | None = None


class Scope:
    """One `Runner.run`: the outer one, or that of an agent used as a tool.

    It is one object for all tasks of the run, because the framework calls hooks in tasks of their own.
    """

    def __init__(
        self,
        parent: str | None,
        entry: str,
        *,
        labelled: bool,
        nested: bool = False,
        within: "Scope | None" = None,
    ) -> None:
        self.ending: Ending = Ending() if within is None else within.ending
        self.prompted: set[str | None] = set() if within is None else within.prompted
        """Whose system prompt is in the trace, by path: of all agents of the outermost run."""
        self.kept = KeptWords()
        self.prompts: dict[int, str] = {}
        """The system prompt of each agent as it was first used, by the agent's id()."""
        self.said_final = False
        """Whether the model's last answer was words alone."""
        self.calls: list[Any] = []
        """The function calls of the model's last answer."""
        self._parent = parent
        self._labelled = labelled
        self._nested = nested
        self._chain = [entry]

    @property
    def path(self) -> str | None:
        """The actor at work; a single agent has no name of its own, so that a plain trace stays plain."""
        if not self._labelled:
            return self._parent
        path = self._parent
        for name in self._chain:
            path = actor_path(path, name)
        return path

    @property
    def speaks_for_itself(self) -> bool:
        """Whether the entry agent of the outermost run is at work; anybody else is a sub-agent."""
        return not self._nested and len(self._chain) == 1

    def beginning(self) -> "Scope":
        """Return a scope as this one was at first, to follow its handoffs again."""
        return Scope(self._parent, self._chain[0], labelled=self._labelled, nested=self._nested)

    def hand_over(self, name: str) -> None:
        """Go down to another agent, or back up to one that is waiting above."""
        if name in self._chain:
            del self._chain[self._chain.index(name) + 1 :]
        else:
            self._chain.append(name)


@contextmanager
def entered(scope: Scope) -> Iterator[Scope]:
    before = _scope.set(scope)
    try:
        yield scope
    finally:
        _scope.reset(before)


def current_scope() -> Scope | None:
    return _scope.get()


def acting_path(context: object, *, labelled: bool) -> str | None:
    """Name the agent that makes a call; outside `run` by its own name alone."""
    scope = _scope.get()
    if scope is not None:
        return scope.path
    agent = context.agent if isinstance(context, ToolContext) else None
    if not labelled or not isinstance(agent, Agent):
        return current_actor()
    return actor_path(None, agent.name)
