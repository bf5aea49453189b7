"""The life of a run.

`making.py` makes it, `opening.py` claims it and opens an attempt, `attempt.py` is the attempt,
`closing.py` records how it ended; `executor.py` does these in turns. `verdicts/` grades what ended,
`platform_faults.py` takes back what an outage of ours has spoilt. Many runs at once are a campaign: `campaigns`.
"""
