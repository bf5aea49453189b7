"""What a team registers: its agent's tools, the shape of its world and its configuration, as immutable versions.

Read `definition.py` first: it names everything wrong with a registration at once, with the help of `tools_schema.py`,
`ledger_schema.py` and `config.py`. `register.py` keeps versions; `compiled.py` makes one ready for the hot path.
"""
