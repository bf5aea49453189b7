"""Requests for runs, and the batches that larger ones make: rows of a dataset or seeds, each so many times.

`create.py` checks a request and makes its first runs, `source.py` says which come next (`campaigns` makes them). What
became of one: `repository.py` counts, `render.py` shows, `compare.py` holds two against each other, `export_files.py`
writes files.
"""
