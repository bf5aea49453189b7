"""Who is logged in: a world that keeps one session may demand one, and knows whom "my" and "your own" mean.

A session is the only entity of a type that is called so, or that has a switch such as `logged_in`. It may point at
somebody: {"session": {"current": {"user_id": "u-1"}}} in a world that has users.

    get_order(order_id="o-9")      refused while user_id is null; and while it is u-1, if o-9 has the user_id u-2
    login(email, password)         points at the one user who has both
    my_orders()                    the orders whose user_id is u-1
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from odyssey.kit.words import id_noun, same_noun, tokens, word_set
from odyssey.records.ledger import Update
from odyssey.simulation.engine import Answer, Reading, ToolCall
from odyssey.simulation.world.answer import LIKELY, refuse
from odyssey.simulation.world.kinds import Kind, know, known_types
from odyssey.simulation.world.naming import find_noun, read_name
from odyssey.simulation.world.shape import SECRETS, FillSources, fit
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.schema import id_text

_SESSIONS = word_set("session auth authentication login")
_ASKS = word_set("get check is show read whoami status")
_SWITCHES = frozenset({("logged", "in"), ("signed", "in"), ("authenticated",), ("login", "status")})
_ABOUT_LOGIN = word_set("login signin auth authenticate authentication session register signup whoami")
_NEEDS_NONE = re.compile(
    r"\bno (?:sign-?in|log-?in|login|authentication)\b|\bwithout (?:signing|logging) in\b|\bpublic(?:ly)?\b",
    re.IGNORECASE,
)
_SUMS = word_set("quote calculate compute convert estimate")
_LOGIN = re.compile(
    r"\b(?:sign(?:ed|s|ing)?[- ]?in|log(?:ged|s|ging)?[- ]?in|authenticat\w+)\b", re.IGNORECASE
)
_ONE_AT_A_TIME = re.compile(r"\balready\b|\bout first\b|\bone\b.{0,30}\bat a time\b", re.IGNORECASE)
_CUSTOMERS = (
    "customer",
    "client",
    "member",
    "patient",
    "guest",
    "passenger",
    "traveller",
    "traveler",
    "student",
    "subscriber",
    "tenant",
    "policyholder",
    "cardholder",
    "shopper",
    "buyer",
    "holder",
)
_OWN = re.compile(
    r"\b(?:signed-in|logged-in|authenticated|your|my|yourself)\b|\bcurrent \w+(?:'s\b|\.)|"
    r"\bassigned to you\b|\byou are (?:in|an? member|part)\b|\bwho(?:ever)? (?:is|are) (?:signed|logged) in\b",
    re.IGNORECASE,
)


class Session(NamedTuple):
    kind: Kind
    entity_id: str
    switch: str | None
    """The field that is on while somebody is logged in."""
    pointer: str | None
    """The field that holds the id of who is logged in."""
    users: Kind | None

    @property
    def user_id(self) -> str | None:
        held = self.kind.entities[self.entity_id]
        return id_text(held.get(self.pointer)) if self.pointer is not None else None

    @property
    def is_personal(self) -> bool:
        """Whether it is a customer's, who sees what is theirs, and not one of the staff's, who see all."""
        noun = () if self.users is None else tokens(self.users.name)[-1:]
        return any(same_noun(word, each) for word in noun for each in _CUSTOMERS)

    @property
    def is_open(self) -> bool:
        held = self.kind.entities[self.entity_id]
        if self.switch is not None:
            return held.get(self.switch) is True
        return self.user_id is not None


def find_session(call: ToolCall, world: Ledger) -> Session | None:
    names = known_types(world, call.ledger_schema)
    for name in (each for each in names if len(world.entities(each)) == 1):
        kind = know(name, world, call.ledger_schema)
        switch = next(
            (field for field in kind.fields if tokens(field.removeprefix("is_")) in _SWITCHES), None
        )
        if switch is None and _SESSIONS.isdisjoint(tokens(name)):
            continue
        pointer, users = _pointer(kind, names)
        if switch is not None or pointer is not None:
            return Session(kind, next(iter(kind.entities)), switch, pointer, users)
    return None


def _pointer(kind: Kind, names: tuple[str, ...]) -> tuple[str | None, Kind | None]:
    for field in kind.fields:
        words = id_noun(field) or tokens(field)
        noun = find_noun(words, tuple(each for each in names if each != kind.name))
        if (
            noun is not None
            and field != kind.id_field
            and (id_noun(field) or kind.anatomy.has((field,), "string"))
        ):
            return field, kind.other(noun.entity_type)
    return None, None


def is_own(call: ToolCall) -> bool:
    """Whether a tool is about what belongs to whoever calls it."""
    return "my" in tokens(call.tool.name) or _OWN.search(call.tool.description) is not None


def refused_without_session(call: ToolCall, session: Session) -> Answer | None:
    if session.is_open or _is_about_login(call) or not _needs_login(call, session):
        return None
    return refuse("conflict", "Nobody is logged in.", Reading("none"))


def _needs_login(call: ToolCall, session: Session) -> bool:
    """Whether somebody must be logged in: to change something, or where the description speaks of it."""
    description = call.tool.description
    if _NEEDS_NONE.search(description) or not _SUMS.isdisjoint(tokens(call.tool.name)):
        return False
    types = tuple(kind.name for kind in session.kind.all_kinds())
    only_looks = read_name(call.tool.name, types).verb in ("read", "list")
    return not only_looks or _LOGIN.search(description) is not None or is_own(call)


def _is_about_login(call: ToolCall) -> bool:
    words = tokens(call.tool.name)
    return not _ABOUT_LOGIN.isdisjoint(words) or words[:2] in (("log", "in"), ("sign", "in"), ("sign", "up"))


def tell_session(call: ToolCall, session: Session) -> Answer | None:
    """`get_session`, `check_login`: whether somebody is logged in, and who."""
    words = tokens(call.tool.name)
    is_asked = _is_about_login(call) and not _ASKS.isdisjoint(words) and not call.arguments
    if not is_asked:
        return None
    reading = Reading("read", session.kind.name)
    held = dict(session.kind.entities[session.entity_id])
    switches = {"_".join(each): session.is_open for each in _SWITCHES}
    known = FillSources(session.kind.name, {}, facts=switches)
    schema = call.tool.output_schema
    is_yes_or_no = schema is not None and schema.get("type") == "boolean"
    response, is_invented = (session.is_open, False) if is_yes_or_no else fit(held, schema, known)
    return Answer(
        response,
        certainty=LIKELY,
        explanation=reading.in_words(),
        reading=reading,
        shape="invented" if is_invented else "as_is" if response == held else "shaped",
    )


def log_in_or_out(call: ToolCall, session: Session) -> Answer | None:
    """The answer, if the tool opens or closes the session; None if not."""
    words = tokens(call.tool.name)
    if words[:2] in (("log", "out"), ("sign", "out")) or words[0] in ("logout", "signout"):
        return _set(call, session, None)
    secrets = [name for name in call.arguments if not SECRETS.isdisjoint(tokens(name))]
    if not _is_about_login(call) or not secrets:
        return None
    reading = Reading("update", session.kind.name, (session.pointer or "",), tuple(call.arguments))
    if session.is_open and _ONE_AT_A_TIME.search(call.tool.description):
        return refuse("conflict", "Somebody is logged in already.", reading)
    users = session.users
    if users is None:
        return _unlock(call, session, reading)
    by_id = next((name for name in call.arguments if users.is_meant_by(name)), None)
    fields = {name: users.field_named(name) for name in call.arguments if name != by_id}
    wanted = [((field,), call.arguments[name]) for name, field in fields.items() if field is not None]
    if len(wanted) < len(fields):
        return None
    found = users.world.having_all(users.name, wanted)
    if by_id is not None:
        found = [each for each in found if each == id_text(call.arguments[by_id])]
    if len(found) != 1:
        return refuse("bad_value", "Nobody has these credentials.", reading)
    return _set(call, session, found[0], users.entities[found[0]])


def _unlock(call: ToolCall, session: Session, reading: Reading) -> Answer | None:
    """A session that keeps its own secret: `sign_in(pin)`."""
    held = session.kind.entities[session.entity_id]
    fields = {name: session.kind.field_named(name) for name in call.arguments}
    if None in fields.values() or session.switch is None:
        return None
    if any(held.get(field) != call.arguments[name] for name, field in fields.items() if field is not None):
        return refuse("bad_value", "Nobody has these credentials.", reading)
    return _set(call, session, session.entity_id)


def _set(
    call: ToolCall, session: Session, user_id: str | None, user: Mapping[str, Any] = MappingProxyType({})
) -> Answer:
    changes: dict[str, object] = {}
    if session.switch is not None:
        changes[session.switch] = user_id is not None
    if session.pointer is not None:
        changes[session.pointer] = user_id
    reading = Reading("update", session.kind.name, tuple(changes))
    word = tokens(call.tool.name)[0]
    known = FillSources(session.kind.name, user, word=word)
    response, is_invented = fit(
        {**session.kind.entities[session.entity_id], **changes}, call.tool.output_schema, known
    )
    return Answer(
        response,
        (Update(session.kind.name, session.entity_id, changes),),
        LIKELY,
        explanation=reading.in_words(),
        reading=reading,
        shape="invented" if is_invented else "shaped",
    )
