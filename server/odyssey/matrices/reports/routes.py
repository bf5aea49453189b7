"""A matrix as a file over HTTP, for those who look at it elsewhere."""

import asyncio
from collections.abc import Callable
from typing import Annotated, Any, Literal, NamedTuple
from uuid import UUID

from fastapi import Query, Request, Response

from odyssey.core.depends import DatabaseDep, ReadSession, SettingsDep
from odyssey.identity.guard import GuardedRouter, Viewer
from odyssey.matrices.render import read_matrix
from odyssey.matrices.reports.evidence import NOTHING, ReportEvidence
from odyssey.matrices.reports.heat_map import heat_map_page
from odyssey.matrices.reports.junit import junit
from odyssey.matrices.reports.markup import POLICY
from odyssey.matrices.reports.read_evidence import read_evidence
from odyssey.matrices.reports.report import report_page
from odyssey.matrices.reports.summary import markdown
from odyssey.matrices.routes import ProvisionalDep
from odyssey.matrices.schemas import MatrixOut

router = GuardedRouter(prefix="/api/v1/eval/matrix", tags=["evals"])

Format = Literal["json", "junit", "markdown", "html", "report"]


class _Kind(NamedTuple):
    name: str
    media_type: str
    write: Callable[[MatrixOut, ReportEvidence, str], str]


_KINDS: dict[Format, _Kind] = {
    "json": _Kind(
        "matrix-{}.json", "application/json", lambda matrix, *_: matrix.model_dump_json(indent=2) + "\n"
    ),
    "junit": _Kind("matrix-{}.xml", "application/xml", lambda matrix, *_: junit(matrix)),
    "markdown": _Kind("matrix-{}.md", "text/markdown", lambda matrix, _, base: markdown(matrix, base)),
    "html": _Kind("heat-map-{}.html", "text/html", lambda matrix, _, base: heat_map_page(matrix, base)),
    "report": _Kind("report-{}.html", "text/html", report_page),
}
_FILES: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {
            kind.media_type: {"schema": {"type": "object" if kind.media_type.endswith("json") else "string"}}
            for kind in _KINDS.values()
        }
    }
}


@router.get("/{matrix_id}/export", response_class=Response, responses=_FILES)
async def export_matrix(
    matrix_id: UUID,
    caller: Viewer,
    session: ReadSession,
    database: DatabaseDep,
    settings: SettingsDep,
    provisional: ProvisionalDep,
    request: Request,
    file_format: Annotated[Format, Query(alias="format")] = "json",
) -> Response:
    """Download a matrix: as JSON, as JUnit XML or Markdown for a build, as a heat map or a report in one HTML file."""
    matrix = await read_matrix(session, caller.org_id, str(matrix_id), provisional)
    evidence = await read_evidence(database, matrix) if file_format == "report" else NOTHING
    base_url = settings.public_url or str(request.base_url)
    kind = _KINDS[file_format]
    content = await asyncio.to_thread(kind.write, matrix, evidence, base_url)
    headers = {
        "Content-Disposition": f'attachment; filename="{kind.name.format(matrix.id)}"',
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'; sandbox",
    }
    return Response(content, media_type=kind.media_type, headers=headers)
