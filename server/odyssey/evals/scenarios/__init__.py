"""What is asked of an agent and what it should do: `content.py` says what a scenario is, `keep.py` versions it."""
