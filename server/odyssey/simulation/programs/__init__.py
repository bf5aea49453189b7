"""Programs: what a tool does, written down as data that is read once and always answers the same."""

from odyssey.simulation.programs.program import MAX_BYTES, Program, read_program
from odyssey.simulation.programs.run import ProgramEngine, run_program
from odyssey.simulation.programs.template import ProgramFailedError

__all__ = ["MAX_BYTES", "Program", "ProgramEngine", "ProgramFailedError", "read_program", "run_program"]
