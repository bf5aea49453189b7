"""Table of answers a model gave, kept for the same question on the same world."""

from datetime import datetime

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from odyssey.core.tables import Base, UtcDateTime


class SimulatedAnswer(Base):
    __tablename__ = "simulated_answers"

    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"), primary_key=True, autoincrement=False)
    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    answer: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
