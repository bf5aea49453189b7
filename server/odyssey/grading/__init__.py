"""From what is known of a run to a verdict.

`evidence.py` is all that graders may go by. `checks/` are pure, `judges/` ask a model. `verdict.py` finds calls
that nobody saw, and makes one verdict of all of it. `world_notes.py` says beside it what the world did badly.
"""
