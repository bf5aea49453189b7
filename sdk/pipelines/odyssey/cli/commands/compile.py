"""`odyssey compile`: programs for an agent's tools, accepted only after recorded calls replay."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from uuid import uuid4

from cyclopts import Parameter

from pipelines.odyssey.cli.commands.options import AsJson, Switch
from pipelines.odyssey.cli.compiling import (
    Compiler,
    Trial,
    read_recordings,
    recorded_tools,
    without_recordings,
)
from pipelines.odyssey.cli.connection import Connection, Server, connected, if_missing
from pipelines.odyssey.cli.failures import NOT_RIGHT, CommandFailedError
from pipelines.odyssey.cli.files import write_whole
from pipelines.odyssey.cli.following import busy
from pipelines.odyssey.cli.printing.figures import money
from pipelines.odyssey.cli.printing.screen import Screen, clean, many, word
from pipelines.odyssey.cli.registration import publish_agent, resolve_agent
from pipelines.odyssey.cli.strict_json import NotJsonError, read_strictly
from pipelines.odyssey.cli.yaml_text import document_text, read_document
from pipelines.odyssey.client import types as t

_HEADINGS = ("tool", "accepted", "calls", "responses", "changes", "same words", "attempts", "shown")
_WRONG = 160


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Source:
    """What programs are tried on."""

    calls: Annotated[
        Path | None,
        Parameter(
            help='JSON Lines, one task a line: {"task", "calls": [{"tool", "args", "response", "error", "changes"}]}.'
        ),
    ] = None
    state: Annotated[
        Path | None,
        Parameter(
            help="JSON file with the world every task starts from: {entity type: {id: {field: value}}}."
        ),
    ] = None
    world: Annotated[int | None, Parameter(help="Instead of --state: number of a named world.")] = None


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Choice:
    """Which tools get a program, and from where."""

    tool: Annotated[
        list[str] | None,
        Parameter(
            name="--tool",
            negative="",
            help="Only this tool; may be given several times. Else every simulated tool that was recorded, or that "
            "--from has.",
        ),
    ] = None
    written: Annotated[
        Path | None,
        Parameter(
            name="--from",
            help="YAML or JSON file {tool: program}: these are tried, and no model is asked.",
        ),
    ] = None


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Then:
    """What to do with programs that were accepted."""

    write: Annotated[Path | None, Parameter(help="Write them to a file, YAML or JSON by its ending.")] = None
    save: Annotated[
        bool, Switch, Parameter(help="Put them into the agent as a draft; its other programs stay.")
    ] = False
    publish: Annotated[bool, Switch, Parameter(help="Save them and publish that version.")] = False


class Wanted(NamedTuple):
    """The tools, each with the program that somebody wrote for it; None: a model is asked."""

    programs: dict[str, Mapping[str, Any] | None]
    tasks: Sequence[t.RecordedTaskIn]


def compile_tools(
    agent: Annotated[str, Parameter(name="AGENT")],
    /,
    *,
    source: Source | None = None,
    choice: Choice | None = None,
    trial: Trial | None = None,
    then: Then | None = None,
    export: Annotated[Path | None, Parameter(allow_leading_hyphen=True)] = None,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Get programs for an agent's tools, from the org's simulator model or from a file, and try them on recorded calls.

    A program is accepted when every recorded call of its tool comes out the same, or the share that --accept-at says.
    Exit code 0: all were accepted, 1: some were not, 2: it could not be done.

    Parameters
    ----------
    agent
        Its number or name.
    source
        What programs are tried on.
    choice
        Which tools get a program, and from where.
    trial
        How programs are tried.
    then
        What to do with programs that were accepted.
    export
        Do nothing but write the programs that the agent has to a file, YAML or JSON by its ending; `-` prints YAML.
    json_output
        Print {agent_id, accepted, reports, version, published}.
    server
        Which platform to ask.
    """
    source, then = source or Source(), then or Then()
    screen = Screen()
    with connected(server) as platform:
        meant = resolve_agent(platform, agent, None)
        if export is not None:
            _export(meant, export, json_output=json_output)
            return
        wanted = _wanted(meant, source, choice or Choice())
        with _world(platform, source) as world_id:
            compiler = Compiler(platform, meant["id"], world_id, wanted.tasks, trial or Trial())
            reports, stopped = _try_all(compiler, wanted.programs)
        programs = {report["tool"]: report["program"] for report in reports if report["accepted"]}
        kept = _keep(platform, meant, programs, then) if programs else None
        if json_output:
            screen.json(_document(meant, reports, kept))
        else:
            _print_reports(screen, reports)
            _print_kept(screen, programs, kept, then)
        if stopped is not None:
            raise stopped
        if len(programs) < len(reports):
            sys.exit(NOT_RIGHT)


def _wanted(agent: t.AgentOut, source: Source, choice: Choice) -> Wanted:
    if source.calls is None:
        raise CommandFailedError("Which recorded calls? Give --calls FILE.")
    if (source.state is None) == (source.world is None):
        raise CommandFailedError("Where do the tasks start? Give either --state FILE or --world ID.")
    tools = {tool["name"]: tool for tool in agent["tools_schema"]}
    written = choice.written
    programs = {} if written is None else _read_programs(written)
    tasks = read_recordings(source.calls)
    recorded = recorded_tools(tasks)
    if choice.tool is not None:
        names = list(dict.fromkeys(choice.tool))
    elif written is not None:
        names = list(programs)
    else:
        names = [name for name in recorded if name in tools and _is_simulated(tools[name])]
    unknown = next((name for name in names if name not in tools), None)
    if unknown is not None:
        raise CommandFailedError(f"The agent {word(agent['name'])} has no tool {word(unknown)}.")
    lacking = next((name for name in names if name not in programs), None) if written else None
    if lacking is not None:
        raise CommandFailedError(f"{written} has no program for {word(lacking)}.")
    if not names:
        raise CommandFailedError(f"{source.calls} has no call of a simulated tool of this agent.")
    return Wanted({name: programs.get(name) for name in names}, tasks)


def _is_simulated(tool: Mapping[str, Any]) -> bool:
    return bool(tool.get("default_execution_mode", "sandbox") == "sandbox")


def _read_programs(path: Path) -> dict[str, Mapping[str, Any]]:
    programs = read_document(path)
    if not isinstance(programs, dict) or not programs:
        raise CommandFailedError(f"{path} is not an object with a program for each tool.")
    for name, program in programs.items():
        if not isinstance(program, dict):
            raise CommandFailedError(f"{path}: the program of {word(name)} is not an object.")
    return programs


@contextmanager
def _world(platform: Connection, source: Source) -> Iterator[int]:
    """The world to start from; one that was made of a file is gone afterwards."""
    if source.state is None:
        assert source.world is not None
        yield source.world
        return
    try:
        state = read_strictly(source.state.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise CommandFailedError(f"{source.state} cannot be read: {error.strerror}.") from None
    except (UnicodeDecodeError, NotJsonError) as error:
        raise CommandFailedError(clean(f"{source.state} is not JSON: {error}.")) from None
    name = f"odyssey compile, to be deleted, {uuid4().hex[:8]}"
    made = platform.worlds.create(name=name, initial_state=state)
    try:
        yield made["id"]
    finally:
        platform.worlds.delete(made["id"])


def _try_all(
    compiler: Compiler, programs: Mapping[str, Mapping[str, Any] | None]
) -> tuple[list[t.ProgramReportOut], CommandFailedError | None]:
    """Try tool by tool. What stops it later than at the first does not lose what there is already."""
    recorded = recorded_tools(compiler.tasks)
    reports: list[t.ProgramReportOut] = []
    for name, program in programs.items():
        try:
            with busy(f"{word(name)}, {len(reports) + 1} of {many(len(programs), 'tool')}"):
                report = _try_one(compiler, name, program) if recorded[name] else without_recordings(name)
        except CommandFailedError as error:
            if not reports:
                raise
            return reports, error
        reports.append(report)
        if not sys.stderr.isatty():
            said = "accepted" if report["accepted"] else f"not accepted: {_what_is_wrong(report)}"
            sys.stderr.write(clean(f"{len(reports)} of {len(programs)}  {name}  {said}") + "\n")
            sys.stderr.flush()
    return reports, None


def _try_one(compiler: Compiler, name: str, program: Mapping[str, Any] | None) -> t.ProgramReportOut:
    return compiler.propose(name) if program is None else compiler.replay(name, program)


def _keep(
    platform: Connection, agent: t.AgentOut, programs: Mapping[str, Any], then: Then
) -> t.AgentOut | None:
    """Write the programs to a file, or put them into the agent's newest version, beside those it has."""
    if then.write is not None:
        _write(programs, then.write)
    if not (then.save or then.publish):
        return None
    with if_missing(f"There is no agent {agent['id']} any more."):
        newest = platform.agents.get(agent["id"])
        kept = {**newest["config"].get("programs", {}), **programs}
        saved = platform.agents.update(agent["id"], draft=True, config={"programs": kept})
    return publish_agent(platform, saved) if then.publish else saved


def _export(agent: t.AgentOut, output: Path, *, json_output: bool) -> None:
    programs = agent["config"].get("programs", {})
    if not programs:
        raise CommandFailedError(f"The agent {word(agent['name'])} has no programs.")
    _write(programs, output)
    if json_output and output != Path("-"):
        Screen().json({"agent_id": agent["id"], "version": agent["version"], "exported": list(programs)})
    elif output != Path("-"):
        Screen().line(
            f"{clean(str(output))}: {many(len(programs), 'program')} of version {agent['version']}."
        )


def _write(programs: Mapping[str, Any], output: Path) -> None:
    write_whole([document_text(dict(programs), output).encode()], output)


def _document(
    agent: t.AgentOut, reports: Sequence[t.ProgramReportOut], kept: t.AgentOut | None
) -> dict[str, Any]:
    accepted = [report["tool"] for report in reports if report["accepted"]]
    return {
        "agent_id": agent["id"],
        "accepted": accepted,
        "reports": list(reports),
        "version": None if kept is None else kept["version"],
        "published": kept is not None and kept["published_version"] == kept["version"],
    }


def _print_kept(screen: Screen, programs: Mapping[str, Any], kept: t.AgentOut | None, then: Then) -> None:
    if then.write is not None and programs:
        screen.line(f"{clean(str(then.write))}: {many(len(programs), 'program')}.")
    if kept is None:
        return
    said = "is published" if then.publish else f"is a draft; `odyssey publish {kept['id']}` has runs use it"
    screen.line(f"Agent {kept['id']}: version {kept['version']} {said}.")


def _print_reports(screen: Screen, reports: Sequence[t.ProgramReportOut]) -> None:
    """Print the table, then what is wrong with the programs that were not accepted."""
    screen.table([_HEADINGS, *map(_report_row, reports)])
    refused = [report for report in reports if not report["accepted"]]
    if refused:
        screen.line()
    for report in refused:
        screen.line(f"{word(report['tool'])}: {screen.shorten(_what_is_wrong(report), _WRONG)}")
    screen.line()
    screen.line(f"{len(reports) - len(refused)} of {many(len(reports), 'program')} accepted.")
    cost = sum(report["cost_usd"] for report in reports)
    if cost:
        screen.line(f"The model cost {money(cost)}.")


def _what_is_wrong(report: t.ProgramReportOut) -> str:
    """Say the first thing that speaks against the best program of a tool."""
    if not report["attempts"]:
        return "there is no recorded call of it"
    attempt = sorted(report["attempts"], key=lambda one: (not one["errors"], one["equal"]))[-1]
    if attempt["errors"]:
        fault = attempt["errors"][0]
        place = ".".join(map(str, fault["loc"]))
        more = len(attempt["errors"]) - 1
        return f"{f'{place}: ' if place else ''}{fault['msg']}{f' (and {more} more)' if more else ''}"
    for one in attempt["mismatches"]:
        return f"call {one['call']} of task {word(one['task'])}: {one['problem']}"
    return "too few calls are equal"


def _report_row(report: t.ProgramReportOut) -> tuple[str, ...]:
    calls = report["attempts"][-1]["of"] if report["attempts"] else 0
    shares = (report["responses"], report["changes"], report["refusal_texts"])
    accepted = "yes" if report["accepted"] else "no"
    return (
        clean(report["tool"]),
        accepted,
        str(calls),
        *map(_share, shares),
        *_asked_of_model(report),
    )


def _asked_of_model(report: t.ProgramReportOut) -> tuple[str, str]:
    """How often a model was asked, and how many of the calls it saw."""
    if report["model"]:
        return str(len(report["attempts"])), str(report["shown"])
    return ("by hand" if report["attempts"] else "–"), "–"


def _share(share: t.ProgramShareOut) -> str:
    return f"{share['equal']} of {share['of']}" if share["of"] else "–"
