"""Wire types of credentials. A value goes in and never comes out."""

from typing import Annotated

from pydantic import BaseModel, Field

from odyssey.core.wire import Body, Instant, PlainText

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
