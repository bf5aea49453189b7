"""The audit of rows: useless agents that try to pass them, and what would have to be true for anybody to pass."""
