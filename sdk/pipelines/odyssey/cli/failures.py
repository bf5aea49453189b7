"""What ends a command, apart from the way to a platform, so that those who never ask one can say it too."""


class CommandFailedError(Exception):
    """The command cannot go on; the message is what the person reads."""
