"""What the server adds to the command line: `up.py` starts everything, the others help whoever runs a server."""
