"""`odyssey conformance`: does an agent, in whatever language, keep the wire contract?"""

import json
import os
import socket
import sys
from pathlib import Path
from typing import Annotated, Any

import httpx
from cyclopts import Parameter, validators

from pipelines.odyssey.cli.commands.options import AsJson
from pipelines.odyssey.cli.connection import failing
from pipelines.odyssey.cli.failures import CommandFailedError
from pipelines.odyssey.cli.printing.findings import exit_code, tell
from pipelines.odyssey.conformance.exchange import DEFAULT_INSTRUCTION, Plan
from pipelines.odyssey.conformance.suite import wire_checks
from pipelines.odyssey.conformance.tools_schema import schema_faults
from pipelines.odyssey.conformance.wire import Target
from pipelines.odyssey.local.answers import Answers, AnswersInvalidError, read_answers
from pipelines.odyssey.local.proxy import LocalProxy

Seconds = Annotated[float, Parameter(validator=validators.Number(gt=0, lte=1800))]

_EVERYWHERE = "0.0.0.0"  # noqa: S104 - asked for by naming --proxy-host; a run token guards every request


def conformance(
    url: Annotated[str, Parameter(name="URL")],
    /,
    *,
    auth_header: str = "Authorization",
    token_env: str = "AGENT_TOKEN",  # noqa: S107 - the name of a variable
    tools: Path | None = None,
    answers: Path | None = None,
    instruction: str = DEFAULT_INSTRUCTION,
    proxy_host: str | None = None,
    timeout: Seconds = 300,
    json_output: AsJson = False,
) -> None:
    """Check an agent over the wire, whatever it is written in. Exit code 1 if it breaks the contract.

    A scripted proxy on this machine stands in for the platform: nothing is registered, and no tool really runs.

    Parameters
    ----------
    url
        Where the agent takes dispatches, such as http://127.0.0.1:9000/dispatch.
    auth_header
        The header in which the agent wants its token; in Authorization it goes as Bearer.
    token_env
        The variable that holds the token.
    tools
        JSON file with the agent's tools_schema: other tools are refused, and answers fit its output schemas.
    answers
        JSON file with what tools answer: {tool: response}, or [{tool, arguments, response}].
    instruction
        A task for which the agent must use a tool.
    proxy_host
        Name or address under which the agent reaches this machine, if it is not found by itself (containers).
    timeout
        Seconds an agent may take for one dispatch.
    json_output
        Print {ok, counts, findings: [{name, state, detail, fix, seconds}]}.
    """
    with failing():
        address = _read_url(url)
        schema = [] if tools is None else _read_tools(tools)
        given = [] if answers is None else _given(answers)
        token = os.environ.get(token_env) or None
        target = Target(
            url=url,
            auth_header=auth_header,
            auth_value=_value_of(auth_header, token),
            timeout_s=timeout,
        )
        listen = _own_address(address) if proxy_host is None else _EVERYWHERE
        with LocalProxy(tools=schema, listen=listen, host=proxy_host) as proxy:
            plan = Plan(target, proxy, instruction, answers=Answers(given, tools=schema))
            sys.exit(exit_code(tell(wire_checks(target, plan), json_output=json_output)))


def _value_of(header: str, token: str | None) -> str | None:
    return f"Bearer {token}" if token and header.lower() == "authorization" else token


def _read_url(url: str) -> httpx.URL:
    try:
        address = httpx.URL(url)
    except httpx.InvalidURL:
        raise CommandFailedError(f"{url} is not a URL.") from None
    if address.scheme not in ("http", "https") or not address.host:
        raise CommandFailedError(f"{url} must begin with http:// or https:// and name a host.")
    return address


def _own_address(address: httpx.URL) -> str:
    """Find the address of this machine on the way to the agent; no packet is sent."""
    port = address.port or (443 if address.scheme == "https" else 80)
    try:
        family, kind, protocol, _, sockaddr = socket.getaddrinfo(address.host, port, type=socket.SOCK_DGRAM)[
            0
        ]
        with socket.socket(family, kind, protocol) as probe:
            probe.connect(sockaddr)
            return str(probe.getsockname()[0])
    except OSError as error:
        raise CommandFailedError(f"{address.host} cannot be reached: {error.strerror}.") from None


def _read_tools(path: Path) -> list[dict[str, Any]]:
    schema = _read_json(path)
    faults = schema_faults(schema)
    if faults:
        raise CommandFailedError(f"{path}: {'; '.join(faults[:3])}.")
    assert isinstance(schema, list)
    return schema


def _given(path: Path) -> list[Any]:
    try:
        return list(read_answers(_read_json(path)))
    except AnswersInvalidError as error:
        raise CommandFailedError(f"{path}: {error}.") from None


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise CommandFailedError(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise CommandFailedError(f"{path} is not JSON: {error}.") from None
