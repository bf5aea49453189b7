"""The command tree behind `odyssey` and `pipelines odyssey`. Other distributions add to it by entry points."""

import sys
from importlib.metadata import entry_points, version
from typing import Annotated, Any

from cyclopts import App, CycloptsError, Parameter

from pipelines.odyssey import distribution
from pipelines.odyssey.cli import dotenv
from pipelines.odyssey.cli.failures import FAILED

COMMAND_GROUP = "odyssey.commands"

_PACKAGE = "pipelines.odyssey.cli.commands."
# What follows a first paragraph is shown by the command's own --help, in place of its docstring.
_COMMANDS = {
    "init": "Begin a project: an agent that runs at once, three tasks, and the files around them.",
    "doctor": "Look at an agent from the inside: does it import, refuse strangers, answer, reach the platform?",
    "conformance": "Look at an agent over the wire, in whatever language it is written.",
    "dev": "Serve an agent here with reload, register it, and tell how its runs end.\n\n"
    "It is published, and registered again when its tools change. Ctrl-C ends it.",
    "push": "Register the agent of odyssey.toml, or change it: its tools, address and sub-agents.\n\n"
    "A change is a draft: runs go on with the published version until `odyssey publish`, or --publish here.",
    "publish": "Make the newest version of an agent the one that is run.",
    "test": "Run the tasks of a project on its agent. Exit code 1 if too few pass.\n\n"
    "Exit code 2: it could not be done, or nothing could be graded. A run without checks, rubric or judge counts "
    "neither way. Ctrl-C cancels the batch.",
    "compile": "Get programs for an agent's tools, accepted only after recorded calls replay.\n\n"
    "A model proposes them, or a file has them; what each gets wrong is told. Exit code 1 if some are not accepted, "
    "2 if it could not be done.",
    "audit": "Name the rows of a dataset that an agent passes which does nothing. Exit code 1 if there are any.",
    "login": "Keep an API key, so that commands need neither flag nor variable.\n\n"
    "It is asked for unseen, tried on the platform, and kept in the keyring, else in a file of mode 0600.",
    "logout": "Forget a key that `login` kept.",
    "whoami": "Tell which platform is asked, as whom, and where the key comes from.",
}
_GROUPS = {
    "runs": "Start runs and look at them: what an agent did, how it was graded, what became of its world.",
    "datasets": "Tables of tasks: look at them, keep them, get them back.",
    "seeds": "Tables of tasks on this machine, looked at without a platform.",
    "batches": "Many runs at once: verdicts, pass rate and pass^k, files for others, comparisons.",
    "cassettes": "What live tools answered: keep it, replay it without the network, see what has changed since.",
    "endpoints": "Live services behind passthrough tools: register them, see what they offer, call them by hand.",
    "credentials": "The secrets of the organisation: they go in and never come out.",
}
# What the server adds, in words that are here without loading a server.
_ADDED = {
    "up": "Start the platform and stay up until stopped.",
    "orgs": "Organisations of this server.",
    "settings": "List every setting of the server with its ODYSSEY_… variable.",
    "signin-link": "Print a link that signs a person in, once, within 15 minutes.",
    "fidelity": "Replay recorded calls of a real back end and print how often simulated tools answer the same.",
}
_ELSEWHERE = {
    "audit": "datasets:audit",
    "compile": "compile:compile_tools",
    "logout": "login:logout",
    "publish": "push:publish",
    "test": "test:run_tests",
    "whoami": "login:whoami",
}
"""Commands that are not the function of their name in the module of their name."""


def build_app() -> App:
    """Assemble the tree; a command's module is loaded only when the command is used or described."""
    app = App(name="odyssey", help="Test AI agents in a simulated world.", version=version(distribution.NAME))
    for name, about in _COMMANDS.items():
        app.command(_PACKAGE + _ELSEWHERE.get(name, f"{name}:{name}"), name=name, help=about)
    for name, about in _GROUPS.items():
        app.command(f"{_PACKAGE}{name}:app", name=name, help=about)
    evals = (
        "Does an agent keep to its behaviour when somebody presses? Scenarios, matrices, a gate for builds."
    )
    app.command(f"{_PACKAGE}evals:app", name="eval", help=evals)
    queue = "The review queue: what a person should look at, verdicts, and how often flags were right."
    app.command(f"{_PACKAGE}reviews:app", name="review", help=queue)
    for entry in sorted(entry_points(group=COMMAND_GROUP), key=lambda entry: entry.name):
        app.command(entry.value, name=entry.name, help=_ADDED.get(entry.name, ""))
    app.register_install_completion_command(help="Have the shell complete commands and options of odyssey.")
    _read_dotenv_first(app)
    return app


def main() -> None:
    _run(build_app().meta)


def main_pipelines() -> None:
    app = App(name="pipelines", help="Tools for agents under test.", version=version(distribution.NAME))
    app.command(build_app().meta, name="odyssey")
    _run(app)


def _read_dotenv_first(app: App) -> None:
    app.meta.help = app.help

    @app.meta.default
    def launch(
        *tokens: Annotated[str, Parameter(show=False, allow_leading_hyphen=True)],
        no_dotenv: Annotated[
            bool,
            Parameter(
                negative="",
                show_default=False,
                help=f"Leave the .env of this folder unread, as {dotenv.OFF}=1 does.",
            ),
        ] = False,
    ) -> Any:
        dotenv.load(is_off=no_dotenv)
        return app(tokens, exit_on_error=False)


def _run(app: App) -> None:
    """Run a command. A call that cannot be read ends with 2, as 1 says that what was looked at is not right."""
    try:
        app(sys.argv[1:], exit_on_error=False)
    except CycloptsError:
        sys.exit(FAILED)
