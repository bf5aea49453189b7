"""Types and rules that every room shares: frozen, pure, without SQL, HTTP or settings.

`tools.py` and `ledger.py` are what an agent declares and what can happen to its world; `canonical.py` and
`json_schema.py` how values are compared and checked; `faults.py` and `problems.py` how everything wrong with an input
is said at once.
"""
