"""The best run that a row's own checks describe: the calls they demand, the world they want, the words they ask for.

It is made without an agent and without a world that answers; it only shows that the checks can hold together.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec

from odyssey.expressions.arguments import ABSENT
from odyssey.grading.checks import LATEST_VERSION, read_checks, run_checks
from odyssey.grading.evidence import ACCEPTED, Evidence, ObservedCall
from odyssey.library.datasets.auditing.demands import Demand, demands_of
from odyssey.library.datasets.auditing.matching import fitting_arguments, fitting_value
from odyssey.library.datasets.auditing.oracle.answer import spoken_checks
from odyssey.library.datasets.auditing.oracle.world import Location, Placed, placed_wishes
from odyssey.library.datasets.auditing.patterns import all_texts, example
from odyssey.library.datasets.auditing.straw_run import Stage
from odyssey.records.effects import WorldStep, effects_of
from odyssey.records.ledger import Entry
from odyssey.records.smallest import smallest_value
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import difference

_MOST_CALLS = 200
_OPERATIONS: dict[str, Literal["add", "update", "remove"]] = {
    "added": "add",
    "changed": "update",
    "removed": "remove",
}
_ERROR = {"error": {"code": "not_found", "message": "It is not there."}}


def best_evidence(raw_checks: Sequence[Any], demands: Sequence[Demand], stage: Stage) -> Evidence:
    before, after = stage.ledger, _wanted_world(raw_checks, stage.ledger)
    changed = difference(before, after)
    entries = [
        Entry(_OPERATIONS[each.kind], each.entity_type, each.id, before=each.before, after=each.after)
        for each in changed.changes
    ]
    entries += [Entry("set_flag", flag=flag) for flag in changed.flags_set]
    steps = [WorldStep(1, "", "odyssey", True, entry) for entry in entries]
    return msgspec.structs.replace(
        stage.evidence(_best_answer(raw_checks, stage)),
        calls=tuple(_wanted_calls(raw_checks, demands, stage)),
        after=after,
        effects=effects_of(steps, before.flags),
    )


def _wanted_calls(
    raw_checks: Sequence[Any], demands: Sequence[Demand], stage: Stage
) -> Iterator[ObservedCall]:
    """First what must come before other things, then in the order of the checks."""
    befores = [check["policy"]["before"][0] for check in raw_checks if "before" in check.get("policy", {})]
    wanted = [demand for demand in demands if demand.wants_some]
    wanted = [*demands_of([{"called": tool} for tool in befores], LATEST_VERSION), *wanted]
    made: list[ObservedCall] = []
    for demand in wanted:
        least = min(demand.least or 0, _MOST_CALLS)
        fitting = sum(
            demand.tools.includes(call.tool) and (demand.fits is None or demand.fits(call.arguments))
            for call in made
        )
        made += [_call(demand, stage, len(made) + number) for number in range(1, least - fitting + 1)]
    yield from made


def _call(demand: Demand, stage: Stage, sequence: int) -> ObservedCall:
    tools = [name for name in stage.box.tools if demand.tools.includes(name)]
    return ObservedCall(
        sequence=sequence,
        tool=tools[0] if tools else demand.written[0],
        arguments=fitting_arguments(demand.args),
        source="odyssey",
        http_status=ACCEPTED,
        response=_ERROR if demand.outcome == "failed" else {},
    )


# The world as checks want it: their values written into the one that is there.


def _wanted_world(raw_checks: Sequence[Any], ledger: Ledger) -> Ledger:
    by_place: dict[Location, list[Placed]] = {}
    for placed in placed_wishes(raw_checks):
        by_place.setdefault(placed.at, []).append(placed)
    state: dict[str, Any] = ledger.to_state()
    for at, wishes in by_place.items():
        value = ABSENT
        if not any(placed.wants_absence for placed in wishes):
            value = fitting_value([placed.wish for placed in wishes])
            if value is ABSENT or len(at) <= 2:
                continue
        _write(state, at, value)
    flags = set(ledger.flags)
    for check in raw_checks:
        asked = check.get("flag", [])
        flags.update([asked] if isinstance(asked, str) else asked)
    return Ledger.boot(state, flags)


def _write(state: dict[str, Any], at: Location, value: Any) -> None:
    inside: Any = state
    for step in at[:-1]:
        if not isinstance(inside, dict) or not isinstance(step, str):
            return
        if value is ABSENT and step not in inside:
            return
        inside = inside.setdefault(step, {})
    if isinstance(inside, dict):
        if value is ABSENT:
            inside.pop(at[-1], None)
        else:
            inside[at[-1]] = value


# The words: every text, an example of every pattern, and the smallest JSON that fits.


def _best_answer(raw_checks: Sequence[Any], stage: Stage) -> str:
    checks = read_checks([check for check in raw_checks if "final_response" in check]).checks

    def failing(text: str) -> int:
        return sum(result.state != "passed" for result in run_checks(checks, stage.evidence(text)))

    return min(_answers(raw_checks), key=failing)


def _answers(raw_checks: Sequence[Any]) -> Iterator[str]:
    texts: list[str] = []
    schemas: list[Any] = []
    for spoken in spoken_checks(raw_checks):
        if spoken.how == "contains":
            texts += [spoken.asked] if isinstance(spoken.asked, str) else spoken.asked
        elif spoken.how == "json_schema":
            schemas.append(spoken.asked)
        else:
            texts += filter(None, [example(spoken.asked)])
            yield from all_texts(spoken.asked) or ()
    prose = "\n".join(texts) or "Here it is."
    yield prose
    yield "\n".join(reversed(texts)) or "Here it is."
    yield from texts
    if schemas:
        schema = schemas[0] if len(schemas) == 1 else {"allOf": schemas}
        form = msgspec.json.encode(smallest_value(schema)).decode()
        yield form
        yield f"{prose}\n```json\n{form}\n```"
