"""Scenarios as a file that lives well in git: YAML or JSON, members always in one order, nothing that is not meant."""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from pydantic import ValidationError
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.errors import ValidationFailedError
from odyssey.core.wire import pydantic_faults
from odyssey.evals.models import Scenario
from odyssey.evals.scenarios.content import ScenarioContent, checks_depend_on_version, write_yaml
from odyssey.evals.scenarios.keep import ScenarioKeeper, ScenarioOutcome, ScenarioReferences, content_of
from odyssey.evals.scenarios.repository import find_scenarios, get_scenario, scenarios_named
from odyssey.evals.scenarios.schemas import ScenarioIn
from odyssey.grading.checks import ChecksVersion
from odyssey.records.problems import FaultList, FieldError

Format = Literal["yaml", "json"]

MAX_SCENARIOS = 1000

_LIST = "scenarios"
_VERSION = "checks_version"
_UNSAID: ChecksVersion = 1
"""Of a file that does not say: files from before there was a second version keep their meaning."""
_ORDER = (
    "id",
    "name",
    "description",
    "risk_level",
    "tags",
    "user_instruction",
    "input_context",
    "expected_behavior",
    "protected",
    "checks_version",
    "world_id",
    "agent_id",
)


Entry = tuple[str | None, ScenarioContent]
"""One scenario of a file, and the id it has there."""


def read_entries(document: Any) -> list[Entry]:
    """Read `{"scenarios": […]}`, a list of scenarios, or one scenario; every fault of every one at once."""
    rows = document.get(_LIST, [document]) if isinstance(document, dict) else document
    if not isinstance(rows, list) or not rows:
        message = f"the file must be a list of scenarios, or an object with such a list under {_LIST!r}"
        raise ValidationFailedError([FieldError(loc=("body",), msg=message)])
    if len(rows) > MAX_SCENARIOS:
        message = f"has {len(rows)} scenarios; at most {MAX_SCENARIOS} are taken at once"
        raise ValidationFailedError([FieldError(loc=(_LIST,), msg=message)])
    faults = FaultList()
    entries: list[Entry] = []
    version = document.get(_VERSION, _UNSAID) if isinstance(document, dict) else _UNSAID
    for index, row in enumerate(rows):
        try:
            entries.append(_read_entry(row, version))
        except ValidationError as error:
            faults += _faults(error).under(_LIST, index)
    _refuse(faults)
    return entries


def old_meaning(document: Any, entries: Sequence[Entry]) -> str | None:
    """Say how many scenarios of a file have checks of calls and do not say which meaning these have."""
    rows = document.get(_LIST, [document]) if isinstance(document, dict) else document
    if isinstance(document, dict) and _VERSION in document:
        return None
    count = sum(
        _VERSION not in row and checks_depend_on_version(content)
        for row, (_, content) in zip(rows, entries, strict=True)
    )
    if not count:
        return None
    scenarios = "One scenario has" if count == 1 else f"{count} scenarios have"
    return (
        f"{scenarios} checks of calls and no {_VERSION}, so a call "
        f"that failed counts as done. Write {_VERSION}: 2 at the top of the file to have only calls that succeed count."
    )


async def take_in(
    session: AsyncSession, keeper: ScenarioKeeper, entries: list[Entry]
) -> list[ScenarioOutcome]:
    """Keep all scenarios of a file or none. One that is known, by its id or else its name, is changed."""
    org_id = keeper.caller.org_id
    known = await ScenarioReferences.look_up(session, org_id, [content for _, content in entries])
    faults = FaultList.of(
        *(known.faults(content).under(_LIST, index) for index, (_, content) in enumerate(entries))
    )
    _refuse(faults)
    targets = await _targets(session, org_id, entries)
    kept: list[ScenarioOutcome] = []
    for (_, content), target in zip(entries, targets, strict=True):
        if target is None:
            kept.append(await keeper.add(content))
        else:
            locked = await get_scenario(session, org_id, target.id, lock=True)
            kept.append(await keeper.put(locked, content))
    return kept


async def _targets(session: AsyncSession, org_id: int, entries: list[Entry]) -> list[Scenario | None]:
    by_id = await find_scenarios(session, org_id, {own_id for own_id, _ in entries if own_id is not None})
    by_name = await scenarios_named(session, org_id, {content.name for _, content in entries})
    targets: list[Scenario | None] = []
    taken: set[str] = set()
    for index, (own_id, content) in enumerate(entries):
        named = by_name.get(content.name, [])
        target = by_id.get(own_id or "") or (named[0] if len(named) == 1 else None)
        if target is not None and target.id in taken:
            message = f"two scenarios of the file are the scenario {target.id}; give them different names"
            raise ValidationFailedError([FieldError(loc=(_LIST, index), msg=message)])
        taken |= set() if target is None else {target.id}
        targets.append(target)
    return targets


def write_file(scenarios: list[tuple[Scenario, ScenarioContent]], kind: Format) -> str:
    rows = [_ordered(scenario.id, content) for scenario, content in scenarios]
    document = {_LIST: rows}
    if kind == "yaml":
        return write_yaml(document)
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode("utf-8") + "\n"


def _read_entry(row: Any, version: Any) -> Entry:
    given = row
    scenario_id = None
    if isinstance(row, dict):
        scenario_id = row.get("id")
        given = {"checks_version": version} | {name: value for name, value in row.items() if name != "id"}
    body = ScenarioIn.model_validate(given)
    return scenario_id if isinstance(scenario_id, str) else None, content_of(body)


def _faults(error: ValidationError) -> FaultList:
    return pydantic_faults(error.errors(include_url=False, include_input=False), "scenario").each(
        lambda fault: FieldError(() if fault.loc == ("scenario",) else fault.loc, fault.msg)
    )


def _refuse(faults: FaultList) -> None:
    if faults:
        raise ValidationFailedError(faults)


def _ordered(scenario_id: str, content: ScenarioContent) -> dict[str, Any]:
    members = {"id": scenario_id, **content.stored()}
    return {name: members[name] for name in _ORDER if name in members}
