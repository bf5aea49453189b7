"""The steps of the schema, applied by `core/migrate.py`; see `versions/`."""
