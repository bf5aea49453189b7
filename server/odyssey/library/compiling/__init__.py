"""Programs of tools, proposed by a model and held against recorded calls (`replaying.py`) before they are kept."""
