"""Small worlds with the tools of their agents, and one that holds nothing: where the rows to audit play."""

from typing import Any

Tool = dict[str, Any]


def _tool(name: str, required: str = "", **properties: Any) -> Tool:
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {"name": name, "input_schema": schema | ({"required": required.split()} if required else {})}


_TEXT: dict[str, Any] = {"type": "string"}
_AMOUNT: dict[str, Any] = {"type": "number", "minimum": 0}

WORLDS: dict[str, dict[str, dict[str, dict[str, Any]]]] = {
    "shop": {
        "order": {
            "ord_1": {"order_id": "ord_1", "customer_id": "cust_ada", "status": "pending", "total": 120},
            "ord_2": {"order_id": "ord_2", "customer_id": "cust_bob", "status": "shipped", "total": 75.5},
        },
        "customer": {
            "cust_ada": {"customer_id": "cust_ada", "name": "Ada", "city": "Turin"},
            "cust_bob": {"customer_id": "cust_bob", "name": "Bob", "city": "Lyon"},
        },
    },
    "bank": {
        "account": {
            "acc_1": {"account_id": "acc_1", "owner": "Ada", "balance": 900, "status": "active"},
            "acc_2": {"account_id": "acc_2", "owner": "Bob", "balance": 40, "status": "active"},
        },
        "payment": {
            "pay_1": {"payment_id": "pay_1", "account_id": "acc_1", "amount": 15, "payee": "Grid Power"}
        },
    },
    "clinic": {
        "patient": {
            "pat_1": {"patient_id": "pat_1", "name": "Ines", "allergy": "penicillin"},
            "pat_2": {"patient_id": "pat_2", "name": "Jon", "allergy": "none"},
        },
        "appointment": {
            "apt_1": {"appointment_id": "apt_1", "patient_id": "pat_1", "date": "2026-05-04", "room": "B12"},
            "apt_2": {"appointment_id": "apt_2", "patient_id": "pat_2", "date": "2026-05-06", "room": "C3"},
        },
    },
    "desk": {
        "ticket": {
            "tkt_1": {
                "ticket_id": "tkt_1",
                "title": "Printer is jammed",
                "status": "open",
                "priority": "low",
            },
            "tkt_2": {"ticket_id": "tkt_2", "title": "No network", "status": "open", "priority": "high"},
            "tkt_3": {"ticket_id": "tkt_3", "title": "New chair", "status": "closed", "priority": "low"},
        }
    },
    "kiosk": {"order": {"ord_9": {"order_id": "ord_9", "status": "pending", "total": 8}}},
    "nothing": {},
}

TOOLS: dict[str, list[Tool]] = {
    "shop": [
        _tool("get_order", "order_id", order_id=_TEXT),
        _tool("list_orders", customer_id=_TEXT),
        _tool("get_customer", "customer_id", customer_id=_TEXT),
        _tool("cancel_order", "order_id", order_id=_TEXT),
        _tool("refund_order", "order_id", order_id=_TEXT, amount=_AMOUNT),
        _tool("delete_customer", "customer_id", customer_id=_TEXT),
    ],
    "bank": [
        _tool("get_account", "account_id", account_id=_TEXT),
        _tool("freeze_account", "account_id", account_id=_TEXT),
        _tool("create_payment", "account_id amount payee", account_id=_TEXT, amount=_AMOUNT, payee=_TEXT),
        _tool("delete_account", "account_id", account_id=_TEXT),
    ],
    "clinic": [
        _tool("get_patient", "patient_id", patient_id=_TEXT),
        _tool("get_appointment", "appointment_id", appointment_id=_TEXT),
        _tool("create_appointment", "patient_id date", patient_id=_TEXT, date=_TEXT),
        _tool("reschedule_appointment", "appointment_id date", appointment_id=_TEXT, date=_TEXT),
        _tool("cancel_appointment", "appointment_id", appointment_id=_TEXT),
    ],
    "desk": [
        _tool("get_ticket", "ticket_id", ticket_id=_TEXT),
        _tool("search_tickets", status={"type": "string", "enum": ["open", "closed"]}),
        _tool("close_ticket", "ticket_id", ticket_id=_TEXT),
        _tool(
            "update_ticket",
            "ticket_id",
            ticket_id=_TEXT,
            priority={"type": "string", "enum": ["low", "high"]},
        ),
        _tool("create_ticket", "title", title=_TEXT, priority=_TEXT),
        _tool("delete_ticket", "ticket_id", ticket_id=_TEXT),
    ],
    "kiosk": [
        _tool("get_order", "order_id", order_id=_TEXT),
        _tool("cancel_order", "order_id", order_id=_TEXT),
    ],
    "nothing": [
        _tool("get_order", "order_id", order_id=_TEXT),
        _tool("cancel_order", "order_id", order_id=_TEXT),
    ],
}
