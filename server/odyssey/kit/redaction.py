"""Keeping a secret out of what its receiver says: an error page, a service or a model may repeat what it was sent."""

import json
from typing import Any

_PUT = "[redacted]"


class Redaction:
    """Takes one secret out of texts and of every text in a JSON value."""

    def __init__(self, secret: str | None) -> None:
        # In a text that should have been JSON and is not, the secret may stand as JSON spells it.
        spelled = {secret, json.dumps(secret)[1:-1]} if secret else set()
        self._forms = sorted(filter(None, spelled), key=len, reverse=True)

    def text(self, text: str) -> str:
        for form in self._forms:
            text = text.replace(form, _PUT)
        return text

    def value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {self.text(name): self.value(item) for name, item in value.items()}
        return value
