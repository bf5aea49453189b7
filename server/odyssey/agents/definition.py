"""What an agent is: the part of a registration that is versioned. Everything wrong with it is said at once."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Literal

import msgspec

from odyssey.agents.config import AgentConfig, read_config, to_public
from odyssey.agents.ledger_adapters import check_adapters
from odyssey.agents.ledger_schema import read_ledger_schema
from odyssey.agents.programs import check_programs
from odyssey.agents.tools_schema import read_tools_schema
from odyssey.core.errors import NotAvailableYetError, ValidationFailedError
from odyssey.endpoints.binding import Bound
from odyssey.records.problems import FaultList, FieldError
from odyssey.records.tools import LedgerSchema, Tool

Mode = Literal["http", "code"]

ResolveBindings = Callable[[list[Tool]], Awaitable[tuple[list[FieldError], list[Bound]]]]
"""Find the endpoints that tools are bound to, and what is wrong with the bindings."""


class Definition(msgspec.Struct, frozen=True):
    name: str
    description: str
    mode: Mode
    config: AgentConfig
    tools: list[Tool]
    ledger_schema: LedgerSchema | None

    def content(self) -> dict[str, Any]:
        """Return the immutable content of a version: plain JSON, no secret."""
        return {
            "name": self.name,
            "description": self.description,
            "mode": self.mode,
            "config": to_public(self.config),
            "tools_schema": msgspec.to_builtins(self.tools),
            "ledger_schema": msgspec.to_builtins(self.ledger_schema),
        }


def read_tools(tools_schema: Any, ledger_schema: Any) -> tuple[list[Tool], LedgerSchema | None]:
    """Read the two schemas alone, checked as in a registration."""
    tools, tool_errors = read_tools_schema(tools_schema)
    ledger, ledger_errors = read_ledger_schema(ledger_schema)
    errors = FaultList.of(ledger_errors, tool_errors, check_adapters(tools, ledger))
    if errors:
        raise ValidationFailedError(errors)
    return tools, ledger


async def read_definition(
    *,
    name: str,
    description: str,
    mode: Mode,
    config: Any,
    tools_schema: Any,
    ledger_schema: Any,
    resolve: ResolveBindings,
) -> tuple[Definition, list[Bound]]:
    """Read a whole registration, and which endpoints its tools are bound to."""
    # Hundreds of schemas and long programs take their time, so others do not wait for any of it.
    tools, tool_errors = await asyncio.to_thread(read_tools_schema, tools_schema)
    binding_errors, bound = await resolve(tools)
    ledger, ledger_errors = await asyncio.to_thread(read_ledger_schema, ledger_schema)
    settings, config_errors, not_available = await asyncio.to_thread(read_config, config, mode)
    if not tool_errors:
        config_errors += await asyncio.to_thread(check_programs, config, tools)
    adapter_errors = await asyncio.to_thread(check_adapters, tools, ledger)
    errors = FaultList.of(config_errors, ledger_errors, tool_errors, binding_errors, adapter_errors)
    if errors:
        raise ValidationFailedError(errors)
    if not_available:
        raise NotAvailableYetError([f"config.{member}" for member in not_available])
    assert settings is not None
    definition = Definition(
        name=name, description=description, mode=mode, config=settings, tools=tools, ledger_schema=ledger
    )
    return definition, bound
