"""Scenarios as YAML that reads well in git, and that `kit.yaml_reader` reads back to the same value."""

import re
from typing import Any

import yaml

from odyssey.kit.yaml_reader import TAG_PREFIX, add_plain_scalars

_OTHER_BREAK = re.compile("[\r\x85\u2028\u2029]")


class _Dumper(yaml.SafeDumper):  # type: ignore[misc] # the library has no types
    """Writes long texts as blocks, and never an alias."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the library's
        return True


def _text(dumper: Any, text: str) -> Any:
    style = "|" if "\n" in text.strip("\n") else None
    if _OTHER_BREAK.search(text):
        style = '"'  # the library folds them in every other style
    return dumper.represent_scalar(TAG_PREFIX + "str", text, style=style)


add_plain_scalars(_Dumper)
_Dumper.add_representer(str, _text)


def write_yaml(value: Any) -> str:
    """Write JSON as YAML that `read_yaml` reads back to the same value."""
    text: str = yaml.dump(
        value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100, default_flow_style=False
    )
    return text
