"""Structured rules as they are given: every fault of each, and the one form in which lines and rules are equal."""

from collections.abc import Callable, Mapping
from typing import Any

from odyssey.expressions import MAX_EXPRESSION
from odyssey.records.faults import Faults, one_of, shown
from odyssey.simulation.behaviours.scanning import one_line, scan, unclosed
from odyssey.simulation.behaviours.words import CODES, DEFAULT_CODE, NAME, PATH, TOOL

MAX_TOOLS = 100
MAX_FIELDS = 100
MAX_TEXT = 2000

ACTS = (
    *("only_when", "fails_when", "let", "sets", "appends", "adds", "removes"),
    *("sets_flag", "clears_flag", "returns", "changes_nothing_else"),
)
CONDITIONAL = ("sets", "appends", "adds", "removes", "sets_flag", "clears_flag", "returns")
_REFUSALS = {"only_when": "else", "fails_when": "with"}


def read_rule(raw: Any, faults: Faults) -> dict[str, Any] | None:
    """Read one rule; None when something is wrong with it, which `faults` then says."""
    if not isinstance(raw, dict):
        faults.add(f"a rule is an object with tools and one act, not {shown(raw)}")
        return None
    before = faults.count()
    acts = [name for name in ACTS if name in raw]
    if len(acts) != 1:
        given = f"this has {', '.join(acts)}" if acts else "this has none"
        faults.add(f"a rule has exactly one act of {one_of(ACTS)}; {given}")
    members = ["tools", *ACTS, *(("when",) if acts and acts[0] in CONDITIONAL else ())]
    members += [_REFUSALS[act] for act in acts if act in _REFUSALS]
    faults.unknown_members(raw, members, "a rule" if not acts else f"a rule with {acts[0]}")
    rule: dict[str, Any] = {"tools": _read_tools(raw.get("tools"), faults.at("tools"))}
    if "when" in raw:
        rule["when"] = _read_expression(raw["when"], faults.at("when"))
    for act in acts[:1]:
        rule[act] = _READERS[act](raw[act], faults.at(act))
        text = _REFUSALS.get(act, "")
        if text in raw:
            rule[text] = _read_refusal(raw[text], faults.at(text))
    return None if faults.count() > before else rule


def _read_tools(raw: Any, faults: Faults) -> list[str]:
    if raw is None:
        faults.add('tools is missing: a list of tool names, or ["*"] for all')
        return []
    names = faults.texts(raw, what="tool names", most=MAX_TOOLS, longest=128)
    for index, name in enumerate(names):
        if name != "*" and not TOOL.fullmatch(name):
            faults.add(f"{shown(name)} is not the name of a tool", index)
    if "*" in names and len(names) > 1:
        faults.add('"*" stands for all tools, so it stands alone')
    if raw == []:
        faults.add("name at least one tool")
    return names


def _read_expression(raw: Any, faults: Faults) -> str:
    if not isinstance(raw, str) or not raw.strip():
        faults.add(f"must be an expression, written as a text, not {shown(raw)}")
        return ""
    text = one_line(raw)
    if len(text) > MAX_EXPRESSION:
        faults.add(f"has {len(text)} characters; at most {MAX_EXPRESSION} are read")
        return ""
    marks = scan(text)
    if any(mark.text == "//" for mark in marks):
        faults.add("a comment cannot stand in an expression")
    odd = unclosed(marks)
    if odd is not None:
        faults.add(f"{odd.text[0]} at column {odd.start + 1} has no partner")
    return text


def _read_refusal(raw: Any, faults: Faults) -> dict[str, str]:
    if isinstance(raw, str):
        raw = {"message": raw}
    if not isinstance(raw, dict):
        faults.add(f'must be a text or {{"code", "message"}}, not {shown(raw)}')
        return {}
    faults.unknown_members(raw, ("code", "message"), "a refusal")
    code = raw.get("code", DEFAULT_CODE)
    if code not in CODES:
        near = faults.hint(code, CODES) if isinstance(code, str) else ""
        faults.at("code").add(f"{shown(code)} is not one of {one_of(CODES)}{near}")
    return {"code": code, "message": _read_text(raw.get("message"), faults.at("message"))}


def _read_text(raw: Any, faults: Faults) -> str:
    if not isinstance(raw, str) or not raw or len(raw) > MAX_TEXT or "\0" in raw:
        faults.add(f"must be a text of 1 to {MAX_TEXT} characters, not {shown(raw)}")
        return ""
    return raw


def _read_let(raw: Any, faults: Faults) -> dict[str, str]:
    let = _read_map(raw, faults, NAME.fullmatch, "a name")
    if len(let) > 1:
        faults.add("a rule gives one name; write a rule for each")
    return let


def _read_paths(raw: Any, faults: Faults) -> dict[str, str]:
    return _read_map(raw, faults, PATH.fullmatch, "TYPE.FIELD")


def _read_appends(raw: Any, faults: Faults) -> dict[str, str]:
    appends = _read_paths(raw, faults)
    if len(appends) > 1:
        faults.add("a rule appends to one field; write a rule for each")
    return appends


def _read_map(raw: Any, faults: Faults, is_key: Callable[[str], object], what: str) -> dict[str, str]:
    if not isinstance(raw, Mapping) or not raw or len(raw) > MAX_FIELDS:
        faults.add(f"must be an object of 1 to {MAX_FIELDS} expressions by {what}, not {shown(raw)}")
        return {}
    for name in raw:
        if not isinstance(name, str) or not is_key(name):
            faults.add(f"{shown(name)} is not {what}: letters, digits and _, not a digit first")
    return {str(name): _read_expression(value, faults.at(str(name))) for name, value in raw.items()}


def _read_adds(raw: Any, faults: Faults) -> dict[str, dict[str, str]]:
    if not isinstance(raw, Mapping) or len(raw) != 1:
        faults.add(f"must be an object of one type and its fields, not {shown(raw)}")
        return {}
    ((name, fields),) = raw.items()
    if not isinstance(name, str) or not NAME.fullmatch(name):
        faults.add(f"{shown(name)} is not a type an expression can name: letters, digits and _")
    if fields == {}:
        return {str(name): {}}
    return {str(name): _read_map(fields, faults.at(str(name)), _is_field, "the name of a field")}


def _is_field(name: str) -> bool:
    return bool(name) and "\0" not in name and len(name) <= 200


def _read_type(raw: Any, faults: Faults) -> str:
    if not isinstance(raw, str) or not NAME.fullmatch(raw):
        faults.add(f"must be the name of a type, not {shown(raw)}")
        return ""
    return raw


def _read_true(raw: Any, faults: Faults) -> bool:
    if raw is not True:
        faults.add(f"is only ever true, not {shown(raw)}")
    return True


_READERS: dict[str, Callable[[Any, Faults], Any]] = {
    "only_when": _read_expression,
    "fails_when": _read_expression,
    "let": _read_let,
    "sets": _read_paths,
    "appends": _read_appends,
    "adds": _read_adds,
    "removes": _read_type,
    "sets_flag": _read_text,
    "clears_flag": _read_text,
    "returns": _read_expression,
    "changes_nothing_else": _read_true,
}
