"""How often the shift cries wolf, and how often it sees one: `make bench-statistics [DATA=other-runs.json]`.

Reads recorded runs that lie beside the project and are no part of it. It ends with 1 when a target is missed, and names
it.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # so that it can be started by its path

from benchmarks.processes import say
from benchmarks.shift.length import measure_lengths
from benchmarks.shift.nulls import NULLS, measure_halves, measure_matrices, measure_null
from benchmarks.shift.planted import DESIGNS, SIZES, measure_power
from benchmarks.shift.recorded import Recorded, read_recorded
from benchmarks.shift.report import Figures, as_json, outcomes, tables
from benchmarks.targets import exit_code, target_lines

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "aa-runs.json"


class Sizes(NamedTuple):
    cells: int
    """Of each null and of each planted shift."""
    matrices: int
    shifts: tuple[float, ...]
    """How large the planted ones are."""


FULL = Sizes(cells=1_000, matrices=300, shifts=SIZES)
TINY = Sizes(cells=1, matrices=1, shifts=(0.3, 0.6))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA, metavar="FILE", help=f"recorded runs ({DATA})")
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write the figures of the plots to FILE too"
    )
    parser.add_argument(
        "--tiny",
        action="store_true",
        help="as few cells as run to the end; their figures mean nothing",
    )
    options = parser.parse_args()
    if not options.data.exists():
        print(f"{options.data} is not there: nothing to measure. Name other runs with DATA=file.json.")
        return
    began = time.perf_counter()
    recorded = read_recorded(options.data)
    figures = measure_figures(recorded, TINY if options.tiny else FULL)
    found = outcomes(figures)
    print(*tables(recorded, figures), *target_lines(found), sep="\n")
    print(f"\n{time.perf_counter() - began:.0f} s")
    if options.json is not None:
        options.json.write_text(json.dumps(as_json(recorded, figures)) + "\n", "utf-8")
    sys.exit(exit_code(found))


def measure_figures(recorded: Recorded, sizes: Sizes) -> Figures:
    halves, said = measure_halves(recorded)
    say("nulls")
    nulls = [measure_null(recorded, way, design, sizes.cells) for way, design in NULLS]
    say("null matrices")
    matrices = measure_matrices(recorded, sizes.matrices)
    powers = []
    for design in DESIGNS:
        say(f"planted shifts, {design}")
        powers += [measure_power(recorded, design, size, sizes.cells) for size in sizes.shifts]
    return Figures(sizes.cells, halves, said, nulls, matrices, powers, measure_lengths(recorded))


if __name__ == "__main__":
    main()
