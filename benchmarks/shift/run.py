"""How often the product cries wolf, and how often it sees one: `make bench-statistics [DATA=other-runs.json]`.

Reads recorded runs that lie beside the project and are no part of it, and makes up others. It ends with 1 when a target
is missed, and names it.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # so that it can be started by its path

from benchmarks.processes import say
from benchmarks.shift.agents import WHAT_THEY_ARE, Agents, read_agents
from benchmarks.shift.length import measure_lengths
from benchmarks.shift.matrices import Design
from benchmarks.shift.nulls import (
    FIRST,
    MORE,
    NULLS,
    Null,
    NullCells,
    NullFound,
    judge_null,
    measure_halves,
    measure_left_out,
    measure_null,
    sum_up,
)
from benchmarks.shift.planted import PLANTED, Planted, PowerFound, judge_planted, sum_up_power
from benchmarks.shift.report import MEASURED_FOR_TARGETS, Figures, as_json, outcomes, tables
from benchmarks.shift.runs import RECORDED
from benchmarks.targets import exit_code, target_lines

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "aa-runs.json"


class Sizes(NamedTuple):
    cells: int
    """Of each null."""
    matrices: int
    """Null matrices of each agent,"""
    larger: int
    """of those with more runs a cell,"""
    changed: int
    """and those with one changed cell, for each thing that is planted."""
    planted: tuple[Planted, ...]
    trials: int
    """Of each made-up scenario."""


FULL = Sizes(cells=1_000, matrices=240, larger=50, changed=200, planted=PLANTED, trials=80)
TINY = Sizes(cells=1, matrices=1, larger=0, changed=1, planted=MEASURED_FOR_TARGETS, trials=12)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA, metavar="FILE", help=f"recorded runs ({DATA})")
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write the figures of the plots to FILE too"
    )
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="by default one a core")
    parser.add_argument(
        "--tiny",
        action="store_true",
        help="in this process as little of everything as runs to the end; the figures mean nothing",
    )
    options = parser.parse_args()
    if not options.data.exists():
        print(f"{options.data} is not there: nothing to measure. Name other runs with DATA=file.json.")
        return
    began = time.perf_counter()
    sizes = TINY if options.tiny else FULL
    agents = read_agents(options.data, sizes.trials)
    with _workers(agents, 1 if options.tiny else options.processes) as workers:
        figures = measure_figures(workers, sizes)
    found = outcomes(figures)
    recorded = agents.samples[RECORDED]
    print(*tables(recorded, figures), *target_lines(found), sep="\n")
    print(f"\n{time.perf_counter() - began:.0f} s")
    if options.json is not None:
        options.json.write_text(json.dumps(as_json(recorded, figures)) + "\n", "utf-8")
    sys.exit(exit_code(found))


def measure_figures(workers: "Workers", sizes: Sizes) -> Figures:
    recorded = workers.agents.samples[RECORDED]
    halves, said = measure_halves(recorded)
    say("nulls")
    nulls = workers.each(_null, [(cells, sizes.cells) for cells in NULLS])
    matrices = []
    for design, count in ((FIRST, sizes.matrices), (MORE, sizes.larger)):
        for name in WHAT_THEY_ARE:
            say(f"{count} null matrices, {name} {design}")
            found = workers.each(_null_matrix, [(name, design, number) for number in range(count)])
            if found:
                matrices.append(sum_up(name, design, found))
    powers = []
    for planted in sizes.planted:
        say(f"{sizes.changed} changed cells, {planted.name}")
        judged = workers.each(_changed_matrix, [(planted, number) for number in range(sizes.changed)])
        powers.append(sum_up_power(planted, judged))
    return Figures(
        sizes.cells,
        halves,
        said,
        nulls,
        matrices,
        measure_left_out(recorded),
        powers,
        measure_lengths(recorded),
    )


def _null(agents: Agents, job: tuple[NullCells, int]) -> Null:
    cells, count = job
    return measure_null(agents.samples[cells.of], cells, count)


def _null_matrix(agents: Agents, job: tuple[str, Design, int]) -> NullFound:
    name, design, number = job
    return judge_null(agents.pools[name], name, design, number)


def _changed_matrix(agents: Agents, job: tuple[Planted, int]) -> PowerFound:
    planted, number = job
    return judge_planted(agents.without_expectations[planted.of], planted, number)


# Every matrix has a seed of its own, so the figures are the same however many processes share the work.

A = TypeVar("A")
R = TypeVar("R")


class Workers(NamedTuple):
    agents: Agents
    processes: ProcessPoolExecutor | None

    def each(self, act: Callable[[Agents, A], R], jobs: Sequence[A]) -> list[R]:
        """Do all jobs; returns what came of them, in their order."""
        if self.processes is None:
            return [act(self.agents, job) for job in jobs]
        return list(self.processes.map(partial(_act, act), jobs, chunksize=_AT_A_TIME))


@contextmanager
def _workers(agents: Agents, processes: int) -> Iterator[Workers]:
    if processes == 1:
        yield Workers(agents, None)
        return
    with ProcessPoolExecutor(processes, get_context("fork"), _take, (agents,)) as pool:
        yield Workers(agents, pool)


_AT_A_TIME = 4
_taken: list[Agents] = []
"""In a worker: what it was forked with."""


def _take(agents: Agents) -> None:
    _taken.append(agents)


def _act(act: Callable[[Agents, A], R], job: A) -> R:
    return act(_taken[0], job)


if __name__ == "__main__":
    main()
