"""Every fault on the page of faults names a test that is there."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parents[1] / "docs" / "reference" / "faults.md"


def test_every_fault_names_a_test_that_brings_it_about() -> None:
    rows = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ")]
    faults = [row for row in rows if not row.startswith("| fault |")]
    assert len(faults) > 30
    for row in faults:
        (cited,) = re.findall(r"`((?:[a-z_]+/)+test_[a-z_]+\.py(?:::test_[a-z0-9_]+)?)` \|$", row)
        file, _, name = cited.partition("::")
        tree = ast.parse((TESTS / file).read_text("utf-8"))
        names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert not name or name in names, cited
