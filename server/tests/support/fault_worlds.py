"""Small worlds that the consistency checker was not tuned on, with the tools that the tables of answers are about."""

from typing import Any, NamedTuple

from odyssey.records.tools import Tool
from odyssey.simulation.engine import ToolCall
from odyssey.worlds.ledger import Ledger

State = dict[str, dict[str, dict[str, Any]]]

_SUCCESS = {
    "type": "object",
    "properties": {"success": {"type": "boolean"}, "message": {"type": "string"}},
    "required": ["success"],
}


class FaultWorld(NamedTuple):
    """A world and its tools by name."""

    state: State
    tools: dict[str, Tool]

    def call(self, name: str, arguments: dict[str, Any]) -> ToolCall:
        return ToolCall(self.tools[name], arguments, None, random_seed=1, sequence=4)

    def ledger(self) -> Ledger:
        return Ledger.boot(self.state)


def tool(
    name: str, arguments: str, description: str, output: dict[str, Any] | None = None
) -> tuple[str, Tool]:
    """A tool from words: `limit?:integer` is an argument that may be left out and is an integer."""
    properties: dict[str, Any] = {}
    required: list[str] = []
    for word in arguments.split():
        named, _, kind = word.partition(":")
        argument = named.removesuffix("?")
        properties[argument] = {"type": kind or "string"}
        if argument == named:
            required.append(argument)
    inputs = {"type": "object", "properties": properties, "required": required}
    return name, Tool(name, inputs, description, output)


def keyed(id_field: str, *entities: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {str(each[id_field]): each for each in entities}


SHOP = FaultWorld(
    {
        "customer": keyed(
            "customer_id",
            {"customer_id": "c1", "name": "Ada Lowe", "email": "ada@example.org", "tier": "gold"},
            {"customer_id": "c2", "name": "Ben Orr", "email": "ben@example.org", "tier": "basic"},
            {"customer_id": "c3", "name": "Cleo Das", "email": "cleo@example.org", "tier": "basic"},
        ),
        "product": keyed(
            "product_id",
            {"product_id": "p1", "name": "Desk lamp", "price": 35.0, "stock": 12},
            {"product_id": "p2", "name": "Mug", "price": 8.5, "stock": 40},
            {"product_id": "p3", "name": "Notebook", "price": 12.0, "stock": 7},
        ),
        "order": keyed(
            "order_id",
            {
                "order_id": "o1",
                "customer_id": "c1",
                "status": "processing",
                "total": 43.5,
                "note": None,
                "lines": [{"product_id": "p1", "quantity": 1}, {"product_id": "p2", "quantity": 1}],
            },
            {
                "order_id": "o2",
                "customer_id": "c2",
                "status": "shipped",
                "total": 12.0,
                "note": None,
                "lines": [{"product_id": "p3", "quantity": 1}],
            },
            {
                "order_id": "o3",
                "customer_id": "c1",
                "status": "delivered",
                "total": 17.0,
                "note": "gift",
                "lines": [{"product_id": "p2", "quantity": 2}],
            },
            {
                "order_id": "o4",
                "customer_id": "c3",
                "status": "cancelled",
                "total": 35.0,
                "note": None,
                "lines": [{"product_id": "p1", "quantity": 1}],
            },
        ),
        "refund": keyed(
            "refund_id",
            {"refund_id": "r1", "order_id": "o4", "amount": 35.0, "status": "paid", "reason": "damaged"},
        ),
    },
    dict(
        [
            tool("get_order", "order_id", "Returns one order."),
            tool("get_customer", "customer_id", "Returns a customer."),
            tool("find_customer_by_email", "email", "Finds the customer with this e-mail address."),
            tool("list_orders", "customer_id status?", "Lists the orders of a customer."),
            tool("find_order_ids", "customer_id", "Returns the ids of all orders of a customer."),
            tool("list_products", "max_price?:number", "Lists the products, at most at this price."),
            tool("search_products", "query", "Searches the catalogue; the best matches come first."),
            tool("update_order", "order_id status? note?", "Changes status or note of an order.", _SUCCESS),
            tool("cancel_order", "order_id reason?", "Cancels an order."),
            tool("cancel_and_restock", "order_id", "Cancels an order and puts its items back into stock."),
            tool("delete_order", "order_id", "Deletes an order."),
            tool("refund_order", "order_id amount:number reason?", "Refunds an amount of an order."),
            tool(
                "refund_order_capped",
                "order_id amount:number",
                "Refunds an amount of an order, at most its total.",
            ),
            tool(
                "request_refund",
                "order_id amount:number",
                "Requests a refund of an order. Above 30 it waits for a manager, and nothing is recorded yet.",
            ),
            tool(
                "create_order",
                "customer_id product_id quantity:integer",
                "Places an order of one product.",
            ),
            tool(
                "set_product_stock", "product_id quantity:integer", "Sets the stock to exactly this quantity."
            ),
            tool("add_product_stock", "product_id quantity:integer", "Adds this many to the stock."),
            tool("create_customer", "name email", "Creates a customer of the basic tier."),
            tool("update_customer", "customer_id name? email? tier?", "Changes a customer."),
        ]
    ),
)

BANK = FaultWorld(
    {
        "account": keyed(
            "accountId",
            {
                "accountId": "acc-10",
                "holderId": "h1",
                "balance": 250.0,
                "currency": "EUR",
                "status": "active",
            },
            {"accountId": "acc-20", "holderId": "h2", "balance": 90.0, "currency": "EUR", "status": "active"},
            {"accountId": "acc-30", "holderId": "h1", "balance": 0.0, "currency": "EUR", "status": "closed"},
        ),
        "holder": keyed(
            "holderId",
            {"holderId": "h1", "name": "Ines Roth", "email": "ines@example.org"},
            {"holderId": "h2", "name": "Jon Pike", "email": "jon@example.org"},
        ),
        "card": keyed(
            "cardId",
            {
                "cardId": "k1",
                "holderId": "h1",
                "limit": 1000,
                "status": "active",
                "reason": None,
                "isDefault": True,
            },
            {
                "cardId": "k2",
                "holderId": "h2",
                "limit": 2000,
                "status": "active",
                "reason": None,
                "isDefault": True,
            },
            {
                "cardId": "k3",
                "holderId": "h1",
                "limit": 300,
                "status": "frozen",
                "reason": "lost",
                "isDefault": False,
            },
        ),
        "transaction": keyed(
            "transactionId",
            {"transactionId": "tx1", "accountId": "acc-10", "amount": 40.0, "kind": "deposit"},
            {"transactionId": "tx2", "accountId": "acc-20", "amount": 15.0, "kind": "withdrawal"},
            {"transactionId": "tx3", "accountId": "acc-10", "amount": 9.9, "kind": "withdrawal"},
        ),
    },
    dict(
        [
            tool("get_account", "accountId", "Returns an account."),
            tool("get_card", "cardId holderId?", "Returns a card of the holder."),
            tool("list_cards", "holderId", "Lists the cards of a holder."),
            tool("list_transactions", "accountId limit?:integer", "Lists the transactions of an account."),
            tool("deposit", "accountId amount:number", "Adds the amount to the balance of an account."),
            tool("withdraw", "accountId amount:number", "Takes the amount from the balance of an account."),
            tool(
                "transfer",
                "from_account to_account amount:number",
                "Moves an amount from the balance of one account to that of another.",
            ),
            tool(
                "wire_abroad",
                "from_account to_account amount:number",
                "Moves an amount to another account, less a fee of 2.",
            ),
            tool("set_card_limit", "cardId limit:integer", "Sets the limit of a card."),
            tool("freeze_card", "cardId reason", "Sets the status to 'frozen' and records the reason."),
            tool(
                "set_default_card",
                "cardId",
                "Makes this the default card of its holder; the others are no longer.",
            ),
            tool("close_account", "accountId", "Closes an account: its status becomes 'closed'."),
        ]
    ),
)

CLINIC = FaultWorld(
    {
        "patient": keyed(
            "patient_id",
            {
                "patient_id": "pt-1",
                "name": "Olga Wynn",
                "phone": "020 7946 0001",
                "email": "olga@example.org",
            },
            {"patient_id": "pt-2", "name": "Raj Sethi", "phone": "020 7946 0002", "email": "raj@example.org"},
            {"patient_id": "pt-3", "name": "Kim Lund", "phone": "020 7946 0003", "email": "kim@example.org"},
        ),
        "doctor": keyed(
            "doctor_id",
            {"doctor_id": "dr-1", "name": "Dr. Hale", "speciality": "cardiology", "active": True},
            {"doctor_id": "dr-2", "name": "Dr. Moss", "speciality": "dermatology", "active": True},
            {"doctor_id": "dr-3", "name": "Dr. Penn", "speciality": "cardiology", "active": False},
        ),
        "appointment": keyed(
            "appointment_id",
            {
                "appointment_id": "apt-1",
                "patient_id": "pt-1",
                "doctor_id": "dr-1",
                "start": "2025-03-04T09:00",
                "status": "scheduled",
            },
            {
                "appointment_id": "apt-2",
                "patient_id": "pt-2",
                "doctor_id": "dr-1",
                "start": "2025-03-04T10:00",
                "status": "checked_in",
            },
            {
                "appointment_id": "apt-3",
                "patient_id": "pt-1",
                "doctor_id": "dr-2",
                "start": "2025-03-06T14:30",
                "status": "completed",
            },
            {
                "appointment_id": "apt-4",
                "patient_id": "pt-3",
                "doctor_id": "dr-2",
                "start": "2025-03-07T11:00",
                "status": "cancelled",
            },
        ),
        "prescription": keyed(
            "prescription_id",
            {"prescription_id": "rx-1", "patient_id": "pt-2", "drug": "ramipril", "dose_mg": 5},
        ),
    },
    dict(
        [
            tool("get_patient", "patient_id", "Returns a patient's record."),
            tool("get_appointment", "appointment_id", "Returns an appointment."),
            tool(
                "list_appointments",
                "patient_id? doctor_id? status?",
                "Lists appointments of a patient or a doctor.",
            ),
            tool(
                "list_upcoming_appointments",
                "patient_id",
                "Lists the appointments of a patient that are still to come.",
            ),
            tool("search_doctors", "speciality", "Finds doctors who take patients, by speciality."),
            tool(
                "reschedule_appointment", "appointment_id new_start", "Moves an appointment to another time."
            ),
            tool(
                "check_in_appointment",
                "appointment_id",
                "The status of the appointment becomes 'checked_in'.",
            ),
            tool("cancel_appointment", "appointment_id", "Cancels an appointment."),
            tool("update_patient", "patient_id phone? email? name?", "Changes a patient's contact details."),
            tool("create_prescription", "patient_id drug dose_mg:integer", "Prescribes a drug."),
            tool(
                "book_weekly_appointments",
                "patient_id doctor_id start weeks:integer",
                "Books one appointment a week, for so many weeks.",
            ),
            tool(
                "delete_patient",
                "patient_id",
                "Deletes a patient with all appointments and prescriptions of theirs.",
            ),
        ]
    ),
)

DESK = FaultWorld(
    {
        "ticket": keyed(
            "ticket_id",
            {
                "ticket_id": "T-1",
                "subject": "Router is down",
                "status": "open",
                "priority": "normal",
                "assignee_id": None,
                "resolution": None,
                "watcher_ids": ["ag1"],
                "tags": ["network"],
            },
            {
                "ticket_id": "T-2",
                "subject": "Invoice is wrong",
                "status": "open",
                "priority": "low",
                "assignee_id": "ag1",
                "resolution": None,
                "watcher_ids": [],
                "tags": ["billing", "eu"],
            },
            {
                "ticket_id": "T-3",
                "subject": "Cannot sign in",
                "status": "resolved",
                "priority": "high",
                "assignee_id": "ag2",
                "resolution": "Password reset",
                "watcher_ids": ["ag1", "ag3"],
                "tags": [],
            },
            {
                "ticket_id": "T-4",
                "subject": "Router is slow",
                "status": "open",
                "priority": "high",
                "assignee_id": "ag3",
                "resolution": None,
                "watcher_ids": [],
                "tags": ["network"],
            },
        ),
        "agent": keyed(
            "agent_id",
            {"agent_id": "ag1", "name": "Bea", "team": "first line"},
            {"agent_id": "ag2", "name": "Finn", "team": "first line"},
            {"agent_id": "ag3", "name": "Gwen", "team": "network"},
        ),
        "comment": keyed(
            "comment_id",
            {"comment_id": "cm1", "ticket_id": "T-1", "author_id": "ag1", "text": "Looking into it."},
            {"comment_id": "cm2", "ticket_id": "T-3", "author_id": "ag2", "text": "Done."},
        ),
    },
    dict(
        [
            tool("get_ticket", "ticket_id", "Returns a ticket."),
            tool(
                "list_tickets",
                "status? priority? assignee_id?",
                "Lists tickets by status, priority or assignee.",
            ),
            tool("list_recent_tickets", "status?", "Lists the tickets that were touched lately."),
            tool("count_tickets", "status", "How many tickets have this status."),
            tool("list_agents", "", "Lists all agents."),
            tool("find_ticket_ids", "status", "Returns the ids of the tickets of this status."),
            tool("assign_ticket", "ticket_id assignee_id", "Assigns a ticket to an agent."),
            tool("update_ticket", "ticket_id status? priority? subject?", "Changes a ticket."),
            tool("resolve_ticket", "ticket_id resolution", "Resolves a ticket with a note on how."),
            tool("close_ticket", "ticket_id", "Closes a ticket."),
            tool("add_watcher", "ticket_id agent_id", "Lets an agent watch a ticket."),
            tool("create_ticket", "subject priority", "Opens a new ticket."),
            tool(
                "merge_tickets", "ticket_id into_ticket_id", "Merges a ticket into another and resolves it."
            ),
            tool(
                "resolve_incident",
                "ticket_id resolution",
                "Resolves a ticket and all other open tickets with the same tags.",
            ),
            tool("bulk_update_tickets", "ticket_ids:array status", "Sets the status of several tickets."),
            tool(
                "update_ticket_checked",
                "ticket_id priority dry_run?:boolean",
                "Changes a ticket; with dry_run it only says what would change.",
            ),
        ]
    ),
)

MESSAGES = FaultWorld(
    {
        "user": keyed(
            "user_id",
            {"user_id": "u1", "handle": "mira", "status": "online", "channel_ids": ["ch1", "ch2"]},
            {"user_id": "u2", "handle": "noor", "status": "away", "channel_ids": ["ch1"]},
            {"user_id": "u3", "handle": "otto", "status": "online", "channel_ids": ["ch2"]},
        ),
        "channel": keyed(
            "channel_id",
            {
                "channel_id": "ch1",
                "name": "general",
                "topic": "Everything",
                "member_ids": ["u1", "u2"],
                "archived": False,
            },
            {
                "channel_id": "ch2",
                "name": "release",
                "topic": "Version 4",
                "member_ids": ["u1", "u3"],
                "archived": False,
            },
            {"channel_id": "ch3", "name": "old", "topic": "Version 3", "member_ids": [], "archived": True},
        ),
        "message": keyed(
            "message_id",
            {"message_id": "m1", "channel_id": "ch1", "sender_id": "u1", "text": "Morning", "read": False},
            {"message_id": "m2", "channel_id": "ch1", "sender_id": "u2", "text": "Hello", "read": False},
            {"message_id": "m3", "channel_id": "ch2", "sender_id": "u3", "text": "Tagged", "read": True},
            {"message_id": "m4", "channel_id": "ch1", "sender_id": "u1", "text": "Lunch?", "read": True},
        ),
    },
    dict(
        [
            tool("get_channel", "channel_id", "Returns a channel."),
            tool("get_user", "user_id", "Returns a user."),
            tool("list_channels", "", "Lists the channels."),
            tool("list_messages", "channel_id limit?:integer", "Lists the messages of a channel."),
            tool("rename_channel", "channel_id name", "Renames a channel."),
            tool("set_channel_topic", "channel_id topic", "Sets the topic of a channel."),
            tool(
                "add_member",
                "channel_id user_id",
                "Puts the user on the channel's list of members and the channel on the user's list.",
            ),
            tool("create_channel", "name member_ids:array", "Creates a channel with these members."),
            tool("delete_message", "message_id", "Deletes a message."),
            tool("mark_message_read", "message_id", "Marks a message as read."),
            tool("send_message", "channel_id sender_id text", "Posts a message in a channel."),
            tool("delete_channel", "channel_id", "Deletes a channel and its messages."),
        ]
    ),
)

TRAVEL = FaultWorld(
    {
        "flight": keyed(
            "flight_id",
            {"flight_id": "f1", "origin": "OSL", "destination": "CDG", "price": 180, "seats_left": 4},
            {"flight_id": "f2", "origin": "OSL", "destination": "CDG", "price": 240, "seats_left": 9},
            {"flight_id": "f3", "origin": "OSL", "destination": "LHR", "price": 150, "seats_left": 2},
        ),
        "passenger": keyed(
            "passenger_id",
            {"passenger_id": "pa1", "name": "Tove Dahl", "points": 100},
            {"passenger_id": "pa2", "name": "Ugo Conti", "points": 0},
            {"passenger_id": "pa3", "name": "Vera Blom", "points": 40},
        ),
        "booking": keyed(
            "booking_id",
            {
                "booking_id": "bk1",
                "flight_id": "f1",
                "passenger_id": "pa1",
                "seat": "12A",
                "meal": "none",
                "status": "confirmed",
                "refund_amount": 0,
            },
            {
                "booking_id": "bk2",
                "flight_id": "f2",
                "passenger_id": "pa2",
                "seat": "3F",
                "meal": "vegan",
                "status": "held",
                "refund_amount": 0,
            },
            {
                "booking_id": "bk3",
                "flight_id": "f1",
                "passenger_id": "pa2",
                "seat": "12B",
                "meal": "none",
                "status": "cancelled",
                "refund_amount": 90,
            },
        ),
        "payment": keyed(
            "payment_id",
            {"payment_id": "pay1", "booking_id": "bk1", "amount": 180, "method": "card"},
        ),
    },
    dict(
        [
            tool("get_flight", "flight_id", "Returns a flight."),
            tool("get_booking", "booking_id passenger_id?", "Returns a booking of the passenger."),
            tool("search_flights", "origin destination", "Finds flights by origin and destination."),
            tool("list_passenger_ids", "flight_id", "The ids of all passengers booked on a flight."),
            tool(
                "list_bookings", "passenger_id? status? page?:integer", "Lists bookings, one page at a time."
            ),
            tool("change_seat", "booking_id seat", "Gives a booking another seat."),
            tool("update_booking", "booking_id seat? meal?", "Changes seat or meal of a booking."),
            tool("cancel_booking", "booking_id", "Cancels a booking and says what is refunded."),
            tool("create_payment", "booking_id amount:number method", "Records a payment for a booking."),
            tool("book_flight", "flight_id passenger_id seat", "Books a seat on a flight."),
            tool("quote_trip", "flight_id travellers:integer", "What a flight costs for so many travellers."),
        ]
    ),
)
