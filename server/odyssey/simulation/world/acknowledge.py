"""Tools that reach somebody outside the world: nothing is read or changed, the answer says that it was done."""

from odyssey.kit.words import participle, tokens
from odyssey.records.smallest import smallest_value
from odyssey.simulation.engine import Answer, Reading, ToolCall
from odyssey.simulation.world.answer import GUESSED
from odyssey.simulation.world.naming import PREPOSITIONS, Naming
from odyssey.simulation.world.shape import Known, fit, fits


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
        known = Known("result", call.arguments, word=naming.word, facts={"message": done})
        response = fit({}, schema, known).value
        response = response if fits(response, schema) else smallest_value(schema)
    reading = Reading("acknowledge", by=tuple(call.arguments))
    return Answer(
        response=response,
        confidence=GUESSED,
        explanation=f"{reading.in_words()}: the world has nothing that {call.tool.name} reads or changes",
        reading=reading,
    )
