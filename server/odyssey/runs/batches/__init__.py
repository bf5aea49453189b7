"""Many runs of one agent: `check.py` pings it once, `feed.py` makes its runs, `feeder.py` is the loop that does both."""
