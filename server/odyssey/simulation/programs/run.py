"""Running a program on one call: look up, insist, change, answer. It proposes; the world it is given stays as it is."""

from collections.abc import Mapping
from typing import Any

from odyssey.expressions import Facts
from odyssey.records.ledger import Add, Operation, Update
from odyssey.simulation.engine import Answer, EngineName, ToolCall
from odyssey.simulation.programs.operation import OperationTemplate
from odyssey.simulation.programs.program import Program, Refusal
from odyssey.simulation.programs.template import ProgramFailedError, Room, evaluate_at
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import apply

MAX_MADE = 1000
"""Operations that one call may come to, all elements of `each` counted."""
_WORK_OF_A_ROUND = 100
"""In units of the meter: what an element costs also when nothing is done with it."""


def run_program(program: Program, call: ToolCall, world: Ledger) -> Answer:
    """Answer a call; raises ProgramFailedError, and nothing else."""
    facts = call.facts(world)
    program.names.define(facts)
    for requirement in program.requirements:
        refusal = requirement.check(facts)
        if refusal is not None:
            return _refuse(program, refusal)
    change = _Change(facts, world)
    for operation in program.operations:
        change.make(operation)
    return Answer(
        response=change.response(program),
        operations=tuple(change.operations),
        explanation=f"program: {program.reading.in_words()}",
        reading=program.reading,
        evidence="behaviour",
    )


class _Change:
    """What a program has made so far, and the world as that leaves it."""

    def __init__(self, facts: Facts, world: Ledger) -> None:
        self.operations: list[Operation] = []
        self._before = facts
        self._world = world
        self._room = Room()
        self._made = 0

    def make(self, template: OperationTemplate) -> None:
        for names in template.rounds(self._now()):
            facts = self._now()
            evaluate_at(template.place, facts.meter.spend, _WORK_OF_A_ROUND)
            for name, element in names.items():
                facts.define(name, element)
            operation = template.make(facts, self._room)
            if operation is not None:
                self._add(operation, template.place)

    def response(self, program: Program) -> Any:
        facts = self._now()
        program.names_after.define(facts)
        return evaluate_at("response", program.response.evaluate, facts, self._room)

    def _now(self) -> Facts:
        """The world as it is now; what the names of `let` stand for is as it was before."""
        return self._before.on(self._world)

    def _add(self, operation: Operation, place: str) -> None:
        self._made += 1
        if self._made > MAX_MADE:
            raise ProgramFailedError(place, f"a call may come to at most {MAX_MADE} operations")
        self._world = apply(self._world, [operation], "off").ledger
        joined = _joined(self.operations[-1], operation) if self.operations else None
        if joined is None:
            self.operations.append(operation)
        else:
            self.operations[-1] = joined


def _joined(before: Operation, after: Operation) -> Operation | None:
    """One operation for two in a row on the same entity: a list that is changed step by step is changed once."""
    if not isinstance(before, Add | Update) or not isinstance(after, Update):
        return None
    if (before.entity_type, before.id) != (after.entity_type, after.id):
        return None
    return type(before)(before.entity_type, before.id, {**before.fields, **after.fields})


def _refuse(program: Program, refusal: Refusal) -> Answer:
    return Answer(
        response={"error": {"code": refusal.code, "message": refusal.message}},
        refused=True,
        explanation=f"program: {program.reading.in_words()}: refused, {refusal.code}",
        reading=program.reading,
        evidence="behaviour",
    )


# The program engine: a tool that somebody wrote down is answered by what was written.


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
