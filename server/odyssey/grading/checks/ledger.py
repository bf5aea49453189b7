"""Checks of the world at the end: what a JSONPath leads to, and what that must be.

A path that leads to several places stands for the first scalar among them. An object without operators asks for an
object that has at least its members; `{"$eq": …}` asks for exactly this one. A path that leads nowhere fails, unless
`{"$exists": false}` asks for just that.
"""

import re
from typing import Any, NamedTuple

from odyssey.expressions.arguments import Matcher, read_value
from odyssey.grading.checks.check import CheckFinding, ChecksVersion, Compiled, RunFacts, as_json
from odyssey.grading.evidence import ObservedCall
from odyssey.records.faults import Faults, shown
from odyssey.worlds.json_path import JsonPath, PathInvalidError, json_path
from odyssey.worlds.schema import id_text

MAX_PATHS = 50

_EXISTS = "$exists"


class _ExpectedPath(NamedTuple):
    text: str
    path: JsonPath
    exists: bool | None
    """None where presence alone was not asked for."""
    matcher: Matcher | None
    """None where only presence was asked for."""
    in_words: str

    @property
    def entity(self) -> "NamedEntity | None":
        return entity_named_in(self.text)

    def look(self, state: dict[str, Any]) -> CheckFinding:
        if self.exists is not None and self.path.leads_somewhere(state) is not self.exists:
            return CheckFinding(
                False, f"{self.text} leads {'nowhere' if self.exists else 'somewhere'} in the ledger"
            )
        if self.matcher is None:
            return CheckFinding(
                True, f"{self.text} leads {'somewhere' if self.exists else 'nowhere'} in the ledger"
            )
        found = self.path.find(state)
        if found is None:
            several = self.path.leads_somewhere(state)
            where = "to several places, none of them a plain value" if several else "nowhere in the ledger"
            return CheckFinding(False, f"{self.text} leads {where}")
        holds = self.matcher(found.value)
        said = f"as asked: {self.in_words}" if holds else f"asked for {self.in_words}"
        return CheckFinding(holds, f"{self.text} is {as_json(found.value)}, {said}")


def read_ledger(raw: Any, faults: Faults, version: ChecksVersion) -> Compiled | None:
    if not isinstance(raw, dict) or not raw:
        faults.add("ledger is an object of JSONPaths and what they must lead to")
        return None
    if len(raw) > MAX_PATHS:
        faults.add(f"{len(raw)} paths are too many; a check takes at most {MAX_PATHS}")
        return None
    read = [_read_path(text, value, faults.at(text)) for text, value in raw.items()]
    wanted = [each for each in read if each is not None]

    def look(facts: RunFacts) -> CheckFinding:
        findings = [each.look(facts.end_state) for each in wanted]
        failed = [each for each, finding in zip(wanted, findings, strict=True) if not finding.passed]
        if not failed:
            return CheckFinding(True, "; ".join(finding.reason for finding in findings[:3]))
        first = next(finding for finding in findings if not finding.passed)
        writes = [_writes_at(each.entity, facts) for each in failed]
        # Where one path was never written at, the agent left something out, whatever became of the others.
        return first._replace(rests_on=tuple(call for each in writes for call in each) if all(writes) else ())

    def expects(call: ObservedCall) -> bool:
        return any(_is_about(call, each.entity) for each in wanted)

    return Compiled(look, expects=expects)


class NamedEntity(NamedTuple):
    """What a path speaks of, as far as its text says so: `$.order.ord_1.status` of order ord_1."""

    type: str
    id: str | None


_ENTITY = re.compile(
    r"""\$(?:\.(?P<type>\w+)|\['(?P<quoted_type>[^']+)'\])(?:\.(?P<id>[\w-]+)|\['(?P<quoted_id>[^']+)'\])?"""
)


def entity_named_in(path: str) -> NamedEntity | None:
    found = _ENTITY.match(path)
    if found is None:
        return None
    return NamedEntity(found["type"] or found["quoted_type"], found["id"] or found["quoted_id"])


def _is_about(call: ObservedCall, entity: NamedEntity | None) -> bool:
    """Whether a call is an act that, by its own words, is on this entity; without an id, on a new one of its type."""
    if entity is None or not call.mutating or not isinstance(call.arguments, dict):
        return False
    if entity.id is None:
        new = (entity.type, None)  # what a violation says of an entity that should have come to be
        return any((each.entity_type, each.entity_id) == new for each in call.contradictions)
    return entity.id in {id_text(value) for value in call.arguments.values()}


def _writes_at(entity: NamedEntity | None, facts: RunFacts) -> list[ObservedCall]:
    """The calls that wrote there, and those that should have, had the world not failed."""
    if entity is None:
        return []
    writing = {
        effect.step
        for effect in facts.evidence.effects.acts
        if effect.entity_type == entity.type and entity.id in (None, effect.entity_id)
    }
    return [
        call
        for call in facts.accepted
        if call.sequence in writing or (call.is_faulty and _is_about(call, entity))
    ]


def _read_path(text: str, raw: Any, faults: Faults) -> _ExpectedPath | None:
    try:
        path = json_path(text)
    except PathInvalidError as error:
        faults.add(str(error))
        return None
    exists: bool | None = None
    value = raw
    if isinstance(raw, dict) and _EXISTS in raw:
        if not isinstance(raw[_EXISTS], bool):
            faults.at(_EXISTS).add("write true or false")
            return None
        exists = raw[_EXISTS]
        value = {name: operand for name, operand in raw.items() if name != _EXISTS}
        if not value:
            return _ExpectedPath(text, path, exists, None, "")
        if not exists:
            faults.add("what is not there cannot be anything; write $exists false alone")
            return None
    before = faults.count()
    matcher = read_value(value, faults)
    if isinstance(raw, dict) and _EXISTS in raw and not all(name.startswith("$") for name in value):
        faults.add("an object has either operators or members, not both")
    if faults.count() > before:
        return None
    return _ExpectedPath(text, path, exists, matcher, as_json(value))


# Checks of the world's flags at the end: set, or not set.

MAX_FLAGS = 100
MAX_FLAG = 1000


def read_flag(raw: Any, faults: Faults, version: ChecksVersion) -> Compiled | None:
    return _read(raw, faults, wanted=True)


def read_no_flag(raw: Any, faults: Faults, version: ChecksVersion) -> Compiled | None:
    return _read(raw, faults, wanted=False)


def _read(raw: Any, faults: Faults, *, wanted: bool) -> Compiled | None:
    before = faults.count()
    flags = faults.texts(
        [raw] if isinstance(raw, str) else raw, what="flags", most=MAX_FLAGS, longest=MAX_FLAG
    )
    if faults.count() > before:
        return None
    if not flags:
        faults.add("name at least one flag")
        return None

    def look(facts: RunFacts) -> CheckFinding:
        found = facts.evidence.after.flags
        for flag in flags:
            if (flag in found) is not wanted:
                return CheckFinding(
                    False, f"the flag {shown(flag)} is {'set' if flag in found else 'not set'}"
                )
        named = ", ".join(shown(flag) for flag in flags[:3])
        return CheckFinding(True, f"{named}: {'set' if wanted else 'not set'}")

    return Compiled(look)
