"""The runs of a batch for other programs: CSV, JSON, JUnit."""
