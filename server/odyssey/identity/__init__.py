"""Who calls, what they may do, and what is kept secret for them.

Every route goes through `guard.py`: it states who may call it, and finds out who does, by a key, a token or a
browser's session. `vault.py` seals secrets, `caller.py` writes down who changed what, `idempotency.py` answers a
repeat.
"""
