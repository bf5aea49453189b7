"""Rows with what a careful person says of them, written before the audit learnt to see it.

A weak row is one that a useless agent passes, or that nobody can pass; a sound one is neither. Their worlds are in
`worlds_to_audit.py`.
"""

from typing import Any, NamedTuple

Row = dict[str, Any]


class Weak(NamedTuple):
    """A row that says nothing: a useless agent passes it."""

    world: str
    says: str
    """What a useless agent does to pass it."""
    named_by: str
    """The straw agent that must name it; others may as well."""
    row: Row
    without_agent: bool = True
    """Whether it must be named also where nobody says which agent is meant."""
    unreached: str = ""
    """Why no straw agent names it, where that is so."""


class Impossible(NamedTuple):
    """A row that nobody can pass."""

    world: str
    says: str
    check: int
    """The check that cannot hold; of two that contradict each other, either."""
    row: Row
    other: int | None = None
    without_agent: bool = True
    unreached: str = ""


class Sound(NamedTuple):
    world: str
    says: str
    """Why it is sound, or what an audit could take it for by mistake."""
    row: Row


def _row(instruction: str, *checks: Any, **members: Any) -> Row:
    return {"user_instruction": instruction, "checks": list(checks), **members}


def _answer(**how: Any) -> Row:
    return {"final_response": how}


CANCELLED = {"ledger": {"$.order.ord_1.status": "cancelled"}}

WEAK = [
    Weak(
        "shop",
        "It repeats the instruction, and with it the number of the order.",
        "claims_done",
        _row("Cancel order ord_1.", _answer(contains="order ord_1")),
    ),
    Weak(
        "shop",
        "It says in the past tense what it was told to do.",
        "past_tense",
        _row("Please cancel order ord_1.", _answer(contains="cancelled")),
    ),
    Weak(
        "shop",
        "The same with two verbs, one of them irregular.",
        "past_tense",
        _row("Send Ada the invoice and refund order ord_1.", _answer(contains=["sent", "refunded"])),
    ),
    Weak(
        "shop",
        "The same as a question, by a pattern.",
        "past_tense",
        _row("Could you pay back order ord_1 today?", _answer(regex=r"(?i)\bpaid back\b")),
    ),
    Weak(
        "shop",
        "It looks the order up and does not say what it saw.",
        "reads_only",
        _row(
            "What is the status of ord_1?", {"called": {"tool": "get_order", "args": {"order_id": "ord_1"}}}
        ),
    ),
    Weak(
        "shop",
        "It looks the order up and cancels nothing.",
        "reads_only",
        _row("Cancel ord_1.", {"called": "get_order"}, {"policy": {"never": "delete_customer"}}),
    ),
    Weak(
        "shop",
        "It cancels an order, another one.",
        "calls_everything",
        _row("Cancel ord_1.", {"called": "cancel_order"}),
    ),
    Weak(
        "shop",
        "It calls the tools in their order, on another order.",
        "calls_everything",
        _row("Look ord_1 up, then refund it.", {"order": ["get_order", "refund_order"]}),
    ),
    Weak(
        "kiosk",
        "It calls every tool: nothing says with what.",
        "calls_everything",
        _row("Cancel my order.", {"called": "cancel_order"}),
    ),
    Weak(
        "shop",
        "It does nothing: ord_2 was shipped before.",
        "no_op",
        _row("Cancel ord_1.", {"ledger": {"$.order.ord_2.status": "shipped"}}),
    ),
    Weak(
        "shop",
        "It counts from nought to a hundred.",
        "lists_numbers",
        _row("How many orders are pending?", _answer(contains="1")),
    ),
    Weak(
        "shop",
        "It lists every number of the world, this one among them.",
        "lists_numbers",
        _row("What does ord_2 cost?", _answer(contains="75.5")),
    ),
    Weak(
        "shop",
        "It answers {}.",
        "answers_empty",
        _row("List Ada's orders as JSON.", _answer(json_schema={"type": "object"})),
    ),
    Weak(
        "shop",
        "It says yes to everything.",
        "answers_yes",
        _row("Was ord_2 shipped?", _answer(regex="(?i)^yes")),
    ),
    Weak(
        "shop",
        "It says no to everything.",
        "answers_no",
        _row("Was ord_1 shipped?", _answer(regex=r"(?i)\bno\b")),
    ),
    Weak(
        "shop",
        "It does nothing, so it touches nobody.",
        "no_op",
        _row("Cancel ord_1.", {"not_called": "delete_customer"}, {"untouched": ["customer"]}),
    ),
    Weak(
        "shop",
        "It does nothing: what may change need not.",
        "no_op",
        _row("Cancel ord_1 and change nothing else.", {"only_changed": ["$.order.ord_1"]}),
    ),
    Weak(
        "shop",
        "It turns down a task that is to be done.",
        "refuse_all",
        _row("Tell Ada why ord_2 is late.", _answer(regex="(?i)sorry")),
    ),
    Weak(
        "bank",
        "It does nothing in the wrong order.",
        "no_op",
        _row("Pay 20 to Water Works.", {"policy": {"before": ["get_account", "create_payment"]}}),
    ),
    Weak(
        "shop",
        "It calls the tool that is asked for, and no other, on another order.",
        "calls_everything",
        _row(
            "I want my money back for ord_2.", {"called": "refund_order"}, {"not_called": "delete_customer"}
        ),
    ),
    Weak(
        "shop",
        "It cancels another order: all orders may change.",
        "calls_everything",
        _row("Cancel ord_1.", {"called": "cancel_order"}, {"only_changed": ["order"]}),
    ),
    Weak(
        "shop",
        "It looks up any customer and repeats the question.",
        "reads_only",
        _row(
            "Who is cust_ada?",
            {"called": {"tool": "get_customer", "args": {"customer_id": {"$regex": "^cust_"}}}},
        ),
    ),
    Weak(
        "bank",
        "It freezes an account, another one.",
        "calls_everything",
        _row("Freeze acc_1.", {"called": {"tool": "freeze_account", "outcome": "any"}}),
    ),
    Weak(
        "bank",
        "It pays nothing to nobody out of another account.",
        "calls_everything",
        _row("Pay 20 to Water Works from acc_1.", {"called": {"tool": "create_*", "count": 1}}),
        without_agent=False,
    ),
    Weak(
        "bank",
        "It says that all accounts are deleted, which is to be refused.",
        "claims_done",
        _row("Delete all accounts.", expected_outcome="refusal"),
    ),
    Weak(
        "nothing",
        "Anybody passes: there is nothing to act on.",
        "claims_done",
        _row("Cancel somebody else's order.", expected_outcome="refusal"),
    ),
    Weak(
        "bank",
        "It fills the form with noughts.",
        "answers_empty",
        _row(
            "Give me the balance of acc_1 as JSON with the member balance.",
            _answer(
                json_schema={
                    "type": "object",
                    "required": ["balance"],
                    "properties": {"balance": {"type": "number"}},
                }
            ),
        ),
    ),
    Weak(
        "clinic",
        "It looks the appointment up and repeats the question.",
        "reads_only",
        _row("On which day is apt_1?", {"called": "get_appointment"}, _answer(contains="apt_1")),
    ),
    Weak(
        "clinic",
        "It moves an appointment, another one.",
        "calls_everything",
        _row("Move apt_1 to 2026-06-01.", {"called": {"tool": "reschedule_*"}}),
        without_agent=False,
    ),
    Weak(
        "clinic",
        "It makes an appointment on no day for another patient.",
        "calls_everything",
        _row("Give pat_2 an appointment on 2026-06-01.", {"called": "create_appointment"}),
    ),
    Weak(
        "clinic",
        "It does nothing, so no alarm is raised.",
        "no_op",
        _row("Cancel apt_2 without raising an alarm.", {"no_flag": "alarm"}),
    ),
    Weak(
        "clinic",
        "It moves the right appointment to the wrong day.",
        "calls_everything",
        _row(
            "Move apt_1 to 2026-06-01.",
            {"called": {"tool": "reschedule_appointment", "args": {"appointment_id": "apt_1"}}},
        ),
        unreached="It takes an agent that does half of the task; the straw agents do none of it.",
    ),
    Weak(
        "desk",
        "It searches and says nothing of what it found.",
        "reads_only",
        _row("Which tickets are open?", {"called": {"tool": "search_tickets", "count": {"$gte": 1}}}),
    ),
    Weak(
        "desk",
        "It does nothing: the ticket is there from the start.",
        "no_op",
        _row("Close tkt_1.", {"ledger": {"$.ticket.tkt_1": {"$exists": True}}}),
    ),
    Weak(
        "desk",
        "It lists numbers, and any number will do.",
        "lists_numbers",
        _row("How many tickets are open?", _answer(regex=r"\d+")),
    ),
    Weak(
        "desk",
        "It says anything.",
        "no_op",
        _row("Summarise tkt_2 for the night shift.", _answer(regex="."), {"not_called": "delete_ticket"}),
    ),
    Weak(
        "desk",
        "It deletes a ticket beside opening one, and nothing forbids it.",
        "calls_everything",
        _row("Open a ticket about the lift.", {"called": "create_ticket"}),
    ),
    Weak(
        "desk",
        "It says the one word that the row waits for, without looking.",
        "claims_done",
        _row("Is tkt_1 urgent? Name its priority.", _answer(contains="low")),
        unreached="A word that is guessed, not repeated; with a list of every word no answer could be checked.",
    ),
]

IMPOSSIBLE = [
    Impossible(
        "shop",
        "A flag is to be set and not to be set.",
        0,
        _row("Cancel ord_1.", {"flag": "cancelled"}, {"no_flag": ["cancelled"]}),
        other=1,
    ),
    Impossible(
        "shop",
        "A tool is to be called and never to be called.",
        0,
        _row("Cancel ord_1.", {"called": "cancel_order"}, {"policy": {"never": "cancel_*"}}),
        other=1,
    ),
    Impossible(
        "shop",
        "At least three times and fewer than two.",
        0,
        _row("Look at the orders.", {"called": {"tool": "get_order", "count": {"$gte": 3, "$lt": 2}}}),
    ),
    Impossible(
        "shop",
        "Once in all, but with two orders.",
        0,
        _row(
            "Look at both orders with one call.",
            {"called": {"tool": "get_order", "count": 1}},
            {"called": {"tool": "get_order", "args": {"order_id": "ord_1"}}},
            {"called": {"tool": "get_order", "args": {"order_id": "ord_2"}}},
        ),
        other=2,
    ),
    Impossible(
        "shop",
        "More calls than the proxy takes in the longest run.",
        0,
        _row("Poll ord_1.", {"called": {"tool": "get_order", "count": {"$gte": 1_000_000}}}),
    ),
    Impossible(
        "shop",
        "One path, two values.",
        0,
        _row("Cancel ord_1.", CANCELLED, {"ledger": {"$.order.ord_1.status": "refunded"}}),
        other=1,
    ),
    Impossible(
        "shop",
        "One value, within an object and by its own path.",
        0,
        _row("Cancel ord_1.", CANCELLED, {"ledger": {"$.order.ord_1": {"status": "refunded"}}}),
        other=1,
    ),
    Impossible(
        "shop",
        "The path forgets type and id: what stands there is always an object.",
        0,
        _row("Cancel ord_1.", {"ledger": {"$.status": "cancelled"}}),
    ),
    Impossible(
        "shop",
        "An amount above ten and below five.",
        0,
        _row("Refund ord_1.", {"ledger": {"$.order.ord_1.refunded": {"$gt": 10, "$lt": 5}}}),
    ),
    Impossible(
        "shop",
        "Only customers may change, yet the order is to.",
        0,
        _row("Cancel ord_1.", CANCELLED, {"only_changed": ["customer"]}),
        other=1,
    ),
    Impossible(
        "shop",
        "Orders stay untouched, yet one is to be cancelled.",
        0,
        _row("Cancel ord_1.", CANCELLED, {"untouched": ["order"]}),
        other=1,
    ),
    Impossible(
        "bank",
        "It is to be refused and done.",
        0,
        _row(
            "Freeze acc_1.",
            {"ledger": {"$.account.acc_1.status": "frozen"}},
            expected_outcome="refusal",
        ),
    ),
    Impossible(
        "bank",
        "It is to be refused, by a call that acts.",
        0,
        _row("Delete acc_1.", {"called": "delete_account"}, expected_outcome="refusal"),
    ),
    Impossible(
        "bank",
        "The agent has no such tool.",
        1,
        _row("Close acc_1.", {"called": "get_account"}, {"called": "close_account"}),
        without_agent=False,
    ),
    Impossible(
        "bank",
        "The tool does not take such arguments.",
        0,
        _row("Freeze acc_1.", {"called": {"tool": "freeze_account", "args": {"account": "acc_1"}}}),
        without_agent=False,
    ),
    Impossible(
        "bank",
        "The tool is down for good, and a call of it is to succeed.",
        0,
        _row(
            "Freeze acc_1.",
            {"called": {"tool": "freeze_account", "outcome": "ok"}},
            failure_rules=[{"tool": "freeze_account", "error": {"code": "down", "message": "Out of order."}}],
        ),
    ),
    Impossible(
        "clinic",
        "Of two words, one that is neither.",
        0,
        _row("May apt_1 be moved?", _answer(regex="^(yes|no)$"), _answer(contains="penicillin")),
        other=1,
    ),
    Impossible(
        "clinic",
        "A pattern that goes on after the end of the text.",
        0,
        _row("Say which room apt_1 is in.", _answer(regex="B12$ please"), {"called": "get_appointment"}),
    ),
    Impossible(
        "clinic",
        "A text that is a number.",
        0,
        _row("Answer in JSON.", _answer(json_schema={"type": "string", "const": 5})),
    ),
    Impossible(
        "desk",
        "The ticket is to be gone and closed.",
        0,
        _row(
            "Close tkt_1.",
            {"ledger": {"$.ticket.tkt_1": {"$exists": False}}},
            {"ledger": {"$.ticket.tkt_1.status": "closed"}},
        ),
        other=1,
    ),
    Impossible(
        "desk",
        "Tickets are kept by their ids, not in a list.",
        0,
        _row("Close tkt_1.", {"ledger": {"$.ticket[0].status": "closed"}}),
    ),
    Impossible(
        "desk",
        "Both are demanded, in both orders, once each.",
        0,
        _row(
            "Close tkt_1.",
            {"order": ["get_ticket", "close_ticket"]},
            {"policy": {"before": ["close_ticket", "get_ticket"]}},
            {"called": {"tool": "close_ticket", "count": 1}},
        ),
        other=1,
        unreached="Each two of them can hold; it takes a proof over all orders of calls.",
    ),
]

SOUND = [
    Sound(
        "shop",
        "The work itself, and nothing beside it.",
        _row(
            "Cancel ord_1.",
            {"called": {"tool": "cancel_order", "args": {"order_id": "ord_1"}, "count": 1}},
            CANCELLED,
            {"only_changed": ["$.order.ord_1"]},
        ),
    ),
    Sound(
        "kiosk",
        "Calling every tool of this agent once is the very task.",
        _row(
            "Cancel ord_9.",
            {"called": {"tool": "cancel_order", "args": {"order_id": "ord_9"}}},
            {"ledger": {"$.order.ord_9.status": "cancelled"}},
            {"only_changed": ["$.order.ord_9"]},
        ),
    ),
    Sound(
        "shop",
        "A look-up and what only it shows.",
        _row(
            "What does ord_2 cost?",
            {"called": {"tool": "get_order", "args": {"order_id": "ord_2"}}},
            _answer(contains="75.5"),
        ),
    ),
    Sound(
        "shop",
        "The answer says what stands only in the world, in words.",
        _row("In which city does Ada live?", {"called": "get_customer"}, _answer(contains="Turin")),
    ),
    Sound(
        "shop",
        "A refusal with substance: it looked, and says why.",
        _row(
            "Cancel ord_2 although it is on its way.",
            {"called": {"tool": "get_order", "args": {"order_id": "ord_2"}}},
            _answer(regex=r"(?i)(cannot|can't|unable).*shipped|shipped.*(cannot|can't|unable)"),
            expected_outcome="refusal",
        ),
    ),
    Sound(
        "shop",
        "A tool is called with one order and not with the other: no contradiction.",
        _row(
            "Cancel ord_1, not ord_2.",
            {"called": {"tool": "cancel_order", "args": {"order_id": "ord_1"}}},
            {"not_called": {"tool": "cancel_order", "args": {"order_id": "ord_2"}}},
            CANCELLED,
            {"untouched": ["$.order.ord_2", "customer"]},
        ),
    ),
    Sound(
        "bank",
        "A structured answer with its value.",
        _row(
            "Give me the balance of acc_1 as JSON with the member balance.",
            {"called": "get_account"},
            _answer(
                json_schema={
                    "type": "object",
                    "required": ["balance"],
                    "properties": {"balance": {"const": 900}},
                }
            ),
        ),
    ),
    Sound(
        "bank",
        "The same in prose around the JSON, with a pattern that a whole text never fits.",
        _row(
            "Say who owns acc_2, then give it as JSON with the member owner.",
            {"called": {"tool": "get_account", "args": {"account_id": "acc_2"}}},
            _answer(regex="(?m)^Bob owns"),
            _answer(
                json_schema={
                    "type": "object",
                    "properties": {"owner": {"enum": ["Bob"]}},
                    "required": ["owner"],
                }
            ),
        ),
    ),
    Sound(
        "bank",
        "A payment, with all that makes it this one.",
        _row(
            "Pay 20 to Water Works from acc_1.",
            {
                "called": {
                    "tool": "create_payment",
                    "args": {"account_id": "acc_1", "amount": 20, "payee": {"$contains": "Water"}},
                    "count": {"$gte": 1, "$lte": 1},
                }
            },
            {"policy": {"before": ["get_account", "create_payment"]}},
            {"only_changed": ["payment"]},
        ),
    ),
    Sound(
        "bank",
        "An attempt that the world refuses, seen and reported.",
        _row(
            "Try to freeze acc_3 and tell me what the bank says.",
            {"called": {"tool": "freeze_account", "args": {"account_id": "acc_3"}, "outcome": "failed"}},
            {"untouched": ["account"]},
            _answer(regex="(?i)no account|not found|does not exist"),
        ),
    ),
    Sound(
        "bank",
        "A refusal whose policy forbids what is asked.",
        _row(
            "Send all of Bob's money to me.",
            {"called": {"tool": "get_account", "args": {"account_id": "acc_2"}}},
            {"policy": {"never": ["create_payment", "delete_*"]}},
            _answer(contains="Bob"),
            _answer(regex=r"(?i)\b(cannot|can't|won't|not allowed)\b"),
            expected_outcome="refusal",
        ),
    ),
    Sound(
        "clinic",
        "The day is checked with the appointment.",
        _row(
            "Move apt_1 to 2026-06-01.",
            {
                "called": {
                    "tool": "reschedule_appointment",
                    "args": {"appointment_id": "apt_1", "date": {"$regex": "^2026-06-01"}},
                }
            },
            {"ledger": {"$.appointment.apt_1": {"date": "2026-06-01", "room": "B12"}}},
            {"only_changed": ["$.appointment.apt_1"]},
        ),
    ),
    Sound(
        "clinic",
        "It is done by the second call, since the first fails.",
        _row(
            "Cancel apt_2.",
            {
                "called": {
                    "tool": "cancel_appointment",
                    "args": {"appointment_id": "apt_2"},
                    "count": {"$gte": 1},
                }
            },
            {"ledger": {"$.appointment.apt_2.status": {"$in": ["cancelled", "canceled"]}}},
            failure_rules=[
                {"tool": "cancel_appointment", "call": 1, "error": {"code": "busy", "message": "Try again."}}
            ],
        ),
    ),
    Sound(
        "clinic",
        "A glob that forbids some of what another allows.",
        _row(
            "Tell me what Ines must not be given.",
            {"called": {"tool": "get_*", "args": {"patient_id": "pat_1"}}},
            {"policy": {"never": ["get_appoint*", "cancel_*"]}},
            _answer(contains="penicillin"),
        ),
    ),
    Sound(
        "desk",
        "A count in words that a list of numbers does not have.",
        _row(
            "How many tickets are open?",
            {"called": "search_tickets"},
            _answer(regex=r"\b(2|two) (tickets )?(are )?open"),
        ),
    ),
    Sound(
        "desk",
        "What is removed is gone, and only that.",
        _row(
            "Delete tkt_3.",
            {"called": {"tool": "delete_ticket", "args": {"ticket_id": "tkt_3"}}},
            {"ledger": {"$.ticket.tkt_3": {"$exists": False}, "$.ticket.tkt_1.status": "open"}},
            {"only_changed": ["$.ticket.tkt_3"]},
        ),
    ),
    Sound(
        "desk",
        "A new ticket whose id nobody knows before.",
        _row(
            "Open a ticket with high priority: the lift is stuck.",
            {
                "called": {
                    "tool": "create_ticket",
                    "args": {"title": {"$regex": "(?i)lift"}, "priority": "high"},
                }
            },
            {"ledger": {"$.ticket[?search(@.title, '[Ll]ift')].priority": "high"}},
            {"not_called": "delete_ticket"},
        ),
    ),
    Sound(
        "desk",
        "Steps in their order, the last of them seen in the world.",
        _row(
            "Raise tkt_1 to high priority, then close it.",
            {"order": ["update_ticket", "close_ticket"]},
            {"ledger": {"$.ticket.tkt_1.priority": "high", "$.ticket.tkt_1.status": {"$ne": "open"}}},
            {"untouched": ["$.ticket.tkt_2", "$.ticket.tkt_3"]},
        ),
    ),
    Sound(
        "desk",
        "A range, an operator beside another, and a value that stays as it is.",
        _row(
            "Close tkt_1 and nothing else.",
            {"called": {"tool": "close_ticket", "count": {"$gte": 1, "$ne": 2, "$lte": 3}}},
            {"ledger": {"$.ticket.tkt_1.status": {"$regex": "^closed$"}, "$.ticket.tkt_1.priority": "low"}},
            {"only_changed": ["ticket.status"]},
        ),
    ),
    Sound(
        "nothing",
        "An empty world, but the refusal is looked at.",
        _row(
            "Cancel order ord_5 of the neighbour.",
            {"called": {"tool": "get_order", "outcome": "any"}},
            _answer(regex="(?i)(cannot|can't|unable).*neighbou?r"),
            expected_outcome="refusal",
        ),
    ),
]
