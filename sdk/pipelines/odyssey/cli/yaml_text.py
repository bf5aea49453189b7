"""YAML as the platform reads it: plain scalars mean what they mean in JSON, so `no` and `1:30` are texts."""

import json
import re
from pathlib import Path
from typing import Any

import yaml

from pipelines.odyssey.cli.failures import CommandFailedError

_PREFIX = "tag:yaml.org,2002:"
_BASE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SCALARS = (
    ("null", r"^(?:~|null|)$", ["~", "n", ""]),
    ("bool", r"^(?:true|false)$", list("tf")),
    ("int", r"^-?(?:0|[1-9][0-9]*)$", list("-0123456789")),
    ("float", r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$", list("-0123456789")),
)
_OTHER_BREAK = re.compile("[\r\x85\u2028\u2029]")


class _Loader(_BASE):  # type: ignore[misc] # the library has no types
    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - as the library has it

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[str, Any]:  # noqa: ARG002 - the library's
        made: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str) or key in made:
                fault = "is there twice" if isinstance(key, str) else "is not a text; put it in quotes"
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key!r} {fault}", key_node.start_mark
                )
            made[key] = self.construct_object(value_node, deep=True)
        return made


class _Dumper(yaml.SafeDumper):  # type: ignore[misc] # the library has no types
    """Writes long texts as blocks, and never an alias."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the library's
        return True


def _text(dumper: Any, text: str) -> Any:
    style = "|" if "\n" in text.strip("\n") else None
    if _OTHER_BREAK.search(text):
        style = '"'  # the library folds them in every other style
    return dumper.represent_scalar(f"{_PREFIX}str", text, style=style)


for _kind, _pattern, _first in _SCALARS:
    _Loader.add_implicit_resolver(_PREFIX + _kind, re.compile(_pattern), _first)
    _Dumper.add_implicit_resolver(_PREFIX + _kind, re.compile(_pattern), _first)
_Dumper.add_representer(str, _text)
_Loader.add_constructor(_PREFIX + "int", lambda loader, node: int(loader.construct_scalar(node)))
_Loader.add_constructor(_PREFIX + "float", lambda loader, node: float(loader.construct_scalar(node)))
_Loader.add_constructor(_PREFIX + "map", lambda loader, node: loader.construct_mapping(node))


def read_document(path: Path) -> Any:
    """Read a YAML file, or a JSON one by its ending; raises CommandFailedError with the place of a fault."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise CommandFailedError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise CommandFailedError(f"{path} cannot be read: it is not UTF-8.") from None
    try:
        if path.suffix.lower() == ".json":
            return json.loads(text)
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader that knows JSON's types only
    except json.JSONDecodeError as error:
        raise CommandFailedError(f"{path} is not JSON: {error.msg}, line {error.lineno}.") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f", line {mark.line + 1}" if mark else ""
        raise CommandFailedError(f"{path} is not YAML: {error.problem}{where}.") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise CommandFailedError(f"{path} is not YAML: {str(error).partition(chr(10))[0]}.") from None


def document_text(value: Any, path: Path) -> str:
    """Write a value as YAML, or as JSON by the file's ending, so that `read_document` reads it back the same."""
    if path.suffix.lower() == ".json":
        return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    text: str = yaml.dump(
        value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100, default_flow_style=False
    )
    return text
