"""An answer that is no entity: the id of one, or the field of one that the name of the tool says."""

from typing import Any

from odyssey.records.ledger import Violation
from odyssey.simulation.consistency.comparing import contradictions
from odyssey.simulation.consistency.invented import invented
from odyssey.simulation.consistency.meant import Meant
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.schema import brief, id_text


def check_answered(response: Any, meant: Meant, after: Ledger, sequence: int | None) -> list[Violation]:
    """A sentence says anything; a single word, a number or a record says what the ledger has, or the wrong thing."""
    if meant.act != "look" or meant.is_all_of_it() or isinstance(response, list) or response is None:
        return []
    if isinstance(response, str) and len(response.split()) != 1:
        return []
    return _check_id(response, meant, after, sequence) or _check_field(response, meant, after, sequence)


def _check_id(response: Any, meant: Meant, after: Ledger, sequence: int | None) -> list[Violation]:
    """`find_thing_id` answers with an id, which a thing must have."""
    entity_id = id_text(response)
    entity_type = meant.is_an_id() if entity_id else None
    if entity_type is None or not entity_id or after.entity(entity_type, entity_id) is not None:
        return []
    return [invented(entity_type, entity_id, None, sequence)]


def _check_field(response: Any, meant: Meant, after: Ledger, sequence: int | None) -> list[Violation]:
    """`get_thing_status` of one thing answers with its status; what a text may be, the other things tell."""
    path = meant.field()
    if path is None or meant.one is None:
        return []
    entity_type, entity_id = meant.one
    held: Any = after.entity(entity_type, entity_id)
    for name in path:
        held = held.get(name) if hasattr(held, "get") else None
    if type(held) is not type(response) or (isinstance(response, str) and response not in meant.texts(path)):
        return []
    field = ".".join(path)
    return [
        Violation(
            "response_mismatch",
            entity_type,
            entity_id,
            each.field,
            f"the response says {each.field} of {entity_type} {entity_id!r} is {brief(each.shown)}; "
            f"in the ledger it is {brief(each.held)}",
            sequence,
        )
        for each in contradictions(response, held, field, whole=False)
    ]
