"""Every command can be read by programs: it takes `--json`, or there is a reason why not."""

from collections.abc import Iterator

from cyclopts import App

from pipelines.odyssey.cli.app import build_app

FILE = "it prints a file of the format it is asked for"
WITHOUT = {
    "up": "it is a server, which logs",
    "dev": "it serves until Ctrl-C, and tells of runs as they end",
    "runs export": FILE,
    "datasets template": FILE,
    "datasets export": FILE,
    "batches export": FILE,
    "eval export": FILE,
    "eval scenarios export": FILE,
}


def commands(app: App, *path: str) -> Iterator[tuple[str, App]]:
    below = [name for name in app if not name.startswith("-")]
    if not below:
        yield " ".join(path), app
    for name in below:
        yield from commands(app[name], *path, name)


def options(command: App) -> set[str]:
    return {name for argument in command.assemble_argument_collection() for name in argument.names}


def test_every_command_takes_json_or_has_a_reason() -> None:
    tree = dict(commands(build_app()))
    assert {
        "login",
        "push",
        "test",
        "runs export",
        "seeds lint",
        "init",
        "doctor",
        "conformance",
    } <= tree.keys()
    assert {name for name, command in tree.items() if "--json" not in options(command)} == WITHOUT.keys()


def test_the_commands_that_print_files_say_which_format_and_where_to() -> None:
    tree = dict(commands(build_app()))
    for name in (name for name, reason in WITHOUT.items() if reason is FILE):
        assert {"--format", "--output"} <= options(tree[name]) or name.startswith("eval"), name
