"""The command tree behind `odyssey` and `pipelines odyssey`. Other distributions add to it by entry points."""

import sys
from importlib.metadata import entry_points, version

from cyclopts import App, CycloptsError

from pipelines.odyssey.connection import FAILED

COMMAND_GROUP = "odyssey.commands"

_GROUPS = {
    "runs": "Start runs and look at them: what an agent did, how it was graded, what became of its world.",
    "datasets": "Tables of tasks: look at them, keep them, get them back.",
    "batches": "Many runs at once: verdicts, pass rate and pass^k, files for others, comparisons.",
    "cassettes": "What live tools answered: keep it, replay it without the network, see what has changed since.",
    "endpoints": "Live services behind passthrough tools: register them, see what they offer, call them by hand.",
    "credentials": "The secrets of the organisation: they go in and never come out.",
}


def build_app() -> App:
    """Assemble the tree; a command's module is loaded only when the command is used or described."""
    app = App(name="odyssey", help="Test AI agents in a simulated world.", version=version("odyssey-sdk"))
    for name, about in _GROUPS.items():
        app.command(f"pipelines.odyssey.commands.{name}:app", name=name, help=about)
    evals = (
        "Does an agent keep to its behaviour when somebody presses? Scenarios, matrices, a gate for builds."
    )
    app.command("pipelines.odyssey.commands.evals:app", name="eval", help=evals)
    queue = "The review queue: what a person should look at, verdicts, and how often flags were right."
    app.command("pipelines.odyssey.commands.reviews:app", name="review", help=queue)
    idle = "Name the rows of a dataset that an agent passes which does nothing. Exit code 1 if there are any."
    app.command("pipelines.odyssey.commands.audit:audit", name="audit", help=idle)
    for entry in sorted(entry_points(group=COMMAND_GROUP), key=lambda entry: entry.name):
        app.command(entry.value, name=entry.name)
    return app


def main() -> None:
    _run(build_app())


def main_pipelines() -> None:
    app = App(name="pipelines", help="Tools for agents under test.", version=version("odyssey-sdk"))
    app.command(build_app())
    _run(app)


def _run(app: App) -> None:
    """Run a command. A call that cannot be read ends with 2, as 1 says that what was looked at is not right."""
    try:
        app(exit_on_error=False)
    except CycloptsError:
        sys.exit(FAILED)
