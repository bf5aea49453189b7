"""An agent of a project on a platform: found by its name, created or changed, published."""

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from pipelines.odyssey.adapters import Described
from pipelines.odyssey.cli.connection import Connection, if_missing
from pipelines.odyssey.cli.failures import CommandFailedError
from pipelines.odyssey.cli.printing.screen import Screen, clean, word
from pipelines.odyssey.cli.project import Project
from pipelines.odyssey.client import types as t


class Registered(NamedTuple):
    agent: t.AgentOut
    is_new: bool
    added: list[str]
    removed: list[str]
    changed: list[str]
    """Tools by name."""
    settings: list[str]
    """What else is not as it was."""

    def as_dict(self) -> dict[str, Any]:
        tools = {"added": self.added, "removed": self.removed, "changed": self.changed}
        return {"agent": self.agent, "created": self.is_new, "tools": tools, "settings": self.settings}


def find_agent(platform: Connection, name: str) -> t.AgentOut | None:
    """Return the one agent of this name, None if there is none."""
    found = [agent for agent in platform.agents.list(q=name[:200]) if agent["name"] == name]
    if len(found) > 1:
        ids = ", ".join(str(agent["id"]) for agent in found)
        raise CommandFailedError(
            f"Several agents are called {word(name)}: {ids}. Give one by its number, or rename the others."
        )
    return found[0] if found else None


def resolve_agent(platform: Connection, given: str | None, project: Project | None) -> t.AgentOut:
    """Return the agent that is meant: by number, by name, or the project's."""
    if given is not None and given.isascii() and given.isdecimal():
        with if_missing(f"There is no agent {given}."):
            return platform.agents.get(int(given))
    name = given if given is not None else (None if project is None else project.name)
    if name is None:
        raise CommandFailedError(
            "Which agent? Give its number or name, or work in a folder with odyssey.toml."
        )
    found = find_agent(platform, name)
    if found is None:
        hint = "" if given is not None else "; `odyssey push` registers it"
        raise CommandFailedError(f"There is no agent called {word(name)}{hint}.")
    return found


def register(
    platform: Connection, project: Project, described: Described, *, endpoint_url: str, token: str | None
) -> Registered:
    """Create the agent of the project, or change it as a draft."""
    if project.mode != "http":
        raise CommandFailedError(f"{project.file}: an agent of mode {project.mode!r} cannot be pushed yet.")
    before = find_agent(platform, project.name)
    config: dict[str, Any] = {"endpoint_url": endpoint_url, "run_timeout_s": project.run_timeout_s}
    config |= {"auth_header_name": "Authorization" if token else None}
    config |= {"auth_header_value": f"Bearer {token}" if token else None}
    config |= {"sub_agents": None, "topology": None} | (described.sub_agents or {})
    name, tools = project.name, described.tools_schema
    if before is None:
        given = {name: value for name, value in config.items() if value is not None}
        after = platform.agents.create(name=name, tools_schema=tools, config=given)
    else:
        after = platform.agents.update(before["id"], draft=True, name=name, tools_schema=tools, config=config)
    return _compared(before, after)


def publish_agent(platform: Connection, agent: t.AgentOut) -> t.AgentOut:
    with if_missing(f"There is no agent {agent['id']}."):
        return platform.agents.publish(agent["id"])


def token_of(project: Project) -> str | None:
    """Return the token that the agent wants to see, None if it lets everybody in."""
    if project.token_env is None:
        return None
    token = os.environ.get(project.token_env, "")
    if not token:
        raise CommandFailedError(
            f"{project.token_env} is not set: put the token that the agent wants to see into .env, or set it."
        )
    return token


def print_registered(screen: Screen, found: Registered) -> None:
    """Say what is not as it was."""
    agent = found.agent
    is_same = not (found.added or found.removed or found.changed or found.settings)
    said = "created" if found.is_new else "unchanged" if is_same else "changed"
    screen.line(clean(f"Agent {agent['id']} {word(agent['name'])}: {said}, version {agent['version']}."))
    for what, names in (("added", found.added), ("removed", found.removed), ("changed", found.changed)):
        if names:
            screen.text(", ".join(map(word, names)), lead=f"  tools {what:<8} ")
    if found.settings and not found.is_new:
        screen.text(", ".join(found.settings), lead="  changed too    ")


def print_readings(screen: Screen, platform: Connection, agent: t.AgentOut) -> None:
    """Say of each tool what its calls are read as, how often that is right, and what would help."""
    tools = platform.agents.readings(agent["id"])["tools"]
    if not tools:
        return
    screen.line("How its tools are simulated (in a world of its own they may be read better):")
    screen.table([["  tool", "", "right", ""], *([f"  {each['tool']}", *_reading(each)] for each in tools)])


def _reading(each: t.ToolReadingOut) -> list[str]:
    confidence = each["confidence"]
    told = "" if confidence is None or each["answered_by"] == "nobody" else f"{confidence:.0%}"
    return [each["reading"], told, next(iter(each["help"]), "")]


def _compared(before: t.AgentOut | None, after: t.AgentOut) -> Registered:
    old = _by_name(before)
    new = _by_name(after)
    added = [name for name in new if name not in old]
    removed = [name for name in old if name not in new]
    changed = [name for name in new if name in old and new[name] != old[name]]
    was: Mapping[str, Any] = {} if before is None else before["config"]
    now = after["config"]
    settings = sorted(name for name in was.keys() | now.keys() if was.get(name) != now.get(name))
    return Registered(after, before is None, added, removed, changed, settings)


def _by_name(agent: t.AgentOut | None) -> dict[str, dict[str, Any]]:
    return {} if agent is None else {str(tool.get("name")): tool for tool in agent["tools_schema"]}
