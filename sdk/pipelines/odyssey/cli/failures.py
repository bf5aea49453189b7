"""What ends a command, apart from the way to a platform, so that those who never ask one can say it too."""

NOT_RIGHT = 1
"""Exit code of a command that did its work and found faults, runs that did not pass, regressions, idle checks."""
FAILED = 2
"""Exit code of a command that could not do its work."""
INTERRUPTED = 130
"""Exit code of a command that was waiting when Ctrl-C came."""


class CommandFailedError(Exception):
    """The command cannot go on; the message is what the person reads."""
