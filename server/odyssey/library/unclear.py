"""Lines of behaviours that a version of an agent would not understand: of seeds, and of tasks that are stored."""

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.compiled import CompiledAgent
from odyssey.agents.repository import get_version
from odyssey.journal.contents import load_conduct, load_texts
from odyssey.library.behaviours import UnclearLine, known_of, unclear_lines
from odyssey.library.models import Task
from odyssey.library.named_worlds.repository import types_of_worlds
from odyssey.library.seeds import Seed
from odyssey.records.problems import FieldError
from odyssey.records.tools import LedgerSchema

_AT_ONCE = 200


class WorldBehaviour(NamedTuple):
    """A behaviour, and the types of the world it is said of."""

    text: str
    types: frozenset[str]


def said_of(seed: Seed) -> WorldBehaviour:
    if seed.world is not None:
        return WorldBehaviour(seed.world.behavior, seed.world.types)
    return WorldBehaviour(seed.behavior_instructions, seed.types)


def find_unclear(
    tools: Collection[str], ledger_schema: LedgerSchema | None, said: Sequence[WorldBehaviour]
) -> list[Sequence[UnclearLine]]:
    """Find the unclear lines of each; the same behaviour of the same types is read once. Call it in a thread."""
    found: dict[WorldBehaviour, Sequence[UnclearLine]] = {}
    for each in said:
        if each not in found:
            known = known_of(tools, ledger_schema, each.types)
            found[each] = unclear_lines(each.text, known)
    return [found[each] for each in said]


async def unclear_of_seeds(
    session: AsyncSession, agent: tuple[int, int], seeds: Sequence[Seed]
) -> list[Sequence[UnclearLine]]:
    said = [said_of(seed) for seed in seeds]
    if not any(each.text.strip() for each in said):
        return [()] * len(said)
    tools, schema = _tools_and_types((await get_version(session, *agent)).content)
    return await asyncio.to_thread(find_unclear, tools, schema, said)


async def unclear_of_tasks(
    session: AsyncSession, org_id: int, agent: tuple[int, int], tasks: Sequence[Task]
) -> list[Sequence[UnclearLine]]:
    """Find the unclear lines of each task for a version of an agent; most tasks have no behaviour and cost nothing."""
    texts = await _texts(session, org_id, tasks)
    behaving = [task for task, text in zip(tasks, texts, strict=True) if text.strip()]
    if not behaving:
        return [()] * len(tasks)
    tools, schema = _tools_and_types((await get_version(session, *agent)).content)
    types = await _types(session, org_id, behaving)
    said = [
        WorldBehaviour(text, types.get(task.initial_state_hash, frozenset()))
        for task, text in zip(tasks, texts, strict=True)
    ]
    return await asyncio.to_thread(find_unclear, tools, schema, said)


def own_behavior(task: Task) -> str:
    """The behaviour of the task itself; empty if it is the world's."""
    text: str = task.seed.get("behavior_instructions", "")
    return text


async def _texts(session: AsyncSession, org_id: int, tasks: Sequence[Task]) -> list[str]:
    hashes = {task.conduct_hash for task in tasks} - {None}
    conducts = {each: await load_conduct(session, org_id, each) for each in hashes if each is not None}
    return [
        own_behavior(task) if task.conduct_hash is None else conducts[task.conduct_hash].behavior_instructions
        for task in tasks
    ]


def _tools_and_types(content: Mapping[str, Any]) -> tuple[list[str], LedgerSchema | None]:
    schema = msgspec.convert(content["ledger_schema"], LedgerSchema | None)
    return [tool["name"] for tool in content["tools_schema"]], schema


async def _types(session: AsyncSession, org_id: int, tasks: Sequence[Task]) -> dict[str, frozenset[str]]:
    """Return the types of each state. A named world may be large, and tells its types without its state."""
    worlds = {task.initial_state_hash for task in tasks if task.conduct_hash is not None}
    found = await types_of_worlds(session, org_id, worlds) if worlds else {}
    others = iter({task.initial_state_hash for task in tasks} - found.keys())
    while part := list(islice(others, _AT_ONCE)):
        texts = await load_texts(session, org_id, part)
        found |= await asyncio.to_thread(_read_types, texts)
    return found


def _read_types(texts: Mapping[str, str]) -> dict[str, frozenset[str]]:
    return {
        digest: frozenset(msgspec.json.decode(text, type=dict[str, msgspec.Raw]))
        for digest, text in texts.items()
    }


# Lines of rows' behaviours that are not understood, said of their rows.

_MOST_LOOKED_AT = 100
_MOST_TOLD = 20


def unclear_notes(seed: Seed, agent: CompiledAgent | None = None) -> Iterator[FieldError]:
    """Name them; each is located within the row."""
    text, types = said_of(seed)
    known = (
        known_of(None, None, types) if agent is None else known_of(agent.tools, agent.ledger_schema, types)
    )
    for line in unclear_lines(text, known):
        whose = "the behaviour" if seed.world is None else f"the behaviour of world {seed.world.id}"
        member = "behavior_instructions" if seed.world is None else "world_id"
        message = f"line {line.line} of {whose} is not understood: {line.told()}"
        yield FieldError(loc=(member,), msg=message)


class FirstUnclear:
    """Looks at the first behaviours of an upload that differ; to look at all is what lint is for."""

    def __init__(self) -> None:
        self._looked_at: set[WorldBehaviour] = set()
        self.warnings: list[FieldError] = []

    def look(self, position: int, seed: Seed) -> None:
        said = said_of(seed)
        if not said.text.strip() or said in self._looked_at or len(self._looked_at) >= _MOST_LOOKED_AT:
            return
        self._looked_at.add(said)
        for note in unclear_notes(seed):
            if len(self.warnings) < _MOST_TOLD:
                place = ("rows", position, *note.loc)
                self.warnings.append(FieldError(loc=place, msg=f"row {position}: {note.msg}"))
