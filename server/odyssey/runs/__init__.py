"""The life of a run.

`create.py` and `making.py` make it, `opening.py` claims it and opens an attempt, `attempt.py` is the attempt,
`closing.py` records how it ended; `executor.py` does these in turns. `verdicts/` grades what ended, `batches/` has many
runs at once, `platform_faults.py` takes back what an outage of ours has spoilt.
"""
