"""Whether anybody can pass a row: demands that contradict each other, or that can never hold.

All of it is proof: what is not understood is left open, so that a row which can be passed is never called impossible.
"""
