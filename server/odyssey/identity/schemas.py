"""Wire types of identity."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field

from odyssey.core.wire import Body, Instant, PlainText

RoleName = Literal["viewer", "member", "admin"]
Email = Annotated[
    str, Field(min_length=3, max_length=254, pattern=r"^[^@\s\x00]+@[^@\s\x00]+$"), AfterValidator(str.lower)
]
Password = Annotated[str, Field(min_length=12, max_length=1024)]


class SignIn(Body):
    email: Email
    password: Annotated[str, Field(max_length=1024)]


class SignedIn(BaseModel):
    access_token: str
    token_type: Literal["bearer"] = "bearer"  # noqa: S105 - the scheme, not a secret
    expires_in: int = Field(description="Seconds.")


class SessionIn(Body):
    """Either `link`, or `email` and `password`."""

    link: Annotated[str, Field(max_length=1024)] | None = None
    email: Email | None = None
    password: Annotated[str, Field(max_length=1024)] | None = None


class SessionPerson(BaseModel):
    id: int
    email: str
    role: RoleName


class SessionOrg(BaseModel):
    id: int
    name: str


class SessionOut(BaseModel):
    person: SessionPerson
    org: SessionOrg
    csrf_token: str | None = Field(description="What X-CSRF-Token must say when the cookie changes anything.")
    expires_at: Instant | None


class PasswordChange(Body):
    password: Password
    current_password: Annotated[str, Field(max_length=1024)] | None = Field(
        None, description="Required once you have a password."
    )


class OrgOut(BaseModel):
    id: int
    name: str
    created_at: Instant


class OrgIn(Body):
    name: Annotated[PlainText, Field(min_length=1, max_length=255)]


class PersonIn(Body):
    email: Email
    role: RoleName
    password: Password | None = None


class PersonChange(Body):
    role: RoleName | None = None
    password: Password | None = None


class PersonOut(BaseModel):
    id: int
    email: str
    role: RoleName
    has_password: bool
    created_at: Instant


class PeoplePage(BaseModel):
    items: list[PersonOut]
    next_cursor: str | None


class KeyIn(Body):
    name: Annotated[PlainText, Field(min_length=1, max_length=255)]


class KeyOut(BaseModel):
    id: str
    name: str
    person_id: int
    key: str = Field(description="Only the last four characters: `****abcd`.")
    created_at: Instant


class NewKeyOut(KeyOut):
    key: str = Field(description="The whole key; it is shown this once.")


class KeysPage(BaseModel):
    items: list[KeyOut]
    next_cursor: str | None


class AuditEntryOut(BaseModel):
    id: int
    occurred_at: Instant
    person_id: int | None
    key_id: str | None
    action: str
    object_type: str
    object_id: str
    before_hash: str | None
    after_hash: str | None
    request_id: str


class AuditPage(BaseModel):
    items: list[AuditEntryOut]
    next_cursor: str | None


# Wire types of credentials. A value goes in and never comes out.

NAME = r"^[A-Za-z_][A-Za-z0-9_]{0,127}$"
MAX_VALUE = 65_536

CredentialName = Annotated[PlainText, Field(pattern=NAME, max_length=128)]
Value = Annotated[PlainText, Field(min_length=1, max_length=MAX_VALUE, description="Never shown again.")]
Origin = Annotated[
    PlainText,
    Field(
        max_length=4096,
        description="The scheme, host and port it may be sent to, such as https://api.example.com.",
    ),
]


class CredentialIn(Body):
    name: CredentialName
    value: Value
    origin: Origin | None = None
    org_id: int | None = Field(None, description="May be given; must then be the caller's own.")


class CredentialChange(Body):
    """An omitted origin stays; another origin needs the value again."""

    value: Value | None = None
    origin: Origin | None = None


class CredentialUse(BaseModel):
    endpoint_id: str
    endpoint_name: str


class CredentialOut(BaseModel):
    name: str
    shown: str = Field(description="The last characters of a long value, such as `****abcd`.")
    origin: str | None = Field(description="null: it is sent nowhere")
    used_by: list[CredentialUse]
    created_at: Instant
    updated_at: Instant


class CredentialsPage(BaseModel):
    items: list[CredentialOut]
    next_cursor: str | None
