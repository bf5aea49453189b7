"""`odyssey credentials`: the secrets of an organisation, which go in and never come out."""

from typing import Annotated

from cyclopts import App, Parameter

from pipelines.odyssey.cli.commands.options import AsJson, Positive, Sort, any_field, read_secret
from pipelines.odyssey.cli.connection import Server, connected, if_missing
from pipelines.odyssey.cli.printing.screen import Screen, word
from pipelines.odyssey.client import types as t

Name = Annotated[str, Parameter(name="NAME")]

app = App(name="credentials")


@app.command(name="list")
def list_credentials(
    *, sort: Sort = None, limit: Positive = 50, json_output: AsJson = False, server: Server | None = None
) -> None:
    """List credentials by name, with the end of each secret and the one address it is sent to.

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
        found = platform.credentials.page(limit=limit, sort=any_field(sort))
        if json_output:
            screen.json(found)
        elif not found["items"]:
            screen.line("No credentials.")
        else:
            screen.table([("name", "secret", "sent to"), *map(_listed, found["items"])])


@app.command(name="set")
def set_credential(
    name: Name,
    /,
    *,
    origin: str | None = None,
    secret_env: str | None = None,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Keep a secret, or replace it; it is read from standard input unless a variable is named.

    Parameters
    ----------
    name
        Letters, digits and _; it is also the name of the variable that code gets it in.
    origin
        The address it may be sent to, such as https://api.example.com; without one, it is sent nowhere.
    secret_env
        The environment variable that holds the secret.
    json_output
        Print the credential as the API gives it, without the secret.
    server
        Which platform to ask.
    """
    with connected(server) as platform:
        value = read_secret(secret_env, "secret")
        known = {each["name"] for each in platform.credentials.list()}
        if name in known:
            change: t.CredentialChange = {"value": value}
            if origin is not None:
                change["origin"] = origin
            kept = platform.credentials.update(name, **change)
        else:
            kept = platform.credentials.create(name=name, value=value, origin=origin)
        screen = Screen()
        if json_output:
            screen.json(kept)
        else:
            where = "sent nowhere" if kept["origin"] is None else f"sent to {word(kept['origin'])} only"
            screen.line(f"{word(kept['name'])}  {word(kept['shown'])}  {where}")


@app.command
def delete(name: Name, /, *, json_output: AsJson = False, server: Server | None = None) -> None:
    """Delete a credential for good, unless an endpoint uses it.

    Parameters
    ----------
    name
        Of the credential.
    json_output
        Print {deleted} instead of a sentence.
    server
        Which platform to ask.
    """
    with connected(server) as platform, if_missing(f"There is no credential {word(name)}."):
        platform.credentials.delete(name)
        if json_output:
            Screen().json({"deleted": name})
        else:
            Screen().line(f"{word(name)} is deleted.")


def _listed(credential: t.CredentialOut) -> tuple[str, ...]:
    return str(credential["name"]), str(credential["shown"]), str(credential["origin"] or "nowhere")
