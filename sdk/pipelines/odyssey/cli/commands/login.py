"""`odyssey login`, `logout` and `whoami`: a key that is kept, so that it stands in no file of a project."""

import getpass
import sys
from typing import Annotated

from cyclopts import Parameter

from pipelines.odyssey.cli.commands.options import AsJson, Switch
from pipelines.odyssey.cli.connection import Server, connected, failing
from pipelines.odyssey.cli.failures import CommandFailedError
from pipelines.odyssey.cli.key_store import forget_key, keep_key, path_of_store
from pipelines.odyssey.cli.login import chosen, chosen_address, normal
from pipelines.odyssey.cli.printing.screen import Screen, clean

_LAST = 4
Address = Annotated[
    str | None, Parameter(help="Address of the platform; else ODYSSEY_URL, the last login's.")
]


def login(
    *,
    url: Address = None,
    api_key_stdin: Annotated[bool, Switch] = False,
    json_output: AsJson = False,
) -> None:
    """Ask for an API key unseen, try it on the platform, and keep it: in the keyring, else in a file of mode 0600.

    Parameters
    ----------
    url
        Address of the platform; commands that name none ask it from now on.
    api_key_stdin
        Read the key from standard input instead of asking.
    json_output
        Print {url, org, person, kept} instead of a sentence.
    """
    with failing():
        address = normal(chosen_address(url))
        key = _read_key(address, from_stdin=api_key_stdin)
    with connected(Server(url=address, api_key=key)) as platform:
        found = platform.whoami()
        place = keep_key(address, key)
        screen = Screen()
        if json_output:
            screen.json({"url": address, "org": found["org"], "person": found["person"], "kept": place})
            return
        kept = "the keyring" if place == "keyring" else str(path_of_store())
        person = found["person"]
        screen.line(clean(f"{person['email']} ({person['role']}) of {found['org']['name']} at {address}."))
        screen.line(clean(f"The key is kept in {kept}."))


def logout(*, url: Address = None, json_output: AsJson = False) -> None:
    """Forget the key that is kept for an address. The key itself stays good until it is deleted on the platform.

    Parameters
    ----------
    url
        Address of the platform.
    json_output
        Print {url, forgotten} instead of a sentence.
    """
    with failing():
        address = normal(chosen_address(url))
        forgotten = forget_key(address)
        screen = Screen()
        if json_output:
            screen.json({"url": address, "forgotten": forgotten})
        elif forgotten:
            screen.line(clean(f"The key for {address} is forgotten."))
        else:
            screen.line(clean(f"No key was kept for {address}."))


def whoami(*, json_output: AsJson = False, server: Server | None = None) -> None:
    """Print the organisation, the person and their role, the address, and where the key was found.

    Parameters
    ----------
    json_output
        Print {org, person, url, key, key_from}; of the key only the last four characters.
    server
        Which platform to ask.
    """
    given = server or Server()
    with failing():
        choice = chosen(given.url, given.api_key)
    with connected(server) as platform:
        found = platform.whoami()
        key = f"****{choice.key[-_LAST:]}" if len(choice.key) > 2 * _LAST else "****"
        screen = Screen()
        if json_output:
            told = {"org": found["org"], "person": found["person"], "url": platform.address}
            screen.json(told | {"key": key, "key_from": choice.key_from})
            return
        screen.line(clean(f"org      {found['org']['name']} ({found['org']['id']})"))
        screen.line(clean(f"person   {found['person']['email']}"))
        screen.line(clean(f"role     {found['person']['role']}"))
        screen.line(clean(f"address  {platform.address}"))
        screen.line(clean(f"key      {key}, from {choice.key_from}"))


def _read_key(address: str, *, from_stdin: bool) -> str:
    if from_stdin:
        key = sys.stdin.read()
    elif sys.stdin.isatty():
        try:
            key = getpass.getpass(clean(f"API key for {address}: "))
        except (KeyboardInterrupt, EOFError):
            raise CommandFailedError("No key was given, and nothing is kept.") from None
    else:
        raise CommandFailedError("There is no terminal to ask on; pipe the key in and say --api-key-stdin.")
    if not key.strip():
        raise CommandFailedError("No key was given, and nothing is kept.")
    return key.strip()
