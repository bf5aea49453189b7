"""A matrix: every scenario under every pressure, so often that chance can be told from a weakness.

In the order in which one lives: `take_snapshot.py` freezes what is asked, `plan.py` says which runs that takes,
`source.py` plans them for `campaigns`, which makes them, `cells.py` judges what they came to, `finish.py` stores it.
`life.py` starts, cancels and resumes one, `progress.py` and `stream.py` show it meanwhile. `comparisons/` looks at
one cell in depth, `reports/` writes a matrix down for others.
"""
