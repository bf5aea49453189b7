"""The world engine: understand the call, then read the world or propose a change to it."""

import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from odyssey.expressions.arithmetic import SumError, evaluate
from odyssey.kit.words import id_noun, participle, tokens, word_set
from odyssey.records.smallest import smallest_value
from odyssey.simulation.engine import Answer, EngineName, Reading, ToolCall
from odyssey.simulation.world.answer import CERTAIN, GUESSED, LIKELY, WorldQuestion, not_understood, refuse
from odyssey.simulation.world.counting import count
from odyssey.simulation.world.defaults import with_defaults
from odyssey.simulation.world.meaning import Intent, arguments_of, understand
from odyssey.simulation.world.membership import join_or_leave
from odyssey.simulation.world.naming import PREPOSITIONS, Naming, Verb
from odyssey.simulation.world.ownership import Owner, is_theirs_alone
from odyssey.simulation.world.part_writes import update_part, write_part
from odyssey.simulation.world.paths import find_place, may_be_about_paths, walk, with_whole_paths
from odyssey.simulation.world.reads import list_entities, read, read_part
from odyssey.simulation.world.refusals import refused_reference
from odyssey.simulation.world.session import (
    Session,
    find_session,
    is_own,
    log_in_or_out,
    refused_without_session,
    tell_session,
)
from odyssey.simulation.world.shape import FillSources, fit, fits
from odyssey.simulation.world.values import misgiven
from odyssey.simulation.world.writes import create, move, remove, update
from odyssey.worlds.ledger import Ledger

# Sums: a tool whose only argument is an expression gets its value, worked out in decimals.
#
# Written in binary floats 0.1 + 0.2 is not 0.3; people who keep books, and the back ends that do it for them,
# round. So does this: to two places, half away from zero. Without an output schema the answer is text that
# always shows a place (`"2.0"`, `"41.92"`); with one it is what the schema asks for.

_WORDS = word_set("calculate calculator compute evaluate math arithmetic expression formula eval sum")
_PLACES = Decimal("0.01")
_LARGEST = Decimal(10) ** 15


def calculate(call: ToolCall) -> Answer | None:
    """The value of the expression, if that is what the tool is for; None if it is not."""
    expression = _expression(call)
    if expression is None:
        return None
    reading = Reading("calculate", by=tuple(call.arguments))
    try:
        value = evaluate(expression)
    except SumError as error:
        return refuse("bad_value", f"{expression!r} cannot be calculated: {error}.", reading)
    rounded = value.quantize(_PLACES, ROUND_HALF_UP) if abs(value) < _LARGEST else value
    number: Any = int(rounded) if rounded == rounded.to_integral_value() else float(rounded)
    schema = call.tool.output_schema
    text = str(float(rounded))
    # The text first: without a schema everything fits. The unrounded value last, where a schema wants just that.
    shown = next((each for each in (text, number, float(value)) if fits(each, schema)), None)
    fitted, _ = fit({"result": number}, schema, FillSources("result", {"value": number, "answer": number}))
    return Answer(
        response=fitted if shown is None else shown,
        certainty=LIKELY if shown is None else CERTAIN,
        evidence="schema",
        explanation=reading.in_words(),
        reading=reading,
    )


def _expression(call: ToolCall) -> str | None:
    names = arguments_of(call)
    if len(names) != 1 or not isinstance(call.arguments.get(names[0]), str):
        return None
    # `calculate_grade(student_id)` is about a student.
    said = {*tokens(call.tool.name), *tokens(names[0])} if id_noun(names[0]) is None else set()
    return str(call.arguments[names[0]]) if said & _WORDS else None


_ACTS: dict[Verb, Callable[[WorldQuestion], Answer]] = {
    "read": read,
    "list": list_entities,
    "create": create,
    "update": update,
    "remove": remove,
}


class WorldEngine:
    """Knows no domain: everything it says comes from the tool's schema, the call and the ledger."""

    name: EngineName = "world"

    def answer(self, call: ToolCall, world: Ledger) -> Answer:
        call = with_defaults(call)
        session = find_session(call, world)
        if session is not None:
            about_session = refused_without_session(call, session) or log_in_or_out(call, session)
            about_session = about_session or tell_session(call, session)
            if about_session is not None:
                return about_session
        if may_be_about_paths(call.tool.name, call.tool.description, " ".join(call.arguments)):
            place = find_place(world)
            call = call if place is None else with_whole_paths(call, place)
            walked = None if place is None else walk(call, world, place)
            if walked is not None:
                return walked
        intent = _for_user(understand(call, world), call, session)
        answer = self._act(call, world, intent)
        # What is not understood may still be told to be impossible: it names what is not there, or not as it must be.
        return answer if answer.is_understood else refused_reference(call, world, intent) or answer

    def _act(self, call: ToolCall, world: Ledger, intent: Intent) -> Answer:
        # Parts first: `add_line_to_order(order_id, …)` would otherwise make an entity of a new type, line.
        answer = misgiven(call, intent) or count(call, world, intent) or write_part(call, world, intent)
        answer = answer or join_or_leave(call, world, intent) or move(call, world, intent)
        if answer is None and not intent.naming.is_named:
            # `lock_part(thing_id, part_id)` is about the part, although things can be locked as well.
            answer = update_part(call, world, intent)
        if answer is not None:
            return answer
        if intent.kind is None:
            return _without_type(call, world, intent)
        answer = _ACTS[intent.verb](WorldQuestion(call, intent, intent.kind))
        # Nothing of the entity changed, so a part of it may be meant: `update_order(line_id, price)`.
        if intent.verb == "update" and not (answer.operations or answer.refused):
            return update_part(call, world, intent) or answer
        return answer


def _for_user(intent: Intent, call: ToolCall, session: Session | None) -> Intent:
    """`get_profile()`, `my_orders()`: what is the user's own."""
    if session is None or session.user_id is None:
        return intent
    own = is_own(call)
    user = session.users.entities.get(session.user_id, {}) if session.users is not None else {}
    strict = intent.verb not in ("read", "list", "create") and is_theirs_alone(call.tool.description, user)
    owner = Owner(session.pointer or "", session.user_id, session.users, is_explicit=own, is_strict=strict)
    kind = intent.kind
    if own and kind is not None and session.users is not None and kind.name == session.users.name:
        is_meant = intent.id_argument is None and not intent.naming.plural and intent.verb != "create"
        verb: Verb = "read" if intent.verb == "list" else intent.verb
        return intent._replace(only_one=session.user_id, verb=verb) if is_meant else intent
    changes_theirs = (
        intent.verb in ("update", "remove") and kind is not None and session.pointer in kind.fields
    )
    is_theirs = own or strict or session.is_personal or changes_theirs
    return intent._replace(owner=owner) if is_theirs else intent


def _without_type(call: ToolCall, world: Ledger, intent: Intent) -> Answer:
    """What is answered although, or because, no type of entity is meant: parts, sums, and words to outside."""
    naming = intent.naming
    answer = read_part(call, world, intent) if naming.verb == "read" else None
    answer = answer or calculate(call) or refused_reference(call, world, intent)
    if answer is None and (naming.verb == "tell" or _SENDS.search(call.tool.description)):
        return acknowledge(call, naming)
    return answer or not_understood(
        call, f"{call.tool.name} names no act on a type of entity this world knows"
    )


_SENDS = re.compile(
    r"^[^.;]*\b(?:sent|e-?mailed|mailed|texted) to (?:the|a|an|its|their|your)\b", re.IGNORECASE
)


# Tools that reach somebody outside the world: nothing is read or changed, the answer says that it was done.
def acknowledge(call: ToolCall, naming: Naming) -> Answer:
    """Say that it was done: "Transfer successful" for `transfer_to_somebody`, "Notice sent" for `send_notice`."""
    words = tokens(call.tool.name)
    after = words[words.index(naming.word) + 1 :] if naming.word in words else ()
    done = f"{naming.word.capitalize()} successful"
    if after and after[0] not in PREPOSITIONS and naming.after:
        done = f"{' '.join(naming.after).capitalize()} {participle(naming.word)}"
    schema = call.tool.output_schema
    response = done
    if schema is not None and not fits(done, schema):
        known = FillSources("result", call.arguments, word=naming.word, facts={"message": done})
        response, _ = fit({}, schema, known)
        response = response if fits(response, schema) else smallest_value(schema)
    reading = Reading("acknowledge", by=tuple(call.arguments))
    return Answer(
        response=response,
        certainty=GUESSED,
        evidence="schema",
        explanation=f"{reading.in_words()}: the world has nothing that {call.tool.name} reads or changes",
        reading=reading,
    )
