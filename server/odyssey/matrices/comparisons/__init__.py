"""One cell in depth: `select_runs.py` says which runs, `cell.py` what they come to."""
