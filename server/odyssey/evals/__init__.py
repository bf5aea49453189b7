"""What a run's behaviour is, how far two behaviours are apart, and whether one is what a scenario expects.

Read `behaviour.py`, `distance.py` and `match.py` first: they are pure, with the parts of the distance in `parts.py`.
`scenarios/` and `variations/` keep what is asked and how it is pressed; `eval_runs/` starts runs of them and reads off
what the agent did once they have ended (`eval_runs/observe.py`).
"""
