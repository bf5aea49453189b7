"""Answers that contradict nothing, kept by org for the same question: model, call, behaviour and world alike."""

from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import ForeignKey, String, Text, delete, select
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.orm import Mapped, mapped_column

from odyssey.core.database import Database
from odyssey.core.tables import Base, UtcDateTime
from odyssey.kit.clock import Clock
from odyssey.models.chat import ChatModel
from odyssey.records.canonical import content_hash
from odyssey.records.ledger import Operation
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.llm.prompt import VERSION
from odyssey.worlds.ledger import Ledger

# Table of answers a model gave, kept for the same question on the same world.


class SimulatedAnswer(Base):
    __tablename__ = "simulated_answers"

    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"), primary_key=True, autoincrement=False)
    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    answer: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class KeptAnswer(msgspec.Struct, frozen=True):
    response: Any
    operations: tuple[Operation, ...]
    confidence: float


class AnswerCache:
    """Opens its own short transactions: hold none while it is asked."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def find(self, org_id: int, key: str) -> KeptAnswer | None:
        wanted = select(SimulatedAnswer.answer).where(
            SimulatedAnswer.org_id == org_id, SimulatedAnswer.key == key
        )
        async with self._database.read() as session:
            text = await session.scalar(wanted)
        return None if text is None else msgspec.json.decode(text, type=KeptAnswer)

    async def keep(self, org_id: int, key: str, answer: KeptAnswer) -> None:
        """Keep an answer; of two that come at once the first stays, so that both are answered alike from then on."""
        insert = sqlite_insert if self._database.is_sqlite else postgres_insert
        row = {
            "org_id": org_id,
            "key": key,
            "answer": msgspec.json.encode(answer).decode(),
            "created_at": self._clock(),
        }
        async with self._database.write() as session:
            await session.execute(insert(SimulatedAnswer).values(row).on_conflict_do_nothing())

    async def drop(self, org_id: int, key: str) -> None:
        unwanted = delete(SimulatedAnswer).where(SimulatedAnswer.org_id == org_id, SimulatedAnswer.key == key)
        async with self._database.write() as session:
            await session.execute(unwanted)


def question_key(model: ChatModel, call: ToolCall, world: Ledger, behaviour: str) -> str:
    """Hash all that an answer is allowed to depend on; the run, its seed and the place in it are no part of it."""
    return content_hash(
        {
            "version": VERSION,
            "model": [model.provider, model.model],
            "tool": msgspec.to_builtins(call.tool),
            "arguments": call.arguments,
            "actor": call.actor,
            "world": world.hash(),
            "behaviour": behaviour,
            "ledger_schema": msgspec.to_builtins(call.ledger_schema),
        }
    )
