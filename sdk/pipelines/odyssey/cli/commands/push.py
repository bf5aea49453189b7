"""`odyssey push` and `odyssey publish`: the agent of a project on the platform, and which version of it is run."""

from typing import Annotated

from cyclopts import Parameter

from pipelines.odyssey.cli.commands.options import AsJson, Folder, Switch
from pipelines.odyssey.cli.connection import Server, connected, failing
from pipelines.odyssey.cli.described import describe_project
from pipelines.odyssey.cli.failures import CommandFailedError
from pipelines.odyssey.cli.printing.screen import Screen, clean, word
from pipelines.odyssey.cli.project import read_http_project, read_project
from pipelines.odyssey.cli.registration import (
    print_readings,
    print_registered,
    publish_agent,
    register,
    resolve_agent,
    token_of,
)


def push(
    *,
    endpoint_url: Annotated[str | None, Parameter(name="--endpoint-url")] = None,
    publish: Annotated[bool, Switch] = False,
    folder: Folder = None,
    json_output: AsJson = False,
    server: Server | None = None,
) -> None:
    """Create the agent that odyssey.toml names, or change it as a draft: tools, sub-agents, address, token.

    Runs go on with the published version until `odyssey publish`, or --publish here.

    Parameters
    ----------
    endpoint_url
        Where the agent takes dispatches; else agent.endpoint_url of the file.
    publish
        Also make this version the one that is run.
    folder
        Where odyssey.toml lies, if not here.
    json_output
        Print {agent, created, tools, settings}.
    server
        Which platform to ask.
    """
    with failing():
        project = read_http_project(folder)
        address = endpoint_url or project.endpoint_url
        if address is None:
            raise CommandFailedError(
                f"Where does the agent run? Give --endpoint-url, or write endpoint_url into {project.file}."
            )
        token = token_of(project)
        described = describe_project(project)
    with connected(server) as platform:
        found = register(platform, project, described, endpoint_url=address, token=token)
        if publish:
            found = found._replace(agent=publish_agent(platform, found.agent))
        screen = Screen()
        if json_output:
            screen.json(found.as_dict())
            return
        print_registered(screen, found)
        agent = found.agent
        if agent["published_version"] == agent["version"]:
            screen.line(f"Version {agent['version']} is published.")
        elif agent["published_version"] is None:
            screen.line("It is a draft; `odyssey publish` lets it run.")
        else:
            screen.line(
                f"Runs go on with version {agent['published_version']}; `odyssey publish` makes this one theirs."
            )
        print_readings(screen, platform, agent)


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
            print_readings(screen, platform, published)
