"""`odyssey eval`: does an agent keep to its behaviour when somebody presses?"""

from cyclopts import App

from pipelines.odyssey.commands.eval_commands import register

app = App(name="eval")
register(app)
