"""From us to the agent: one POST with the task, and what its answer means.

`envelope.py` is what goes out, `reply.py` what comes back, `transport.py` the seam between, with HTTP
behind it. `classify.py` says why a dispatch failed, which decides whose fault it was.
"""
