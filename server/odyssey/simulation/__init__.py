"""A world that answers tool calls in milliseconds, without a model where it can.

`engine.py` is the seam: an engine reads a world and proposes. Behind it are `world/` (from names and schemas),
`programs/` (written down) and `llm/`; `behaviours/` lie over all three, `rules/` come before them. `choosing.py` says
who answers, `simulate.py` checks the answer and applies it, `consistency/` holds it against the world.
"""
