"""Secrets an organisation keeps for the services its agents' tools talk to."""
