"""The syntax of an http address. Whether it may be reached is decided elsewhere, on the resolved address."""

import ipaddress
import re
from typing import Any
from urllib.parse import SplitResult, urlsplit

MAX_URL = 2048

# Python's splitter drops tabs and line breaks silently, and browsers read a backslash as a slash.
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f-\xa0\\\ud800-\udfff]")
_HOST = re.compile(r"[^\s/?#@:\[\]<>\"{}|^`%\\]{1,253}")


def check_url(value: Any, *, schemes: tuple[str, ...]) -> str | None:
    """Say what is wrong with a URL, or None. Never repeats the URL: it may hold a password."""
    if not isinstance(value, str) or not value:
        return f"must be a URL such as '{schemes[0]}://agent.example.com/run'"
    if len(value) > MAX_URL:
        return f"has {len(value)} characters; at most {MAX_URL} are allowed"
    if _FORBIDDEN.search(value):
        return "must not contain spaces, control characters or backslashes; percent-encode them"
    try:
        parts = urlsplit(value)
        return _check_parts(parts, schemes) or (
            "must not have a fragment (#…); remove it" if "#" in value else None
        )
    except ValueError:
        return "is not a valid URL; check its host and port"


def _check_parts(parts: SplitResult, schemes: tuple[str, ...]) -> str | None:
    if parts.scheme not in schemes:
        return f"must start with {' or '.join(f'{scheme}://' for scheme in schemes)}"
    if "@" in parts.netloc:
        return "must not contain a user name or password; use a header instead"
    if not parts.hostname or not _is_host(parts):
        return "has no valid host; write for example https://agent.example.com/run"
    if parts.port == 0 or parts.netloc.endswith(":"):
        return "has no valid port; use 1 to 65535 or leave it out"
    return None


def _is_host(parts: SplitResult) -> bool:
    assert parts.hostname is not None
    if parts.netloc.startswith("["):
        # Raises ValueError, which the caller reports. A zone ("%eth0") means nothing outside its host.
        ipaddress.IPv6Address(parts.hostname)
        return "%" not in parts.hostname
    return _HOST.fullmatch(parts.hostname) is not None
