"""A benchmark that misses a target says which, and ends with 1."""

import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import benchmarks.crowd
import benchmarks.matrix.report
import benchmarks.passthrough.report
import benchmarks.report
import benchmarks.retail.measure
import benchmarks.run
import benchmarks.sdk_import
import benchmarks.shift.report
import benchmarks.stalls
import pytest
from benchmarks.targets import Outcome, Target, exit_code, target_lines
from benchmarks.tests.recordings import write_shop
from support.in_process import run_here
from support.process import clean_environment

DOCS = Path(__file__).parents[2] / "docs"
FAST = Target("a call ÷ an echo", at_least=0.4)
SMALL = Target("a change ÷ a copy", at_most=0.001)
BETWEEN = Target("a share", at_least=0.1, at_most=0.2)


@pytest.mark.parametrize(
    ("outcome", "met"),
    [
        (FAST.measured(0.4), True),
        (FAST.measured(0.39), False),
        (FAST.measured(None), None),
        (SMALL.measured(0.001), True),
        (SMALL.measured(0.0011), False),
        (BETWEEN.measured(0.15), True),
        (BETWEEN.measured(0.05), False),
        (BETWEEN.measured(0.25), False),
    ],
)
def test_a_figure_meets_its_target_or_misses_it(outcome: Outcome, met: bool | None) -> None:
    assert outcome.met is met
    assert outcome.as_json()["met"] is met


def test_every_target_is_reported_and_only_a_missed_one_ends_with_1(
    capsys: pytest.CaptureFixture[str],
) -> None:
    outcomes = [FAST.measured(0.32), SMALL.measured(0.0004), BETWEEN.measured(None)]
    assert list(target_lines(outcomes))[2:] == [
        "MISSED        a call ÷ an echo: 0.32, at least 0.4",
        "met           a change ÷ a copy: 0.0004, at most 0.001",
        "not measured  a share: at least 0.1 and at most 0.2",
    ]
    assert exit_code(outcomes) == 1
    assert capsys.readouterr().err == "1 of 3 targets missed: a call ÷ an echo\n"
    assert exit_code(outcomes[1:]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("found", "code", "word"), [("ann", 0, "met"), ("somebody else", 1, "MISSED")])
def test_make_bench_ends_with_1_when_a_target_is_missed(
    tmp_path: Path, found: str, code: int, word: str
) -> None:
    """The shop's programs answer `ann`; a back end that answered otherwise is one they do not simulate."""
    shop = str(write_shop(tmp_path / "shop", found=found))
    options = ("--only", "retail", "--retail", shop)
    ended = run_here(*options, environment=clean_environment(), main=benchmarks.run.main)
    assert ended.returncode == code, ended.stderr
    lines = [line for line in ended.stdout.splitlines() if "a shop, programs" in line]
    assert [line.split()[0] for line in lines] == [word]
    assert ("targets missed: " in ended.stderr) == (code == 1)


def stated(*modules: ModuleType) -> Iterator[Target]:
    for value in (value for module in modules for value in vars(module).values()):
        yield from (
            each
            for each in (value.values() if isinstance(value, dict) else [value])
            if isinstance(each, Target)
        )


def test_the_docs_list_every_target_and_no_other() -> None:
    page = (DOCS / "reference" / "benchmarks.md").read_text("utf-8")
    listed = re.findall(r"^\| (.*) \| (at .*) \| `make bench(?:-matrix)?` \|$", page, re.MULTILINE)
    of_bench = stated(
        benchmarks.report,
        benchmarks.passthrough.report,
        benchmarks.sdk_import,
        benchmarks.retail.measure,
        benchmarks.stalls,
        benchmarks.crowd,
    )
    assert listed == [(each.name, each.wanted) for each in (*of_bench, *stated(benchmarks.matrix.report))]
    names = [name for name, _ in listed]
    missed = page.partition("### Missed")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| (.*?) \| .* \| `make bench", missed, re.MULTILINE)) <= set(names)


def test_the_page_of_the_shift_shows_every_target() -> None:
    page = (DOCS / "concepts" / "why-your-eval-cries-wolf.md").read_text("utf-8")
    shown = re.findall(r"^(?:met|MISSED) +(.*): [\d.]+, (at .*)$", page, re.MULTILINE)
    assert shown == [(each.name, each.wanted) for each in stated(benchmarks.shift.report)]
