"""What happened in a run, in order and for ever: its frozen context and its events, each with a sequence number.

`events.py` reads and appends, also for the hot path. `contents.py` keeps documents by their hash.
"""
