"""What a config says of single tools, held against the tools: their engines and their programs."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from odyssey.records.faults import Faults, shown
from odyssey.records.problems import FieldError
from odyssey.records.tools import Tool
from odyssey.simulation.programs import read_program

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
