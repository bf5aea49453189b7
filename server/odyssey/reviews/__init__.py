"""What people are to look at, and what they said of it.

`enqueue.py` says what comes into the queue, `new_item.py` in which order, `submit.py` what a person may put there and
decide, `figures.py` what the decisions say of the thresholds. Nothing below knows of this room: `main.py` passes
`enqueue` to those who find something.
"""
