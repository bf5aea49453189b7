"""The name under which pip knows this SDK; messages, scaffolds and `--version` take it from here."""

NAME = "odyssey-agents-sdk"


def requirement(extra: str) -> str:
    """Return what a requirements file says to get the SDK with an extra of it."""
    return f"{NAME}[{extra}]"


def how_to_install(extra: str) -> str:
    return f"pip install '{requirement(extra)}'"
