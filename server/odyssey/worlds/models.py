"""The table of ledger entries: the only thing a world is made of after its first moment."""

from typing import Any

from sqlalchemy import ForeignKey, Integer, String
from sqlalchemy.orm import Mapped, mapped_column

from odyssey.core.tables import Base, IntegerId, JsonText


class LedgerEntry(Base):
    """One applied operation. Types, ids and flags are JSON strings: agents choose them, NUL included."""

    __tablename__ = "ledger_entries"

    run_id: Mapped[int] = mapped_column(ForeignKey("run_contexts.run_id"), primary_key=True)
    sequence: Mapped[int] = mapped_column(IntegerId, primary_key=True, autoincrement=False)
    position: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    attempt: Mapped[int]
    op: Mapped[str] = mapped_column(String(16))
    entity_type: Mapped[str | None] = mapped_column(JsonText)
    entity_id: Mapped[str | None] = mapped_column(JsonText)
    flag: Mapped[str | None] = mapped_column(JsonText)
    before: Mapped[dict[str, Any] | None] = mapped_column(JsonText)
    after: Mapped[dict[str, Any] | None] = mapped_column(JsonText)
