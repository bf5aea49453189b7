"""The commands of `odyssey eval` that are about matrices; a module is loaded only when its command is used."""

from cyclopts import App

_COMMANDS = {
    "matrix": (
        "eval_matrix:matrix",
        "Run the scenarios of a repository under every pressure. Exit code 1 if the gate fails, 2 if it cannot tell.",
    ),
    "matrices": ("eval_matrices:list_matrices", "List matrices."),
    "show": ("eval_matrices:show", "Print the heat map of a matrix."),
    "cancel": ("eval_matrices:cancel", "End a matrix; it can be resumed."),
    "resume": ("eval_matrices:resume", "Let a cancelled matrix go on."),
    "rerun": ("eval_matrices:rerun", "Start a matrix of the same selection, on what there is now."),
    "export": (
        "eval_matrices:export",
        "Print a matrix as a file: heat map, report, JUnit XML, Markdown, JSON.",
    ),
    "compare-matrices": (
        "eval_compare_matrices:compare_matrices",
        "Hold one matrix against another, regressions first.",
    ),
}


def register(app: App) -> None:
    for name, (place, about) in _COMMANDS.items():
        app.command(f"pipelines.odyssey.cli.commands.{place}", name=name, help=about)
