"""How sure one can be: pure functions over numbers.

`shift.py` first: how far runs under a pressure behave otherwise, beyond their own noise. `significance.py`
and `intervals.py` say how sure that is, `cells.py` what is said of a cell for it, `reliability.py` how reliable an
agent is.
"""
