"""A person at a command line: a folder to work in, a home of their own, and the commands they type."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from support.in_process import run_here
from support.platform import Org
from support.process import ODYSSEY, clean_environment
from support.terminal import Terminal

AGENT = """
from pipelines.odyssey.dispatch import dispatch_app
from pipelines.odyssey.proxy import proxy_call
from pipelines.odyssey.tools import Tool

ONE = {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}
CHANGE = {**ONE, "properties": {**ONE["properties"], "status": {"type": "string"}}}
tools = [
    Tool("get_order", "Read an order.", input_schema=ONE),
    Tool("update_order", "Change an order.", input_schema=CHANGE),
]


def handle(envelope):
    word, order_id = envelope.user_instruction.split()
    order = proxy_call("get_order", {"order_id": order_id})
    if word == "cancel":
        proxy_call("update_order", {"order_id": order_id, "status": "cancelled"})
        return "It is cancelled."
    return f"It is {order['status']}."


app = dispatch_app(handle)
"""
PROJECT = """
[agent]
name = "Orders desk"
app = "agent:app"
tools = "agent:tools"
[test]
dataset = "tasks.csv"
"""


class Desk:
    """Where commands are typed; nothing of whoever runs the tests steers them."""

    def __init__(self, home: Path, org: Org | None = None, **environment: str) -> None:
        self.folder = home / "project"
        self.folder.mkdir(parents=True)
        self.environment = clean_environment(HOME=str(home), COLUMNS="200", NO_COLOR="1")
        if org is not None:
            self.environment |= {"ODYSSEY_URL": org.platform.url, "ODYSSEY_API_KEY": org.api_key}
        self.environment |= environment

    def write(self, **files: str) -> None:
        """Write files of the project; `agent_py` is agent.py."""
        for name, text in files.items():
            stem, _, ending = name.rpartition("_")
            (self.folder / f"{stem}.{ending}").write_text(text)

    def type(
        self,
        *arguments: str,
        code: int = 0,
        said: str = "",
        variables: Mapping[str, str] | None = None,
        **environment: str,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end in this process; `said` is its standard input."""
        ended = run_here(
            *arguments,
            environment={**self.environment, **environment, **(variables or {})},
            folder=self.folder,
            said=said,
        )
        assert ended.returncode == code, ended.stdout + ended.stderr
        return ended

    def terminal(self, *arguments: str, **environment: str) -> Terminal:
        return Terminal(
            ODYSSEY, *arguments, environment={**self.environment, **environment}, folder=self.folder
        )
