"""`odyssey doctor`: one pass over an agent of this machine, each fault with its fix."""

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from pipelines.odyssey.cli import checkup
from pipelines.odyssey.cli.commands.options import AsJson
from pipelines.odyssey.cli.connection import Server, failing
from pipelines.odyssey.cli.failures import CommandFailedError
from pipelines.odyssey.cli.printing.findings import exit_code, tell
from pipelines.odyssey.cli.project import Project, find_project
from pipelines.odyssey.conformance.code_target import CodeTarget
from pipelines.odyssey.conformance.exchange import DEFAULT_INSTRUCTION, Plan
from pipelines.odyssey.conformance.finding import Finding, failed, skipped
from pipelines.odyssey.conformance.suite import dispatch_checks, wire_checks
from pipelines.odyssey.conformance.wire import Target
from pipelines.odyssey.local.answers import Answers
from pipelines.odyssey.local.driver import CodeFailure, run_code
from pipelines.odyssey.local.proxy import LocalProxy
from pipelines.odyssey.local.serving import NotServedError, served

_TIMEOUT_S = 300


def doctor(
    *,
    app: str | None = None,
    tools: str | None = None,
    dataset: Path | None = None,
    instruction: str | None = None,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Look at an agent from the inside: does it import, refuse strangers, answer, call its tools as it should?

    The agent is served in this process and asked over the wire, with a scripted proxy instead of the platform: nothing
    is registered, and no tool really runs. What is not given comes from odyssey.toml and .env. Exit code 1 if a
    check failed.

    Parameters
    ----------
    app
        The ASGI app as module:attribute, such as agent:app.
    tools
        The tools as module:attribute: a list, an agent, or a function that makes one.
    dataset
        A table of tasks; its first task is what the agent is asked.
    instruction
        What the agent is asked instead, a task for which it must use a tool.
    json_output
        Print {ok, counts, findings: [{name, state, detail, fix, seconds}]}.
    server
        Which platform to knock at.
    """
    with failing():
        project = _subject(app, tools, dataset)
        checks = _code_checks if project.mode == "code" else _http_checks
        found = tell(checks(project, instruction, server or Server()), json_output=json_output)
    sys.exit(exit_code(found))


def _subject(app: str | None, tools: str | None, dataset: Path | None) -> Project:
    project = find_project() or Project(folder=Path(), name="agent")
    if app is not None:
        project = replace(project, app=app, mode="http", entrypoint=None)
    if tools is not None:
        project = replace(project, tools=tools)
    if dataset is not None:
        project = replace(project, dataset=str(dataset.absolute()))
    if project.app is None and project.entrypoint is None:
        raise CommandFailedError(
            "There is nothing to look at: give --app module:attribute, or go to a folder whose odyssey.toml names an "
            "app or an entrypoint (`odyssey init` makes one)."
        )
    return project


def _http_checks(project: Project, instruction: str | None, server: Server) -> Iterator[Finding]:
    token = checkup.token(project)
    yield token
    sdk = checkup.sdk(project.folder)
    yield sdk
    if sdk.state == "failed":
        found, app = skipped("import", "the agent would not find the SDK"), None
    else:
        found, app = checkup.imported(project.app or "", project.folder)
    yield found
    if app is None:
        yield skipped("tools", "the module cannot be imported")
        yield from checkup.around(project, server, None)
        yield skipped("wire", "there is no app to ask")
        return
    tools, described = checkup.described(project)
    yield tools
    yield from checkup.around(project, server, described)
    if token.state == "failed":
        yield skipped("wire", f"{project.token_env} is not set", "Set it, then run this again.")
        return
    schema = described.tools_schema if described else []
    try:
        yield from _served_checks(project, app, instruction, schema)
    except NotServedError as error:
        yield failed("wire", str(error), "The checks over the wire need the app to be served by uvicorn.")


def _served_checks(
    project: Project, app: Any, instruction: str | None, schema: list[dict[str, Any]]
) -> Iterator[Finding]:
    secret = os.environ.get(project.token_env) if project.token_env else None
    with served(app) as here, LocalProxy(tools=schema) as proxy:
        target = Target(
            url=here.url + project.path,
            auth_value=f"Bearer {secret}" if secret else None,
            timeout_s=project.run_timeout_s or _TIMEOUT_S,
        )
        plan = _plan(project, target, proxy, instruction, schema)
        for finding in wire_checks(target, plan):
            if finding.state == "failed" and here.raised:
                finding = finding._replace(detail=f"{finding.detail}; the app raised {here.raised[-1]}")
            here.raised.clear()
            yield finding


def _code_checks(project: Project, instruction: str | None, server: Server) -> Iterator[Finding]:
    tools, described = checkup.described(project)
    yield tools
    yield from checkup.around(project, server, described)
    schema = described.tools_schema if described else []
    # A sandbox has the SDK only if it came with the upload.
    target = CodeTarget(
        entrypoint=project.entrypoint or "",
        folder=project.folder,
        without_sdk=not (project.folder / "pipelines" / "odyssey").is_dir(),
        timeout_s=project.run_timeout_s or _TIMEOUT_S,
    )
    with LocalProxy(tools=schema) as proxy:
        plan = _plan(project, target, proxy, instruction, schema)
        result = run_code(
            target.entrypoint,
            plan.open_run(),
            instruction=plan.instruction,
            task_input=plan.task_input,
            folder=target.folder,
            without_sdk=target.without_sdk,
            timeout_s=target.timeout_s,
        )
        if result.failure is not None:
            shown = "\n".join(result.failure.traceback.strip().splitlines()[-6:]) or result.failure.message
            yield failed("run", shown, _fix_of(result.failure))
            return
        yield from dispatch_checks(plan)


def _plan(
    project: Project,
    agent: Target | CodeTarget,
    proxy: LocalProxy,
    instruction: str | None,
    schema: list[dict[str, Any]],
) -> Plan:
    task = checkup.first_task(project.dataset_path)
    return Plan(
        agent,
        proxy,
        instruction or task.instruction or DEFAULT_INSTRUCTION,
        task_input=task.input,
        answers=Answers(state=task.state, tools=schema),
    )


def _fix_of(failure: CodeFailure) -> str:
    if failure.module is not None and failure.module.partition(".")[0] == "pipelines":
        return (
            "A sandbox has no SDK: call the proxy with urllib as `odyssey init --mode code` shows, or put the package "
            "pipelines into the upload."
        )
    if "running event loop" in failure.message:
        return "A sandbox has its event loop running: run async code on a thread of its own, with asyncio.run there."
    if failure.stage == "import":
        return "Mend the import; in a sandbox only the upload and its requirements are there."
    if failure.stage == "process":
        return "Let run() return in time, and never end the process."
    return "Catch it and say in final_response what went wrong: an unhandled exception is graded as it is."
