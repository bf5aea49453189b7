"""Tables of tasks. An upload goes through `reading.py` into `keep.py`, whole or not at all; `lint.py` and `audit.py`
look at rows without keeping them.
"""
