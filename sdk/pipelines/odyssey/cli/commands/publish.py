"""`odyssey publish`: the newest version of an agent becomes the one that is run."""

from typing import Annotated

from cyclopts import Parameter

from pipelines.odyssey.cli.commands.options import AsJson, Folder
from pipelines.odyssey.cli.connection import Server, connected, failing
from pipelines.odyssey.cli.printing.screen import Screen, clean, word
from pipelines.odyssey.cli.project import read_project
from pipelines.odyssey.cli.registration import publish_agent, resolve_agent


def publish(
    agent: Annotated[str | None, Parameter(name="AGENT")] = None,
    /,
    *,
    folder: Folder = None,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Make the newest version of an agent the one that is run.

    Parameters
    ----------
    agent
        Its number or name; else the one of odyssey.toml.
    folder
        Where odyssey.toml lies, if not here.
    json_output
        Print the agent as the API gives it.
    server
        Which platform to ask.
    """
    with failing():
        project = None if agent is not None else read_project(folder)
    with connected(server) as platform:
        published = publish_agent(platform, resolve_agent(platform, agent, project))
        screen = Screen()
        if json_output:
            screen.json(published)
        else:
            name = word(published["name"])
            screen.line(
                clean(
                    f"Agent {published['id']} {name}: version {published['published_version']} is published."
                )
            )
