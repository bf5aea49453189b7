"""Scenarios over HTTP (wire-contract.md#d12)."""

import asyncio
from collections import Counter
from typing import Annotated, Any

from fastapi import Depends, Query, Request, Response

from odyssey.core.depends import ClockDep, Limit, ReadSession, SortedCursor, WorkerDep, WriteSession
from odyssey.core.errors import (
    BadRequestError,
    JsonRefusedError,
    UnsupportedMediaTypeError,
    ValidationFailedError,
)
from odyssey.core.paging import PageRequest
from odyssey.core.wire import PlainText
from odyssey.core.worker import Worker
from odyssey.evals.models import Scenario
from odyssey.evals.scenarios.content import (
    RiskLevel,
    ScenarioContent,
    checks_depend_on_version,
    render_input,
)
from odyssey.evals.scenarios.files import (
    MAX_SCENARIOS,
    Entry,
    Format,
    old_meaning,
    read_entries,
    take_in,
    write_file,
)
from odyssey.evals.scenarios.keep import ScenarioKeeper
from odyssey.evals.scenarios.repository import (
    SCENARIO_ORDER,
    ScenarioFilter,
    contents_of,
    get_content,
    get_scenario,
    list_scenarios,
)
from odyssey.evals.scenarios.schemas import (
    ImportedScenario,
    ImportedScenarios,
    ScenarioChange,
    ScenarioId,
    ScenarioIn,
    ScenarioOut,
    ScenariosPage,
    ScenarioSummary,
    Tag,
)
from odyssey.grading.checks import LATEST_VERSION
from odyssey.identity.guard import GuardedRouter, Member, Viewer
from odyssey.kit.json_reader import JsonInvalidError, read_json
from odyssey.kit.pagination import DEFAULT_LIMIT
from odyssey.kit.yaml_reader import YamlInvalidError, read_yaml
from odyssey.records.problems import FieldError

# Scenarios as the API shows them.


def summary(scenario: Scenario) -> ScenarioSummary:
    return ScenarioSummary.model_validate(scenario, from_attributes=True)


def whole(scenario: Scenario, content: ScenarioContent, version: int | None = None) -> ScenarioOut:
    """Show one version, the present one unless another is named."""
    return ScenarioOut(
        id=scenario.id,
        version=version or scenario.version,
        name=content.name,
        description=content.description,
        risk_level=content.risk_level,
        tags=content.tags,
        created_at=scenario.created_at,
        updated_at=scenario.updated_at,
        input_context=content.input_context,
        expected_behavior=content.expected_behavior,
        user_instruction=content.user_instruction,
        world_id=content.world_id,
        agent_id=content.agent_id,
        protected=content.protected,
        checks_version=content.checks_version if checks_depend_on_version(content) else LATEST_VERSION,
        rendered=render_input(content.user_instruction, content.input_context),
    )


router = GuardedRouter(prefix="/api/v1/eval/scenarios", tags=["evals"])


def _keeper(session: WriteSession, caller: Member, clock: ClockDep) -> ScenarioKeeper:
    return ScenarioKeeper(session, clock, caller)


KeeperDep = Annotated[ScenarioKeeper, Depends(_keeper, scope="function")]


def _filter(
    q: Annotated[
        PlainText | None,
        Query(
            max_length=200, description="Part of the name or description; the case of A to Z does not matter."
        ),
    ] = None,
    tag: Annotated[Tag | None, Query()] = None,
    risk_level: RiskLevel | None = None,
) -> ScenarioFilter:
    return ScenarioFilter(q=q, tag=tag, risk_level=risk_level)


FilterDep = Annotated[ScenarioFilter, Depends(_filter)]


@router.post("", status_code=201)
async def create_scenario(body: ScenarioIn, keeper: KeeperDep) -> ScenarioOut:
    kept = await keeper.create(body)
    return whole(kept.scenario, kept.content)


@router.get("")
async def get_scenarios(
    caller: Viewer,
    session: ReadSession,
    wanted: FilterDep,
    cursor: SortedCursor = None,
    limit: Limit = DEFAULT_LIMIT,
    sort: Annotated[str | None, SCENARIO_ORDER] = None,
) -> ScenariosPage:
    page = await list_scenarios(session, caller.org_id, PageRequest(limit, cursor, sort), wanted)
    return ScenariosPage(items=[summary(each) for each in page.items], next_cursor=page.next_cursor)


@router.get("/{scenario_id}")
async def get_one_scenario(
    scenario_id: ScenarioId,
    caller: Viewer,
    session: ReadSession,
    version: Annotated[
        int | None, Query(ge=1, le=2**31 - 1, description="An earlier version; by default the present one.")
    ] = None,
) -> ScenarioOut:
    scenario = await get_scenario(session, caller.org_id, scenario_id)
    return whole(scenario, await get_content(session, scenario, version), version)


@router.put("/{scenario_id}")
async def change_scenario(scenario_id: ScenarioId, body: ScenarioChange, keeper: KeeperDep) -> ScenarioOut:
    """Change what is given; what is omitted stays. Changed content is a new version; runs keep the one they had."""
    kept = await keeper.change(scenario_id, body)
    return whole(kept.scenario, kept.content)


@router.delete("/{scenario_id}", status_code=204)
async def delete_scenario(scenario_id: ScenarioId, keeper: KeeperDep) -> None:
    """Delete a scenario; its runs stay whole."""
    await keeper.delete(scenario_id)


# Scenarios as files over HTTP: out into git, and back.

file_router = GuardedRouter(prefix="/api/v1/eval/scenarios", tags=["evals"])

_YAML_TYPES = ("application/yaml", "application/x-yaml", "text/yaml")
_MEDIA_TYPES: dict[Format, str] = {"yaml": "application/yaml", "json": "application/json"}
_FILE_SCHEMA = {
    "type": "object",
    "required": ["scenarios"],
    "properties": {"scenarios": {"type": "array", "minItems": 1, "items": {"type": "object"}}},
}
_EXPORTED = {"type": "object", "required": ["scenarios"]}
_BODY: dict[str, Any] = {
    "required": True,
    "content": {
        "application/yaml": {"schema": _FILE_SCHEMA},
        "application/json": {"schema": _FILE_SCHEMA},
    },
}
_FILES: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {
            "application/yaml": {"schema": _EXPORTED},
            "application/json": {"schema": _EXPORTED},
        }
    }
}


class YamlRefusedError(BadRequestError):
    code, title = "yaml_invalid", "The body is not one plain YAML document"


@file_router.post("/import", openapi_extra={"requestBody": _BODY})
async def import_scenarios(
    caller: Member, session: WriteSession, clock: ClockDep, worker: WorkerDep, request: Request
) -> ImportedScenarios:
    """Take scenarios from a file, all or none.

    One that has the id of a scenario of yours, or else the name of exactly one, changes that; others are new.
    """
    keeper = ScenarioKeeper(session, clock, caller)
    entries, unversioned = await _entries(request, worker)
    kept = await take_in(session, keeper, entries)
    outcomes = Counter(each.outcome for each in kept)
    items = [
        ImportedScenario.model_validate(
            {
                "id": each.scenario.id,
                "name": each.content.name,
                "version": each.scenario.version,
                "outcome": each.outcome,
            }
        )
        for each in kept
    ]
    return ImportedScenarios(
        created=outcomes["created"],
        changed=outcomes["changed"],
        unchanged=outcomes["unchanged"],
        items=items,
        warnings=[] if unversioned is None else [unversioned],
    )


@file_router.get("/export", response_class=Response, responses=_FILES)
async def export_scenarios(
    caller: Viewer,
    session: ReadSession,
    wanted: FilterDep,
    id: Annotated[
        list[ScenarioId] | None,
        Query(max_length=200, description="May be given several times: only these scenarios."),
    ] = None,
    format: Format = "yaml",
) -> Response:
    """Read scenarios as a file, oldest first. Imported again it changes nothing."""
    wanted = wanted._replace(ids=id or ())
    found, more = await list_scenarios(session, caller.org_id, PageRequest(MAX_SCENARIOS), wanted)
    if more is not None:
        message = f"more than {MAX_SCENARIOS} scenarios; export them by tag, by risk_level or by q"
        raise ValidationFailedError([FieldError(loc=("query", "tag"), msg=message)])
    contents = await contents_of(session, [(each.number, each.version) for each in found])
    pairs = [(each, contents[each.number, each.version]) for each in reversed(found)]
    text = await asyncio.to_thread(write_file, pairs, format)
    headers = {"Content-Disposition": f'attachment; filename="scenarios.{format}"'}
    return Response(text, media_type=_MEDIA_TYPES[format], headers=headers)


async def _entries(request: Request, worker: Worker) -> tuple[list[Entry], str | None]:
    """The scenarios of the file, and what is odd about it."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json" and media_type not in _YAML_TYPES:
        raise UnsupportedMediaTypeError(
            "Send the file as Content-Type: application/yaml or application/json."
        )
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise UnsupportedMediaTypeError("Send the body as it is, without Content-Encoding.")
    body = await request.body()
    return await worker.read(len(body), _read, body, is_json=media_type == "application/json")


def _read(body: bytes, *, is_json: bool) -> tuple[list[Entry], str | None]:
    from_text = read_json if is_json else read_yaml
    try:
        document = from_text(body)
    except YamlInvalidError as error:
        raise YamlRefusedError(f"The body is not such a YAML document: {error}.") from error
    except JsonInvalidError as error:
        raise JsonRefusedError(f"The body is not valid JSON: {error}.") from error
    entries = read_entries(document)
    return entries, old_meaning(document, entries)
