"""The engine that answers from the world alone: what a tool's name and schema say, applied to the ledger."""
