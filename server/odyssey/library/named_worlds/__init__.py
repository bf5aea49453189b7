"""Worlds with a name, to begin runs with: `keep.py`, changes (`state.py`), imports (`rows.py`), and `try_call.py`."""
