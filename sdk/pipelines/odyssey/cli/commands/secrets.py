"""A secret handed to a command: from the environment, from a pipe, or typed unseen; never as an argument."""

import getpass
import os
import sys

from pipelines.odyssey.cli.failures import CommandFailedError


def read_secret(environment_variable: str | None, what: str) -> str:
    """Return a secret without the line break that a pipe or a file leaves behind it."""
    if environment_variable is not None:
        value = os.environ.get(environment_variable, "")
        if not value:
            raise CommandFailedError(f"The environment variable {environment_variable} is not set.")
    elif sys.stdin.isatty():
        value = getpass.getpass(f"{what}: ")
    else:
        value = sys.stdin.read()
    value = value.rstrip("\r\n")
    if not value:
        raise CommandFailedError(
            f"There is no {what}: pipe it in, type it when asked, or name a variable with --secret-env."
        )
    return value
