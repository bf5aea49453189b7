"""Tables of orgs, people, keys, tokens, secrets and the audit log."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, LargeBinary, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from odyssey.core.tables import Base, IntegerId, UtcDateTime


class Org(Base):
    __tablename__ = "orgs"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(IntegerId, primary_key=True)
    name: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class DataKey(Base):
    """One org's key for its secrets, wrapped by a key that is not in the database."""

    __tablename__ = "data_keys"

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"), index=True)
    master_key_id: Mapped[str] = mapped_column(String(16))
    wrapped: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class Person(Base):
    __tablename__ = "people"
    __table_args__ = (UniqueConstraint("org_id", "email"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(IntegerId, primary_key=True)
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    email: Mapped[str] = mapped_column(Text, index=True)
    role: Mapped[str] = mapped_column(String(16))
    password_hash: Mapped[str | None] = mapped_column(Text)
    password_version: Mapped[int] = mapped_column(default=0, server_default="0")
    """Counts changes of the password; a token issued under an earlier one is dead."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class ApiKey(Base):
    __tablename__ = "api_keys"

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"), index=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(Text)
    last_four: Mapped[str] = mapped_column(String(4))
    key_hash: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class RunToken(Base):
    """The right to call one run's tools during one attempt; the token itself is not stored."""

    __tablename__ = "run_tokens"

    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    jti: Mapped[str] = mapped_column(String(32), unique=True)
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    run_id: Mapped[int] = mapped_column(IntegerId, index=True)
    attempt: Mapped[int]
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class BrowserSession(Base):
    """A person's browser, signed in; the token in its cookie is not stored."""

    __tablename__ = "sessions"

    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime)


class SigninLink(Base):
    """The right to begin one session as one person; the row goes when the link is used."""

    __tablename__ = "signin_links"

    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"), index=True)
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime)


class AuditEntry(Base):
    __tablename__ = "audit_log"
    __table_args__ = (Index(None, "org_id", "id"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(IntegerId, primary_key=True)
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    person_id: Mapped[int | None] = mapped_column(IntegerId)
    key_id: Mapped[str | None] = mapped_column(String(36))
    action: Mapped[str] = mapped_column(String(64))
    object_type: Mapped[str] = mapped_column(String(32))
    object_id: Mapped[str] = mapped_column(String(64))
    before_hash: Mapped[str | None] = mapped_column(String(64))
    after_hash: Mapped[str | None] = mapped_column(String(64))
    request_id: Mapped[str] = mapped_column(String(64))
    occurred_at: Mapped[datetime] = mapped_column(UtcDateTime)


class SigninFailure(Base):
    """A try to sign in that failed, or is not over yet: the row goes when it succeeds."""

    __tablename__ = "signin_failures"
    __table_args__ = (
        Index(None, "address", "occurred_at"),
        Index(None, "email_hash", "occurred_at"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(IntegerId, primary_key=True)
    address: Mapped[str] = mapped_column(String(64))
    email_hash: Mapped[str | None] = mapped_column(String(64))
    """A hash, because people type passwords into the wrong field. None: a link, which names nobody."""
    occurred_at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)


class IdempotentResponse(Base):
    """What an `Idempotency-Key` was answered; the body itself is sealed."""

    __tablename__ = "idempotent_responses"

    scope: Mapped[str] = mapped_column(String(64), primary_key=True)
    """Hash of org, caller, method, path and key."""
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    body_hmac: Mapped[str] = mapped_column(String(64))
    sealed: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)


# Table of credentials.


class Credential(Base):
    """A secret under a name; it is sent to its origin and to no other."""

    __tablename__ = "credentials"
    __table_args__ = (Index(None, "org_id", "name", unique=True), {"sqlite_autoincrement": True})

    number: Mapped[int] = mapped_column(IntegerId, primary_key=True)
    """For pages; people see `name`."""
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    name: Mapped[str] = mapped_column(String(128))
    sealed: Mapped[str] = mapped_column(Text)
    shown: Mapped[str] = mapped_column(String(16))
    origin: Mapped[str | None] = mapped_column(Text)
    """Scheme, host and port; null is sent to none."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)
