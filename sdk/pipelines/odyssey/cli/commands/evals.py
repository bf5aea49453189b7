"""`odyssey eval`: does an agent keep to its behaviour when somebody presses?"""

from cyclopts import App

from pipelines.odyssey.cli.commands.eval_pressure import compare, run
from pipelines.odyssey.cli.commands.eval_scenarios import app as scenarios

# Modules of matrices are loaded only when their command is used.
_MATRICES = {
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
        "eval_matrices:compare_matrices",
        "Hold one matrix against another, regressions first.",
    ),
}

app = App(name="eval")
app.command(scenarios)
app.command(run)
app.command(compare)
for _name, (_place, _about) in _MATRICES.items():
    app.command(f"pipelines.odyssey.cli.commands.{_place}", name=_name, help=_about)
