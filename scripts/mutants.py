"""Breaks guards of the product one at a time and says whether `make test` notices.

A guard is an `if` that ends in a `raise`, or a named limit. The seed draws the same twenty from the same code:

    python scripts/mutants.py --list    # which guards, and how each would be broken
    python scripts/mutants.py           # break each in a copy of the checkout and run the tests on it
    python scripts/mutants.py --only 3 7

The tests of the guard's own room run first; a failure there is a failure of `make test`, so the rest can be skipped.
A guard that no test notices is `missed`, and the exit code is 1.
"""

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Literal, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = (Path("server/odyssey"), Path("sdk/pipelines/odyssey"))
ADAPTERS = PACKAGES[1] / "adapters"
SEED = 18
LIMIT_NAME = re.compile(r"^_?[A-Z0-9_]*(MAX|MOST|LONGEST|LARGEST|LIMIT|DEEPEST|BYTES)[A-Z0-9_]*$")
RAISED_BY = 1000
HANGS_AFTER_S = 90  # a broken guard may leave a test waiting, which is noticed too
SKIPPED = ("migrations", "static", "scaffolds", "_sync")  # generated, or copies of what is drawn elsewhere

Kind = Literal["inverted", "removed", "raised"]
SHARES: dict[Kind, int] = {"inverted": 7, "removed": 7, "raised": 6}


class Mutant(NamedTuple):
    kind: Kind
    file: Path
    line: int
    start: int
    """Where the broken expression begins in the file's text, in characters."""
    original: str
    replacement: str

    def __str__(self) -> str:
        original = " ".join(self.original.split())
        return f"{self.kind:8} {self.file}:{self.line}  {original}  ->  {' '.join(self.replacement.split())}"


def guards(root: Path) -> list[Mutant]:
    """Every way to break one guard, in an order that depends on the code alone."""
    found: list[Mutant] = []
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            if not any(part in SKIPPED for part in path.parts):
                found += _guards_of(path.relative_to(root), path.read_text("utf-8"))
    return found


def _guards_of(file: Path, source: str) -> Iterator[Mutant]:
    lines = source.splitlines(keepends=True)
    starts = [0, *accumulate(len(line) for line in lines)]

    def place(line: int, column: int) -> int:
        """Translate what `ast` says, which counts bytes of a line, to characters of the file."""
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    def mutant(kind: Kind, node: ast.expr, pattern: str) -> Mutant:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = place(node.lineno, node.col_offset)
        original = source[start : place(node.end_lineno, node.end_col_offset)]
        return Mutant(kind, file, node.lineno, start, original, pattern.format(original))

    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.If) and not node.orelse and isinstance(node.body[-1], ast.Raise):
            yield mutant("inverted", node.test, "not ({})")
            yield mutant("removed", node.test, "False")
        elif isinstance(node, ast.Assign | ast.AnnAssign) and _is_limit(node):
            assert node.value is not None
            yield mutant("raised", node.value, f"({{}}) * {RAISED_BY}")


def _is_limit(node: ast.Assign | ast.AnnAssign) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    if len(targets) != 1 or node.value is None:
        return False
    target = targets[0]
    return isinstance(target, ast.Name) and bool(LIMIT_NAME.match(target.id)) and _is_number(node.value)


def _is_number(value: ast.expr) -> bool:
    """Whether it is a number, or arithmetic over numbers such as `16 * 1024 * 1024`."""
    if isinstance(value, ast.BinOp):
        return _is_number(value.left) and _is_number(value.right)
    return isinstance(value, ast.Constant) and type(value.value) in (int, float)


def draw(found: list[Mutant], seed: int = SEED) -> list[Mutant]:
    """Draw the wanted number of each kind, no two of one guard."""
    chance = random.Random(seed)
    drawn: list[Mutant] = []
    for kind, count in SHARES.items():
        broken = {(each.file, each.start) for each in drawn}
        left = [each for each in found if each.kind == kind and (each.file, each.start) not in broken]
        drawn += chance.sample(left, count)
    return drawn


def broken(source: str, mutant: Mutant) -> str:
    end = mutant.start + len(mutant.original)
    assert source[mutant.start : end] == mutant.original
    return source[: mutant.start] + mutant.replacement + source[end:]


class Stage(NamedTuple):
    environment: str
    tests: list[str]


def stages(mutant: Mutant) -> list[Stage]:
    """What to run one after the other until a test fails: the tests of the guard's room, then all of them."""
    everything = Stage(".venv", ["server/tests", "sdk/tests", "examples", "benchmarks"])
    adapters = Stage(".venv-frameworks", ["sdk/adapter_tests"])
    if mutant.file.is_relative_to(ADAPTERS):
        return [adapters, everything]
    if mutant.file.is_relative_to(PACKAGES[1]):
        return [Stage(".venv", ["sdk/tests"]), adapters, everything]
    inside = mutant.file.relative_to(PACKAGES[0]).parts[:-1]
    rooms = [Path("server/tests").joinpath(*inside[:depth]) for depth in range(len(inside), 0, -1)]
    own = [Stage(".venv", [str(room)]) for room in rooms if (ROOT / room).is_dir()]
    callers = Stage(".venv", ["server/tests/api", "server/tests/proxy", "server/tests/runs", "sdk/tests"])
    return [*own, callers, everything]


def run_tests(copy: Path, stage: Stage, *options: str) -> subprocess.CompletedProcess[str]:
    imported = os.pathsep.join([str(copy / "server"), str(copy / "sdk")])  # before what is installed
    python = str(copy / stage.environment / "bin" / "python")
    command = [python, "-m", "pytest", "--no-header", f"--timeout={HANGS_AFTER_S}", *options, *stage.tests]
    variables = {**os.environ, "PYTHONPATH": imported}
    return subprocess.run(command, cwd=copy, env=variables, capture_output=True, text=True)


def failures(told: str) -> list[str]:
    return re.findall(r"^(?:FAILED|ERROR) (\S+::.+?)(?: - |$)", told, re.MULTILINE)


def fail_anyway(copy: Path) -> list[str]:
    """Name the tests that fail in an unbroken copy: they go by the SDK that is installed, which is not the copy's."""
    return failures(run_tests(copy, Stage(".venv", ["sdk/tests"])).stdout)


def noticed_by(mutant: Mutant, copy: Path, but_for: list[str]) -> str | None:
    """Break one guard in the copy and return the first test that fails, if one does."""
    file = copy / mutant.file
    source = file.read_text("utf-8")
    file.write_text(broken(source, mutant), "utf-8")
    left_out = [f"--deselect={test}" for test in but_for]
    try:
        for stage in stages(mutant):
            ended = run_tests(copy, stage, "-x", *left_out)
            if ended.returncode not in (0, 5):  # 5: every test of the folder is marked full
                return next(iter(failures(ended.stdout)), (ended.stdout + ended.stderr)[-300:])
    finally:
        file.write_text(source, "utf-8")
    return None


def copied(folder: Path) -> Path:
    """Copy the checkout with what is built, without environments."""
    left_out = shutil.ignore_patterns(
        ".git", ".venv*", ".mypy_cache", ".ruff_cache", "__pycache__", ".hypothesis"
    )
    copy = folder / "checkout"
    shutil.copytree(ROOT, copy, ignore=left_out, symlinks=True)
    for environment in ROOT.glob(".venv*"):
        (copy / environment.name).symlink_to(environment)
    return copy


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--list", action="store_true", help="show the guards and end")
    parser.add_argument("--only", type=int, nargs="+", metavar="N", help="break these of the list only")
    arguments = parser.parse_args()
    drawn = draw(guards(ROOT))
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = None if arguments.list else copied(Path(folder))
        but_for = [] if copy is None else fail_anyway(copy)
        for number, mutant in enumerate(drawn, start=1):
            if arguments.only and number not in arguments.only:
                continue
            print(f"{number:2} {mutant}", flush=True)
            if copy is not None:
                test = noticed_by(mutant, copy, but_for)
                missed += test is None
                print(f"   {'MISSED' if test is None else f'noticed by {test}'}", flush=True)
    if not arguments.list:
        print(f"{missed} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
