"""Runs of scenarios: `start.py` makes them, `observe.py` reads off what the agent did once they have ended."""
