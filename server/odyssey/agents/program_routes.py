"""Reading a program over HTTP before it is saved with its agent: for an editor, which shows faults where they are."""

import asyncio
from typing import Annotated, Any

from fastapi import Request
from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema

from odyssey.agents.compiled import CompiledAgents
from odyssey.agents.repository import get_agent
from odyssey.agents.tools_schema import read_tools_schema
from odyssey.core.depends import ReadSession, existing_id
from odyssey.core.errors import ValidationFailedError
from odyssey.core.wire import Body
from odyssey.identity.guard import GuardedRouter, Member
from odyssey.records.faults import Faults, did_you_mean, shown
from odyssey.records.problems import FieldError
from odyssey.records.tools import Tool
from odyssey.simulation.programs import read_program

router = GuardedRouter(prefix="/api/programs", tags=["agents"])

ToolIn = Annotated[
    Any,
    WithJsonSchema(
        {
            "anyOf": [{"type": "object"}, {"type": "string"}],
            "description": "The tool as in a tools_schema; or its name, with the agent_id of whom has it.",
        }
    ),
]


class ProgramBody(Body):
    program: dict[str, Any] = Field(
        description="What a tool does: let, require, operations, after, response."
    )
    tool: ToolIn
    agent_id: Annotated[int, Field(ge=1), AfterValidator(existing_id)] | None = None


class ProgramFault(BaseModel):
    loc: list[str | int] = Field(description="Where in the program, from the outside in.")
    msg: str


class ReadProgramOut(BaseModel):
    valid: bool
    errors: list[ProgramFault]
    program: dict[str, Any] | None = Field(description="As it would be stored; null when it is not valid.")


@router.post("/read")
async def read_one_program(
    body: ProgramBody, caller: Member, session: ReadSession, request: Request
) -> ReadProgramOut:
    """Say everything that is wrong with the program of a tool, and save nothing."""
    if body.agent_id is None:
        tool = _given_tool(body.tool)
    else:
        agents: CompiledAgents = request.app.state.agents
        agent = await get_agent(session, caller.org_id, body.agent_id)
        compiled = await agents.get(session, agent.id, agent.version)
        tool = _tool_of(body.tool, {name: each.tool for name, each in compiled.tools.items()})
    faults = Faults()
    program = await asyncio.to_thread(read_program, body.program, faults, tool=tool)
    return ReadProgramOut(
        valid=program is not None,
        errors=[ProgramFault(loc=list(fault.loc), msg=fault.msg) for fault in faults.found],
        program=None if program is None else program.raw,
    )


def _given_tool(raw: Any) -> Tool:
    if isinstance(raw, str):
        raise _wrong(
            "a name alone says too little: give the agent_id of whom has the tool, or the tool itself"
        )
    (tool,), errors = read_tools_schema([raw])
    if errors:
        raise ValidationFailedError([FieldError(("tool", *error.loc[2:]), error.msg) for error in errors])
    return tool


def _tool_of(raw: Any, tools: dict[str, Tool]) -> Tool:
    if not isinstance(raw, str):
        raise _wrong(f"with an agent_id, tool is the name of one of its tools, not {shown(raw)}")
    if raw not in tools:
        raise _wrong(f"the agent has no tool {shown(raw)}{did_you_mean(raw, tools)}")
    return tools[raw]


def _wrong(message: str) -> ValidationFailedError:
    return ValidationFailedError([FieldError(("tool",), message)])
