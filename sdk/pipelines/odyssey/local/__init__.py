"""Runs on this machine, without a platform: a scripted proxy, and the process of a code-mode entrypoint."""
