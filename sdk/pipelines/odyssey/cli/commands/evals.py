"""`odyssey eval`: does an agent keep to its behaviour when somebody presses?"""

from cyclopts import App

from pipelines.odyssey.cli.commands.eval_commands import register
from pipelines.odyssey.cli.commands.eval_compare import compare
from pipelines.odyssey.cli.commands.eval_run import run
from pipelines.odyssey.cli.commands.eval_scenarios import app as scenarios

app = App(name="eval")
app.command(scenarios)
app.command(run)
app.command(compare)
register(app)
