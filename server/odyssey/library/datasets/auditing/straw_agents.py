"""Agents that are good for nothing, tried on one row. Each is generous to itself where that proves nothing.

The answers of those that call tools repeat the instruction: words of the instruction are never evidence.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from odyssey.grading.checks import run_checks
from odyssey.library.datasets.auditing import answers
from odyssey.library.datasets.auditing.row import RowOnTrial
from odyssey.library.datasets.auditing.straw_run import StrawRun
from odyssey.library.datasets.auditing.tools import Subjects, arguments_for, is_reading, with_demanded
from odyssey.library.datasets.schemas import StrawAgent

_MOST_ACTS = 50
_HARMLESS = frozenset({"no_op", "refuse_all", "answers_no", "reads_only"})
"""Agents that refuse or do nothing: that they pass says nothing against a row that wants a refusal."""
_WORDS_ONLY = frozenset({"lists_numbers", "answers_empty", "answers_yes"})
"""Agents that do nothing either, but whose words should not pass where a row asks for words."""
_OF_THE_WORLD = ("ledger", "flag")


def passing_agents(row: RowOnTrial) -> list[StrawAgent]:
    """Name the straw agents that pass."""
    found: list[StrawAgent] = [
        agent
        for agent, said in _answers(row).items()
        if any(row.passes(row.stage.evidence(answer)) for answer in said)
    ]
    if _reads_only(row):
        found.append("reads_only")
    if _calls_everything(row):
        found.append("calls_everything")
    if row.stage.expected_outcome != "refusal":
        return found
    asks_for_words = any(check.kind == "final_response" for check in row.checks)
    harmless = _HARMLESS if asks_for_words else _HARMLESS | _WORDS_ONLY
    return [agent for agent in found if agent not in harmless]


# Agents that only say something.


def _answers(row: RowOnTrial) -> dict[StrawAgent, list[str]]:
    """What each of them says; where it is several things, it passes by any of them."""
    instruction = row.stage.user_instruction
    return {
        "no_op": [answers.OK],
        "refuse_all": [answers.REFUSAL],
        "claims_done": [answers.claim(instruction)],
        "past_tense": [answers.past_tense(instruction)],
        "lists_numbers": [answers.numbers(instruction, row.stage.ledger)],
        "answers_empty": answers.empty_forms(_schemas(row)),
        "answers_yes": [answers.YES],
        "answers_no": [answers.NO],
    }


def _schemas(row: RowOnTrial) -> list[Any]:
    spoken = [check["final_response"] for check in row.raw_checks if "final_response" in check]
    return [how["json_schema"] for how in spoken if "json_schema" in how]


# Agents that call tools.


def _reads_only(row: RowOnTrial) -> bool:
    answer = answers.claim(row.stage.user_instruction)
    if not row.answer_passes(answer):
        return False
    run = StrawRun(row.stage)
    for name, arguments in _reads(row):
        run.call(name, arguments)
    return (
        bool(run.calls)
        and not any(call.mutating for call in run.calls)
        and row.passes(row.stage.evidence(answer, run))
    )


def _reads(row: RowOnTrial) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every tool that reads, on what the row speaks of; once for each check that asks for it with arguments."""
    subjects = _subjects(row)
    for name, naming in row.stage.box.named(row.stage.ledger).items():
        if not is_reading(naming):
            continue
        plain = arguments_for(row.stage.box, name, naming, subjects, own=True).given
        asked = [demand for demand in row.demands if demand.wants_some and demand.tools.includes(name)]
        demanded = [with_demanded(plain, demand) for demand in asked if demand.args]
        yield from ((name, given) for given in demanded or [plain])


class _Act(NamedTuple):
    tool: str
    arguments: dict[str, Any]
    is_aside: bool
    """Whether it is done to what the row does not speak of."""


class _Done(NamedTuple):
    act: _Act
    changed_the_world: bool


def _calls_everything(row: RowOnTrial) -> bool:
    answer = answers.claim(row.stage.user_instruction)
    if not row.answer_passes(answer):
        return False
    acts = list(_acts(row))
    demanded = [demand.tools for demand in row.demands if demand.wants_some]
    asked_for = [act for act in acts if any(tools.includes(act.tool) for tools in demanded)]
    return any(_passes_by(row, ways, answer) for ways in (acts, asked_for))


def _passes_by(row: RowOnTrial, acts: Sequence[_Act], answer: str) -> bool:
    """Whether these acts pass although they are not the task, or more than that."""
    run, done = _carry_out(row, acts)
    if not done or not row.passes(row.stage.evidence(answer, run)):
        return False
    if _wants_another_world(row):
        # What it did includes the task. It is useless all the same if it did more and the row does not notice.
        more = [each.act for each in done if each.changed_the_world]
        rests = ([other for other in acts if other is not act] for act in more)
        return any(row.passes(row.stage.evidence(answer, _carry_out(row, rest)[0])) for rest in rests)
    is_pinned = any(
        demand.fits is not None and demand.tools.includes(each.act.tool)
        for demand in row.demands
        for each in done
    )
    return not is_pinned or any(each.act.is_aside and each.changed_the_world for each in done)


def _acts(row: RowOnTrial) -> Iterator[_Act]:
    """Every tool that does not read, on what the row does not speak of, in the order that the row asks for."""
    subjects = _subjects(row)
    named = {
        name: naming
        for name, naming in row.stage.box.named(row.stage.ledger).items()
        if not is_reading(naming)
    }
    ordered = [tool for check in row.raw_checks if "order" in check for tool in _steps(check["order"])]
    first = [name for step in ordered for name in named if name == step]
    for name in list(dict.fromkeys([*first, *named]))[:_MOST_ACTS]:
        made = arguments_for(row.stage.box, name, named[name], subjects, own=False)
        yield _Act(name, made.given, made.is_aside and not made.is_own)


def _carry_out(row: RowOnTrial, acts: Sequence[_Act]) -> tuple[StrawRun, list[_Done]]:
    """Read everything, then do these; say which of them the proxy took."""
    run, done = StrawRun(row.stage), []
    for name, arguments in _reads(row):
        run.call(name, arguments)
    for act in acts:
        observed = run.call(act.tool, act.arguments)
        if observed is not None:
            done.append(_Done(act, bool(observed.operations)))
    return run, done


def _wants_another_world(row: RowOnTrial) -> bool:
    """Whether a check of the world does not hold from the start."""
    of_world = [check for check in row.checks if check.kind in _OF_THE_WORLD]
    results = run_checks(of_world, row.stage.evidence(""))
    return any(result.index is not None and result.state == "failed" for result in results)


def _steps(order: Any) -> list[str]:
    return list(order["tools"]) if isinstance(order, dict) else list(order)


def _subjects(row: RowOnTrial) -> Subjects:
    stage = row.stage
    return Subjects(stage.user_instruction, row.raw_checks, stage.ledger, stage.box.ledger_schema)
