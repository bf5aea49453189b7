"""Grading runs that ended: `graders.py` is the loop, `grade_run.py` one run."""
