"""How many there are: a tool that promises one whole number, and speaks of "how many".

`count_enrolled(course_code)`, "How many students are enrolled in a course", in a world of enrollments with a
`course_code` and a status counts those that have the code and the status "Enrolled": what is counted is the one type
that has a field for each argument, whatever the description calls it.
"""

import re
from typing import NamedTuple

from odyssey.kit.words import same_nouns, tokens
from odyssey.simulation.engine import Answer, ToolCall
from odyssey.simulation.world.answer import LIKELY, WorldQuestion, respond
from odyssey.simulation.world.kinds import Kind, know, known_types
from odyssey.simulation.world.meaning import Intent, arguments_of
from odyssey.simulation.world.naming import attribute
from odyssey.simulation.world.reads import search
from odyssey.simulation.world.refusals import missing_reference
from odyssey.simulation.world.status import sentences, status_fields
from odyssey.worlds.ledger import Ledger

_HOW_MANY = re.compile(r"\b(?:how many|number of|counts?)\b", re.IGNORECASE)


def count(call: ToolCall, world: Ledger, intent: Intent) -> Answer | None:
    """The number, if that is what the tool is for and it is plain what is counted; None if not."""
    schema = call.tool.output_schema
    if schema is None or schema.get("type") != "integer" or not _HOW_MANY.search(call.tool.description):
        return None
    shown = attribute(intent.naming)
    if intent.kind is not None and shown is not None and intent.kind.path_of(shown) is not None:
        return None  # `get_seats_left` is a field
    kind = _counted(call, world)
    if kind is None:
        return None
    question = WorldQuestion(call, intent._replace(kind=kind, id_argument=None, only_one=None), kind)
    lost = missing_reference(question, "list")
    if lost is not None:
        return lost
    found = search(question)
    wanted = _statuses_said(kind, call)
    ids = [
        each for each in found.ids if wanted is None or kind.entities[each].get(wanted.field) in wanted.values
    ]
    return respond(question, len(ids), question.reading("list", by=found.by), certainty=LIKELY)


def _counted(call: ToolCall, world: Ledger) -> Kind | None:
    arguments = arguments_of(call)
    kinds = [know(name, world, call.ledger_schema) for name in known_types(world, call.ledger_schema)]
    # What an argument names is not what is counted: `count_enrolled(course_code)` counts no courses.
    fitting = [
        kind
        for kind in kinds
        if len(kind.entities) > 1
        and all(kind.path_of(each) is not None and not kind.is_meant_by(each) for each in arguments)
    ]
    said = tokens(sentences(call.tool.description)[0])
    named = [kind for kind in fitting if any(same_nouns((word,), tokens(kind.name)[-1:]) for word in said)]
    chosen = named or (fitting if arguments else [])
    return chosen[0] if len(chosen) == 1 else None


class _WantedStatus(NamedTuple):
    field: str
    values: tuple[str, ...]


def _statuses_said(kind: Kind, call: ToolCall) -> _WantedStatus | None:
    """`How many students are enrolled`: those with this status."""
    said = tokens(sentences(call.tool.description)[0])
    for field in status_fields(kind):
        values = [each for each in kind.known_values(field) if tokens(each)]
        wanted = tuple(each for each in values if set(tokens(each)) <= set(said))
        if wanted:
            return _WantedStatus(field, wanted)
    return None
