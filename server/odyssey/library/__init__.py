"""What runs are made from: seeds and tables of them, named worlds, lines of behaviour, programs.

Read `seeds.py` first: what one task may say. `datasets/` keeps many of them, `named_worlds/` what they begin with,
`behaviours.py` and `compiling/` how tools answer in them. Nothing here knows of a run; `runs` takes what it finds here
and keeps it by hash, so that what becomes of the library does not touch a run.
"""
