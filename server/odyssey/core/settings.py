"""Every knob of the server; each is an `ODYSSEY_…` variable, and `odyssey settings` lists them."""

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from odyssey.core.addresses import parse_allow_list

_HOST_NAME = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?")

LOOPBACK_HOSTS = frozenset({"127.0.0.1", "::1", "localhost"})


def _allow_list(text: str) -> str:
    parse_allow_list(text)
    return text


def _host_names(text: str) -> str:
    for name in _listed(text):
        if not _HOST_NAME.fullmatch(name):
            raise ValueError(f"{name!r} is not a host name; write it without scheme, port and path")
    return text


def _listed(text: str) -> frozenset[str]:
    return frozenset(name.strip().lower() for name in text.split(",")) - {""}


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="ODYSSEY_", frozen=True)

    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(8200, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")
    public_url: str | None = Field(
        None,
        description="Address under which agents and browsers reach this server; default http://host:port.",
    )
    allowed_hosts: Annotated[str, AfterValidator(_host_names)] = Field(
        "",
        description="Comma list of further names by which clients may address this server; IP addresses, localhost "
        "and the names in ODYSSEY_HOST and ODYSSEY_PUBLIC_URL always may.",
    )
    data: Path = Field(Path(".odyssey"), description="Directory of the embedded database and the secret key.")
    database_url: str | None = Field(
        None, description="postgresql://user:password@host/name; default: SQLite in the data directory."
    )
    secret_key: SecretStr | None = Field(
        None,
        description="At least 32 characters; default: made once and kept in secret.key of the data directory.",
    )
    bootstrap_api_key: SecretStr | None = Field(
        None, description="API key of the first admin (pk_live_ + 40 hex), read only on an empty database."
    )
    outbound_allow: Annotated[str, AfterValidator(_allow_list)] = Field(
        "",
        description="Comma list of host[:port] or CIDR that may be reached by http and on private addresses.",
    )
    allow_loopback: bool | None = Field(
        None,
        description="Whether agents, tools and models on this machine (loopback) may be reached, by http too; default: "
        "while the server listens on loopback, its public address is loopback and it has one organisation.",
    )
    max_runs: int = Field(16, ge=1, le=10_000, description="Runs this process executes at once.")
    lease_seconds: float = Field(
        10, gt=0, description="How long a run stays with an owner that has fallen silent."
    )
    drain_seconds: float = Field(10, ge=0, description="How long a stopping server waits for its runs.")
    receipt_seconds: float = Field(15, gt=0, description="How long a client may take to send one request.")
    fault_after_seconds: float = Field(
        2,
        gt=0,
        description="How long a tool call may wait for the database before its attempt counts as disturbed.",
    )
    passthrough_seconds: float = Field(
        60, gt=0, description="How long a live service may take to answer a passthrough call."
    )
    rate_limit: int = Field(60, ge=1, description="Tool calls per run token in a sliding minute.")
    world_cache_mb: int = Field(
        256,
        ge=1,
        description="Text of worlds, in MB, that is kept ready for runs; in memory it takes about seven times that.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="Least level that is logged."
    )

    @property
    def is_loopback(self) -> bool:
        return self.host in LOOPBACK_HOSTS

    @property
    def allowed_host_names(self) -> frozenset[str]:
        return _listed(self.allowed_hosts) | {self.host.lower()}
