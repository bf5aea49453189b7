"""`odyssey whoami`: which platform is asked, as whom, and where the key comes from."""

from pipelines.odyssey.cli.commands.options import AsJson
from pipelines.odyssey.cli.connection import Server, connected, failing
from pipelines.odyssey.cli.login import chosen
from pipelines.odyssey.cli.printing.screen import Screen, clean

_LAST = 4


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
