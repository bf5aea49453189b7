"""Worlds with a name, to begin runs with: `keep.py`, `edit.py`, imports (`rows.py`), and `try_call.py`."""
