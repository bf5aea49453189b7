"""Creating, changing and deleting scenarios: every changed content is a version of its own."""

from collections.abc import Collection
from typing import Any, NamedTuple

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.repository import get_agent
from odyssey.core.errors import NotFoundError, ValidationFailedError
from odyssey.evals.match import expected_faults
from odyssey.evals.models import Scenario, ScenarioVersion
from odyssey.evals.scenarios.content import ScenarioContent, checks_depend_on_version
from odyssey.evals.scenarios.repository import get_content, get_scenario
from odyssey.evals.scenarios.schemas import ScenarioChange, ScenarioIn
from odyssey.identity.caller import Caller, record_change
from odyssey.kit.clock import Clock
from odyssey.kit.ids import new_uuid
from odyssey.library.named_worlds.repository import find_worlds
from odyssey.records.problems import FaultList, FieldError

_MAY_BE_TAKEN_AWAY = ("user_instruction", "world_id", "agent_id")


class ScenarioOutcome(NamedTuple):
    scenario: Scenario
    content: ScenarioContent
    outcome: str
    """created, changed or unchanged."""


class ScenarioKeeper:
    """The acts on scenarios, with what they all need."""

    def __init__(self, session: AsyncSession, clock: Clock, caller: Caller) -> None:
        self._session = session
        self._clock = clock
        self.caller = caller

    async def create(self, body: ScenarioIn) -> ScenarioOutcome:
        content = content_of(body)
        await self._check(content)
        return await self.add(content)

    async def change(self, scenario_id: str, body: ScenarioChange) -> ScenarioOutcome:
        scenario = await get_scenario(self._session, self.caller.org_id, scenario_id, lock=True)
        before = await get_content(self._session, scenario)
        content = _of_known_meaning(msgspec.structs.replace(before, **_given(body)))
        await self._check(content)
        return await self.put(scenario, content)

    async def delete(self, scenario_id: str) -> None:
        """Take it out of every list; its versions stay, because runs go by them."""
        scenario = await get_scenario(self._session, self.caller.org_id, scenario_id, lock=True)
        before = await get_content(self._session, scenario)
        scenario.deleted_at = self._clock()
        self._audit(scenario, "scenario.delete", before=before.stored())

    async def add(self, content: ScenarioContent) -> ScenarioOutcome:
        """Make a scenario of content that was checked."""
        now = self._clock()
        scenario = Scenario(
            id=f"scn_{new_uuid()}", org_id=self.caller.org_id, version=1, created_at=now, updated_at=now
        )
        await self._write(scenario, content)
        self._audit(scenario, "scenario.create", after=content.stored())
        return ScenarioOutcome(scenario, content, "created")

    async def put(self, scenario: Scenario, content: ScenarioContent) -> ScenarioOutcome:
        """Give a locked scenario content that was checked; the same content makes no version."""
        before = await get_content(self._session, scenario)
        if content == before:
            return ScenarioOutcome(scenario, content, "unchanged")
        scenario.version += 1
        scenario.updated_at = self._clock()
        await self._write(scenario, content)
        self._audit(scenario, "scenario.change", before=before.stored(), after=content.stored())
        return ScenarioOutcome(scenario, content, "changed")

    async def _write(self, scenario: Scenario, content: ScenarioContent) -> None:
        scenario.name, scenario.description = content.name, content.description
        scenario.risk_level, scenario.tags = content.risk_level, content.tags
        self._session.add(scenario)
        await self._session.flush()
        self._session.add(
            ScenarioVersion(
                scenario_number=scenario.number,
                version=scenario.version,
                content=content.stored(),
                created_at=self._clock(),
            )
        )
        await self._session.flush()

    async def _check(self, content: ScenarioContent) -> None:
        known = await ScenarioReferences.look_up(self._session, self.caller.org_id, [content])
        faults = known.faults(content)
        if faults:
            raise ValidationFailedError(faults)

    def _audit(self, scenario: Scenario, action: str, *, before: Any = None, after: Any = None) -> None:
        record_change(
            self._session,
            self.caller,
            self._clock,
            action,
            object_type="scenario",
            object_id=scenario.id,
            before=before,
            after=after,
        )


class ScenarioReferences(NamedTuple):
    """What scenarios may refer to."""

    agents: frozenset[int]
    worlds: frozenset[int]

    @staticmethod
    async def look_up(
        session: AsyncSession, org_id: int, contents: Collection[ScenarioContent]
    ) -> "ScenarioReferences":
        """Find the agents and worlds that are named and exist."""
        agents = {content.agent_id for content in contents if content.agent_id is not None}
        worlds = {content.world_id for content in contents if content.world_id is not None}
        known_agents = {each for each in agents if await _is_agent(session, org_id, each)}
        known_worlds = await find_worlds(session, org_id, worlds) if worlds else {}
        return ScenarioReferences(frozenset(known_agents), frozenset(known_worlds))

    def faults(self, content: ScenarioContent) -> FaultList:
        found = expected_faults(content.expected_behavior, content.checks_version)
        if content.agent_id is not None and content.agent_id not in self.agents:
            found.append(FieldError(("agent_id",), f"there is no agent {content.agent_id}"))
        if content.world_id is not None and content.world_id not in self.worlds:
            found.append(FieldError(("world_id",), f"there is no world {content.world_id}"))
        if not content.input_context and content.user_instruction is None:
            message = "give input_context at least one member, or a user_instruction: there is nothing to ask"
            found.append(FieldError(("input_context",), message))
        return found


def content_of(body: ScenarioIn) -> ScenarioContent:
    return _of_known_meaning(ScenarioContent(**body.model_dump()))


def _of_known_meaning(content: ScenarioContent) -> ScenarioContent:
    """Keep the version of its checks only where it makes a difference: equal content stays equal."""
    if checks_depend_on_version(content):
        return content
    return msgspec.structs.replace(content, checks_version=1)


def _given(body: ScenarioChange) -> dict[str, Any]:
    members = {name: getattr(body, name) for name in body.model_fields_set}
    return {name: value for name, value in members.items() if value is not None or name in _MAY_BE_TAKEN_AWAY}


async def _is_agent(session: AsyncSession, org_id: int, agent_id: int) -> bool:
    try:
        await get_agent(session, org_id, agent_id)
    except NotFoundError:
        return False
    return True
