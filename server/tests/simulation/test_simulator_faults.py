"""How many of the faults that a careful person sees the checker names, and that it names nothing in honest answers."""

import pytest
from support.honest_answers import HONEST
from support.office_answers import OFFICE_FAULTS, OFFICE_HONEST
from support.simulator_cases import Case
from support.simulator_faults import FAULTS

from odyssey.records.json_schema import compile_schema
from odyssey.records.ledger import Violation
from odyssey.simulation.simulate import conclude, simulate
from odyssey.simulation.world.engine import WorldEngine


def violations(case: Case) -> tuple[Violation, ...]:
    return conclude("llm", case.answer(), case.call, case.world.ledger(), None, "warn").violations


def names_the_spot(case: Case) -> bool:
    spot = case.spot
    assert spot is not None
    return any(
        each.entity_type == spot.entity_type
        and spot.id in (None, each.entity_id)
        and (spot.field is None or spot.field == each.field)
        for each in violations(case)
    )


def test_the_table_is_as_large_as_it_was_promised() -> None:
    assert len(FAULTS) >= 60
    assert len(HONEST) >= 25
    names = [case.name for case in (*FAULTS, *HONEST, *OFFICE_FAULTS, *OFFICE_HONEST)]
    assert len(set(names)) == len(names)


def test_the_faults_that_are_missed_are_those_with_a_reason() -> None:
    missed = [case.name for case in FAULTS if not names_the_spot(case)]
    score = f"{len(FAULTS) - len(missed)} of {len(FAULTS)} faults are named"
    assert missed == [case.name for case in FAULTS if case.not_reached], score
    assert len(missed) <= len(FAULTS) / 10, score


@pytest.mark.parametrize("case", OFFICE_FAULTS, ids=lambda case: case.name)
def test_a_fault_in_a_world_that_came_after_the_checks_is_named(case: Case) -> None:
    assert names_the_spot(case)


@pytest.mark.parametrize("case", [*HONEST, *OFFICE_HONEST], ids=lambda case: case.name)
def test_an_honest_answer_raises_nothing(case: Case) -> None:
    assert violations(case) == ()


@pytest.mark.parametrize(
    "case", [*FAULTS, *HONEST, *OFFICE_FAULTS, *OFFICE_HONEST], ids=lambda case: case.name
)
def test_what_the_world_engine_says_of_the_same_call_raises_nothing(case: Case) -> None:
    output = case.call.tool.output_schema
    compiled = None if output is None else compile_schema(output)
    assert simulate(WorldEngine(), case.call, case.world.ledger(), compiled, "warn").violations == ()
