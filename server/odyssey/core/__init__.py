"""What every room stands on and none is about: the database, time, wake-ups, streams, requests to other servers.

Read `database.py` and `group_commit.py` for how things are written, `scheduling.py` for who works on what, `signals.py`
for how one part wakes another, `outbound.py` with `addresses.py` for every request to an address that others choose.
"""
