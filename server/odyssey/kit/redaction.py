"""Keeping secrets out of what their receiver says: an agent, a service or a model may repeat what it was sent."""

import json
from collections.abc import Iterator
from typing import Any

SHORTEST_SECRET = 8
"""A shorter one could be part of any word, and is no secret."""

_PUT = "[redacted]"


class Redaction:
    """Takes secrets out of texts, bytes and every text in a JSON value."""

    def __init__(self, *secrets: str | None) -> None:
        long_enough = [secret for secret in secrets if secret is not None and len(secret) >= SHORTEST_SECRET]
        # In a text that should have been JSON and is not, a secret may stand as JSON spells it.
        spelled = {*long_enough, *(json.dumps(secret)[1:-1] for secret in long_enough)}
        self._forms = sorted(spelled, key=len, reverse=True)

    def text(self, text: str) -> str:
        for form in self._forms:
            text = text.replace(form, _PUT)
        return text

    def raw(self, body: bytes) -> bytes:
        for form in self._forms:
            body = body.replace(form.encode("utf-8", "surrogatepass"), _PUT.encode())
        return body

    def value(self, value: Any) -> Any:
        """Return the value without the secrets; the very same one if none occurs in it, which is quick to tell."""
        if not self._forms:
            return value
        together = "\0".join(_texts(value))
        return self._without(value) if any(form in together for form in self._forms) else value

    def _without(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._without(item) for item in value]
        if isinstance(value, dict):
            return {self.text(name): self._without(item) for name, item in value.items()}
        return value


def _texts(value: Any) -> Iterator[str]:
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, list):
            pending += each
        elif isinstance(each, dict):
            yield from each
            pending += each.values()
