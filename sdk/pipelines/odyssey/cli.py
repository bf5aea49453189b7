"""The command tree behind `odyssey` and `pipelines odyssey`. Other distributions add to it by entry points."""

from importlib.metadata import entry_points, version

from cyclopts import App

COMMAND_GROUP = "odyssey.commands"


def build_app() -> App:
    """Assemble the tree; a command's module is loaded only when the command is used or described."""
    app = App(name="odyssey", help="Test AI agents in a simulated world.", version=version("odyssey-sdk"))
    looking = "Look at runs: what an agent did, and what became of its world."
    app.command("pipelines.odyssey.commands.runs:app", name="runs", help=looking)
    for entry in sorted(entry_points(group=COMMAND_GROUP), key=lambda entry: entry.name):
        app.command(entry.value, name=entry.name)
    return app


def main() -> None:
    build_app()()


def main_pipelines() -> None:
    app = App(name="pipelines", help="Tools for agents under test.", version=version("odyssey-sdk"))
    app.command(build_app())
    app()
