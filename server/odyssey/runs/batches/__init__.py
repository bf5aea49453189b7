"""Many runs of one agent: `check.py` pings it once, `feed.py` makes its runs, both from the loop in `feeder.py`."""
