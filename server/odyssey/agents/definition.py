"""What an agent is: the part of a registration that is versioned. Everything wrong with it is said at once."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from odyssey.agents.config import AgentConfig, read_config, to_public
from odyssey.agents.ledger_adapters import check_adapters
from odyssey.agents.ledger_schema import read_ledger_schema
from odyssey.agents.tools_schema import read_tools_schema
from odyssey.core.errors import NotAvailableYetError, ValidationFailedError
from odyssey.endpoints.binding import ToolBinding
from odyssey.records.faults import Faults, shown
from odyssey.records.problems import FaultList, FieldError
from odyssey.records.tools import LedgerSchema, Tool
from odyssey.simulation.programs import read_program

# What a config says of single tools, held against the tools: their engines and their programs.

MAX_BYTES = 256 * 1024
"""Of all programs of an agent together, as JSON: they are read whenever the agent is saved."""


def check_programs(config: Any, tools: Sequence[Tool]) -> list[FieldError]:
    """Every fault of the programs, and every tool that is named and cannot be meant.

    What is wrong with the config by itself is found by `read_config`, and passed over here.
    """
    faults = Faults("config")
    if not isinstance(config, dict):
        return []
    by_name = {tool.name: tool for tool in tools}
    engines, programs = (_object(config.get(member)) for member in ("engines", "programs"))
    size = len(msgspec.json.encode(programs))
    if size > MAX_BYTES:
        faults.at("programs").add(f"programs have at most {MAX_BYTES} bytes as JSON; these have {size}")
        return faults.found
    for name, program in programs.items():
        tool = _find(name, by_name, faults.at("programs", name))
        if tool is not None and isinstance(program, dict):
            _check_program(program, tool, faults.at("programs", name).of_tool(name))
    for name in engines:
        _find(name, by_name, faults.at("engines", name))
    _check_choice(config.get("engine"), engines, programs, by_name, faults)
    return faults.found


def _check_program(program: dict[str, Any], tool: Tool, faults: Faults) -> None:
    if tool.default_execution_mode == "passthrough":
        faults.add(
            "a live service answers this tool, so it takes no program; make it a sandbox tool, or drop it"
        )
    else:
        read_program(program, faults, tool=tool)


def _check_choice(
    engine: Any,
    engines: Mapping[str, Any],
    programs: Mapping[str, Any],
    tools: Mapping[str, Tool],
    faults: Faults,
) -> None:
    """Whoever asks for programs has one for each tool that is simulated by them."""
    for name, tool in tools.items():
        if engines.get(name, engine) != "program" or name in programs:
            continue
        if name in engines:
            faults.at("engines", name).of_tool(name).add(
                f"{name} has no program; write it into config.programs"
            )
        elif tool.default_execution_mode == "sandbox":
            faults.at("engine").of_tool(name).add(
                f"{name} has no program; write it into config.programs, or choose its engine in config.engines"
            )


def _find(name: str, tools: Mapping[str, Tool], faults: Faults) -> Tool | None:
    if name not in tools:
        faults.add(f"no tool is called {shown(name)}{faults.hint(name, tools)}")
    return tools.get(name)


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


Mode = Literal["http", "code"]

ResolveBindings = Callable[[list[Tool]], Awaitable[tuple[list[FieldError], list[ToolBinding]]]]
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
) -> tuple[Definition, list[ToolBinding]]:
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
