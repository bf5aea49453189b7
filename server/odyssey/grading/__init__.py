"""From what is known of a run to a verdict.

`evidence.py` is all that graders may go by. `checks/` are pure, `claims.py` finds calls that nobody saw, `judges/` ask
a model. `verdict.py` makes one verdict of what they say.
"""
