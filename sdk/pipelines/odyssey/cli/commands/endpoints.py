"""`odyssey endpoints`: live services behind passthrough tools, and what they offer."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import UUID

from cyclopts import App, Parameter

from pipelines.odyssey.cli.commands.options import AsJson, Positive, Sort, any_field, read_secret
from pipelines.odyssey.cli.connection import Connection, Server, connected, if_missing
from pipelines.odyssey.cli.failures import NOT_RIGHT, CommandFailedError
from pipelines.odyssey.cli.following import busy
from pipelines.odyssey.cli.printing.screen import Screen, clean, many, word
from pipelines.odyssey.client import types as t

Name = Annotated[str, Parameter(name="NAME")]
Auth = Literal["none", "bearer", "api_key"]

app = App(name="endpoints")


@app.command(name="list")
def list_endpoints(
    *, sort: Sort = None, limit: Positive = 50, json_output: AsJson = False, server: Server | None = None
) -> None:
    """List endpoints, the newest first.

    Parameters
    ----------
    sort
        Sort by this field of the API instead; `-` ahead of it is descending.
    limit
        How many to list at most.
    json_output
        Print one JSON object {items, next_cursor} as the API gives it.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        screen = Screen()
        found = platform.tool_endpoints.page(limit=limit, sort=any_field(sort))
        if json_output:
            screen.json(found)
        elif not found["items"]:
            screen.line("No endpoints.")
        else:
            screen.table([("name", "type", "tools", "state"), *map(_listed, found["items"])])


@app.command
def show(name: Name, /, *, json_output: AsJson = False, server: Server | None = None) -> None:
    """Show an endpoint: its address, its tools, and what changed when they were looked up last.

    Parameters
    ----------
    name
        Name or id of the endpoint.
    json_output
        Print the endpoint as the API gives it.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        _print(Screen(), _find(platform, name), json_output)


@app.command
def add_mcp(
    name: Name,
    url: Annotated[str, Parameter(name="URL")],
    /,
    *,
    auth: Auth = "none",
    header: str | None = None,
    secret_env: str | None = None,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Register an MCP server that speaks streamable HTTP, and look up its tools.

    Parameters
    ----------
    name
        What to call it; tools are bound by this name.
    url
        Of the server, as in https://tools.example.com/mcp.
    auth
        How it knows us; the secret is read from standard input unless a variable is named.
    header
        Name of the header of an API key; X-API-Key without it.
    secret_env
        The environment variable that holds the secret.
    json_output
        Print the endpoint as the API gives it.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        config = {"url": url, "auth": _auth(auth, header, secret_env)}
        _add(platform, name, "mcp_server", config, json_output)


@app.command(name="add-openapi")
def add_openapi(
    name: Name,
    /,
    *,
    spec: Path | None = None,
    spec_url: str | None = None,
    base_url: str | None = None,
    auth: Auth = "none",
    header: str | None = None,
    secret_env: str | None = None,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Register an HTTP service by its OpenAPI document, each operation of which is a tool.

    Parameters
    ----------
    name
        What to call it; tools are bound by this name.
    spec
        The document as a file, JSON or YAML.
    spec_url
        Or where the platform finds it.
    base_url
        Where calls go; without it, to the first server the document names.
    auth
        How the service knows us; the secret is read from standard input unless a variable is named.
    header
        Name of the header of an API key; X-API-Key without it.
    secret_env
        The environment variable that holds the secret.
    json_output
        Print the endpoint as the API gives it.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        if (spec is None) == (spec_url is None):
            raise CommandFailedError("Give the OpenAPI document: either --spec FILE or --spec-url URL.")
        config: dict[str, Any] = {"auth": _auth(auth, header, secret_env)}
        if spec is not None:
            config["spec"] = _read_text(spec)
        else:
            config["spec_url"] = spec_url
        if base_url is not None:
            config["base_url"] = base_url
        _add(platform, name, "http_openapi", config, json_output)


@app.command
def discover(name: Name, /, *, json_output: AsJson = False, server: Server | None = None) -> None:
    """Look up the tools of an endpoint again and say what changed. Exit code 1 if anything did, or it failed.

    Parameters
    ----------
    name
        Name or id of the endpoint.
    json_output
        Print the endpoint as the API gives it.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        before = _find(platform, name)
        with busy("Asking for the tools"):
            found = platform.tool_endpoints.discover(before["id"])
        _print(Screen(), found, json_output)
        if found["discovery_error"] is not None or found["drift"] != before["drift"]:
            sys.exit(NOT_RIGHT)


@app.command
def call(
    name: Name,
    tool: Annotated[str, Parameter(name="TOOL")],
    arguments: Annotated[str, Parameter(name="ARGUMENTS")] = "{}",
    /,
    *,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Call a tool of an endpoint by hand; this is a live call. Exit code 1 if the answer is an error, or there is none.

    Parameters
    ----------
    name
        Name or id of the endpoint.
    tool
        As the endpoint names it.
    arguments
        A JSON object.
    json_output
        Print the answer as the API gives it.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        given = _read_arguments(arguments)
        endpoint = _find(platform, name)
        with busy("Calling"):
            answer = platform.tool_endpoints.call(endpoint["id"], tool, given)
        screen = Screen(full=True)
        if json_output:
            screen.json(answer)
        else:
            status = "" if answer["status"] is None else f", HTTP {answer['status']}"
            error = ", error" if answer["is_error"] else ""
            screen.line(f"{word(answer['source'])}{status}{error}, {answer['latency_ms']} ms")
            screen.value("response", answer["response"])
        if answer["source"] != "passthrough" or answer["is_error"]:
            sys.exit(NOT_RIGHT)


@app.command
def delete(name: Name, /, *, json_output: AsJson = False, server: Server | None = None) -> None:
    """Delete an endpoint for good, unless an agent uses it.

    Parameters
    ----------
    name
        Name or id of the endpoint.
    json_output
        Print {deleted} instead of a sentence.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        endpoint = _find(platform, name)
        with if_missing(_missing(name)):
            platform.tool_endpoints.delete(endpoint["id"])
        if json_output:
            Screen().json({"deleted": endpoint["id"]})
        else:
            Screen().line(f"{word(endpoint['name'])} is deleted.")


def _add(
    platform: Connection,
    name: str,
    type: Literal["mcp_server", "http_openapi"],
    config: Mapping[str, Any],
    json_output: bool,
) -> None:
    with busy("Looking up its tools"):
        made = platform.tool_endpoints.create(name=name, type=type, config=config)
    _print(Screen(), made, json_output)
    if made["discovery_error"] is not None:
        sys.exit(NOT_RIGHT)


def _find(platform: Connection, name: str) -> t.EndpointOut:
    if not _is_id(name):
        listed = platform.tool_endpoints.list()
        found = next((each["id"] for each in listed if each["name"] == name), None)
        if found is None:
            raise CommandFailedError(_missing(name))
        name = str(found)
    with if_missing(_missing(name)):
        return platform.tool_endpoints.get(name)


def _missing(name: str) -> str:
    return f"There is no endpoint {word(name)}."


def _is_id(name: str) -> bool:
    try:
        return str(UUID(name)) == name
    except ValueError:
        return False


def _auth(kind: Auth, header: str | None, secret_env: str | None) -> dict[str, Any]:
    if kind == "none":
        return {"type": "none"}
    auth: dict[str, Any] = {"type": kind, "secret": read_secret(secret_env, "secret")}
    return auth if header is None else auth | {"header": header}


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise CommandFailedError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise CommandFailedError(f"{path} is not a text in UTF-8.") from None


def _read_arguments(text: str) -> dict[str, Any]:
    try:
        arguments = json.loads(text)
    except ValueError as error:
        raise CommandFailedError(f"The arguments are not JSON: {error}.") from None
    if not isinstance(arguments, dict):
        raise CommandFailedError("The arguments must be a JSON object.")
    return arguments


def _listed(endpoint: t.EndpointListed) -> tuple[str, ...]:
    return str(endpoint["name"]), str(endpoint["type"]), str(endpoint["tool_count"]), _state(endpoint)


def _state(endpoint: t.EndpointListed) -> str:
    if endpoint["discovery_error"] is not None:
        return f"not looked up: {endpoint['discovery_error']['message']}"
    return "changed since" if endpoint["drift"] is not None else "as before"


def _print(screen: Screen, endpoint: t.EndpointOut, json_output: bool) -> None:
    if json_output:
        screen.json(endpoint)
        return
    screen.line(f"{word(endpoint['name'])}  {endpoint['type']}  {word(endpoint['id'])}")
    if endpoint["base_url"]:
        screen.line(f"  address   {word(endpoint['base_url'])}")
    for note in endpoint["notes"]:
        screen.text(str(note), lead="  note      ")
    failed = endpoint["discovery_error"]
    if failed is not None:
        screen.text(f"{failed['message']} ({failed['code']})", lead="  failed    ")
    _print_drift(screen, endpoint["drift"])
    screen.line(f"  {many(len(endpoint['tools']), 'tool')}")
    for tool in endpoint["tools"]:
        changing = "" if tool["read_only"] else "  may change something"
        screen.line(f"    {clean(str(tool['name']))}{changing}")


def _print_drift(screen: Screen, drift: t.DriftOut | None) -> None:
    if drift is None:
        return
    for what, names in (("added", drift["added"]), ("removed", drift["removed"])):
        for name in names:
            screen.line(f"  {what:<9} {clean(str(name))}")
    for each in drift["changed"]:
        paths = ", ".join(clean(str(path)) for path in each["paths"])
        screen.line(f"  changed   {clean(str(each['name']))}: {paths}")
