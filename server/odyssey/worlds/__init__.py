"""The ledger: what a simulated world is, and how it changes.

`ledger.py` is the world at one moment, `operations.py` the only way to another. `entity_map.py` and `field_index.py`
make that cheap in large worlds. `repository.py` keeps entries, and first moments for many runs.
"""
