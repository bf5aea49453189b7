"""The program engine: a tool that somebody wrote down is answered by what was written."""

from collections.abc import Mapping

from odyssey.simulation.engine import Answer, EngineName, ToolCall
from odyssey.simulation.programs.failure import ProgramFailedError
from odyssey.simulation.programs.program import Program
from odyssey.simulation.programs.run import run_program
from odyssey.worlds.ledger import Ledger


class ProgramEngine:
    name: EngineName = "program"

    def __init__(self, programs: Mapping[str, Program]) -> None:
        self._programs = programs

    def answer(self, call: ToolCall, world: Ledger) -> Answer:
        """Run the program of the tool; raises ProgramFailedError."""
        program = self._programs.get(call.tool.name)
        if program is None:
            raise ProgramFailedError("programs", f"{call.tool.name} has no program")
        return run_program(program, call, world)
