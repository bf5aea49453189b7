"""Honest answers of simulators that look odd to a checker and not to a careful person: none may raise a violation."""

from support.fault_worlds import BANK, CLINIC, DESK, MESSAGES, SHOP, TRAVEL
from support.simulator_cases import Case, entities, fine, not_found

from odyssey.records.ledger import Add, Remove, Update

WORKED_OUT = [
    fine(
        "a quote is price times travellers, with a discount",
        TRAVEL, "quote_trip", {"flight_id": "f1", "travellers": 3},
        {"flight_id": "f1", "unit_price": 180, "travellers": 3, "discount": 40, "total": 500},
    ),
    fine(
        "a new order has a total with tax, a date and the line's price",
        SHOP, "create_order", {"customer_id": "c2", "product_id": "p2", "quantity": 3},
        {"order_id": "o9", "status": "processing", "total": 30.35, "eta": "2025-03-09"},
        Add(
            "order",
            "o9",
            {
                "order_id": "o9",
                "customer_id": "c2",
                "status": "processing",
                "total": 30.35,
                "lines": [{"product_id": "p2", "quantity": 3}],
                "created_at": "2025-03-04T08:00:00Z",
            },
        ),
    ),
    fine(
        "a refund is rounded to cents",
        SHOP, "refund_order", {"order_id": "o1", "amount": 14.4999},
        {"refund_id": "r9", "amount": 14.5},
        Add("refund", "r9", {"refund_id": "r9", "order_id": "o1", "amount": 14.5, "status": "pending"}),
    ),
    fine(
        "a refund is at most the total, as the description says",
        SHOP, "refund_order_capped", {"order_id": "o2", "amount": 50.0},
        {"refund_id": "r9", "amount": 12.0, "requested": 50.0},
        Add("refund", "r9", {"refund_id": "r9", "order_id": "o2", "amount": 12.0, "status": "paid"}),
    ),
    fine(
        "a refund is kept in cents, under that name",
        SHOP, "refund_order", {"order_id": "o1", "amount": 20.0},
        {"success": True, "refund_id": "r9"},
        Add("refund", "r9", {"refund_id": "r9", "order_id": "o1", "amount_cents": 2000, "status": "paid"}),
    ),
    fine(
        "the amount goes into the balance",
        BANK, "deposit", {"accountId": "acc-10", "amount": 100.0},
        {"accountId": "acc-10", "balance": 350.0, "transactionId": "tx9"},
        Update("account", "acc-10", {"balance": 350.0}),
        Add("transaction", "tx9", {"transactionId": "tx9", "accountId": "acc-10", "amount": 100.0, "kind": "deposit"}),
    ),
    fine(
        "the amount comes out of the balance and is told as a negative one",
        BANK, "withdraw", {"accountId": "acc-20", "amount": 50.0},
        {"accountId": "acc-20", "balance": 40.0},
        Update("account", "acc-20", {"balance": 40.0}),
        Add(
            "transaction",
            "tx9",
            {"transactionId": "tx9", "accountId": "acc-20", "amount": -50.0, "kind": "withdrawal"},
        ),
    ),
    fine(
        "a transfer changes two accounts and leaves two transactions",
        BANK, "transfer", {"from_account": "acc-10", "to_account": "acc-20", "amount": 30.0},
        {"success": True, "from_balance": 220.0, "to_balance": 120.0},
        Update("account", "acc-10", {"balance": 220.0}),
        Update("account", "acc-20", {"balance": 120.0}),
        Add("transaction", "tx8", {"transactionId": "tx8", "accountId": "acc-10", "amount": -30.0, "kind": "transfer"}),
        Add("transaction", "tx9", {"transactionId": "tx9", "accountId": "acc-20", "amount": 30.0, "kind": "transfer"}),
    ),
    fine(
        "a fee stays behind, as the description says",
        BANK, "wire_abroad", {"from_account": "acc-10", "to_account": "acc-20", "amount": 30.0},
        {"success": True, "sent": 30.0, "received": 28.0, "fee": 2.0},
        Update("account", "acc-10", {"balance": 220.0}),
        Update("account", "acc-20", {"balance": 118.0}),
    ),
    fine(
        "stock is added to",
        SHOP, "add_product_stock", {"product_id": "p3", "quantity": 5},
        {"product_id": "p3", "stock": 12},
        Update("product", "p3", {"stock": 12}),
    ),
    fine(
        "a cancellation works out a refund of its own",
        TRAVEL, "cancel_booking", {"booking_id": "bk1"},
        {"booking_id": "bk1", "status": "cancelled", "refund_amount": 90, "refund_in_days": 5},
        Update("booking", "bk1", {"status": "cancelled", "refund_amount": 90}),
    ),
]  # fmt: skip

SAID_ANOTHER_WAY = [
    fine(
        "an e-mail address in lower case",
        CLINIC, "update_patient", {"patient_id": "pt-1", "email": " OW@Example.org"},
        {"patient_id": "pt-1", "email": "ow@example.org"},
        Update("patient", "pt-1", {"email": "ow@example.org"}),
    ),
    fine(
        "a phone number in another notation",
        CLINIC, "update_patient", {"patient_id": "pt-1", "phone": "+44 20 7946 0111"},
        {"success": True},
        Update("patient", "pt-1", {"phone": "+442079460111"}),
    ),
    fine(
        "a day that becomes a time",
        CLINIC, "reschedule_appointment", {"appointment_id": "apt-1", "new_start": "2025-03-05"},
        {"appointment_id": "apt-1", "start": "2025-03-05T09:00", "previous_start": "2025-03-04T09:00"},
        Update("appointment", "apt-1", {"start": "2025-03-05T09:00"}),
    ),
    fine(
        "a day in words that becomes a date",
        CLINIC, "reschedule_appointment", {"appointment_id": "apt-1", "new_start": "tomorrow at ten"},
        {"appointment_id": "apt-1", "start": "2025-03-05T10:00"},
        Update("appointment", "apt-1", {"start": "2025-03-05T10:00"}),
    ),
    fine(
        "a status in the world's own spelling",
        CLINIC, "list_appointments", {"status": "Checked In"},
        entities(CLINIC, "appointment", "apt-2"),
    ),
    fine(
        "a status in the world's own spelling is written",
        DESK, "update_ticket", {"ticket_id": "T-1", "status": "RESOLVED"},
        {"ticket_id": "T-1", "status": "resolved"},
        Update("ticket", "T-1", {"status": "resolved"}),
    ),
    fine(
        "the reason of a cancellation is kept in a note",
        SHOP, "cancel_order", {"order_id": "o1", "reason": "found it cheaper"},
        {"success": True, "order_id": "o1", "status": "cancelled"},
        Update("order", "o1", {"status": "cancelled", "note": "Cancelled: found it cheaper"}),
    ),
    fine(
        "the reason of a cancellation is kept nowhere",
        SHOP, "cancel_order", {"order_id": "o1", "reason": "found it cheaper"},
        {"order": {"order_id": "o1", "status": "cancelled"}, "previous_status": "processing"},
        Update("order", "o1", {"status": "cancelled"}),
    ),
    fine(
        "a part of an entity under names of the tool's own",
        SHOP, "get_order", {"order_id": "o1"},
        {"order": {"order_id": "o1", "state": "processing", "items": 2}, "customer_name": "Ada Lowe"},
    ),
    fine(
        "tags that look like ids",
        DESK, "get_ticket", {"ticket_id": "T-2"},
        {"ticket_id": "T-2", "tags": ["eu"], "labels": ["T-2", "T-900"], "related_skus": ["p1", "p900"]},
    ),
    fine(
        "a sentence instead of an object",
        DESK, "close_ticket", {"ticket_id": "T-2"},
        "Ticket T-2 has been closed.",
        Update("ticket", "T-2", {"status": "closed"}),
    ),
    fine(
        "everything of the entity is written again",
        DESK, "update_ticket", {"ticket_id": "T-1", "priority": "high"},
        {"ticket_id": "T-1", "updated_fields": ["priority"]},
        Update("ticket", "T-1", {**DESK.state["ticket"]["T-1"], "priority": "high", "updated_at": "2025-03-04"}),
    ),
    fine(
        "what is asked for is so already",
        DESK, "update_ticket", {"ticket_id": "T-2", "priority": "low"},
        {"success": True, "changes": {}},
    ),
    fine(
        "a try-out changes nothing",
        DESK, "update_ticket_checked", {"ticket_id": "T-1", "priority": "high", "dry_run": True},
        {"dry_run": True, "would_change": {"priority": "high"}},
    ),
    fine(
        "what waits for somebody changes nothing, as the description says",
        SHOP, "request_refund", {"order_id": "o1", "amount": 40.0},
        {"status": "pending_approval", "message": "A manager will look at it."},
    ),
]  # fmt: skip

LISTS = [
    fine(
        "a list in another order, with parts of each",
        SHOP, "list_orders", {"customer_id": "c1"},
        {"orders": [{"order_id": "o3", "total": 17.0}, {"order_id": "o1", "total": 43.5}], "count": 2},
    ),
    fine(
        "a list cut at the limit",
        MESSAGES, "list_messages", {"channel_id": "ch1", "limit": 2},
        entities(MESSAGES, "message", "m4", "m2"),
    ),
    fine(
        "a page with more to come",
        TRAVEL, "list_bookings", {"passenger_id": "pa2"},
        {"bookings": entities(TRAVEL, "booking", "bk2"), "page": 1, "has_more": True},
    ),
    fine(
        "the second page",
        TRAVEL, "list_bookings", {"passenger_id": "pa2", "page": 2},
        {"bookings": entities(TRAVEL, "booking", "bk3"), "page": 2},
    ),
    fine(
        "what is archived is left out",
        MESSAGES, "list_channels", {},
        entities(MESSAGES, "channel", "ch1", "ch2"),
    ),
    fine(
        "who is not active is left out",
        CLINIC, "search_doctors", {"speciality": "cardiology"},
        {"doctors": entities(CLINIC, "doctor", "dr-1")},
    ),
    fine(
        "what is cancelled is left out",
        TRAVEL, "list_bookings", {"passenger_id": "pa2"},
        entities(TRAVEL, "booking", "bk2"),
    ),
    fine(
        "only what is still to come",
        CLINIC, "list_upcoming_appointments", {"patient_id": "pt-1"},
        entities(CLINIC, "appointment", "apt-1"),
    ),
    fine(
        "only what was touched lately",
        DESK, "list_recent_tickets", {"status": "open"},
        entities(DESK, "ticket", "T-4"),
    ),
    fine(
        "a search that ranks as it likes",
        SHOP, "search_products", {"query": "something to write in"},
        entities(SHOP, "product", "p3"),
    ),
    fine(
        "really none",
        SHOP, "list_orders", {"customer_id": "c2", "status": "delivered"},
        {"orders": [], "message": "No orders found."},
    ),
    fine(
        "a list with what belongs to each",
        SHOP, "list_orders", {"customer_id": "c2"},
        [
            {
                "order_id": "o2",
                "customer": {"customer_id": "c2", "name": "Ben Orr"},
                "products": [{"product_id": "p3", "name": "Notebook"}],
            }
        ],
    ),
    fine(
        "an index of ids",
        TRAVEL, "list_passenger_ids", {"flight_id": "f1"},
        {"passenger_ids": ["pa1", "pa2"]},
    ),
]  # fmt: skip

SEVERAL_WRITTEN = [
    fine(
        "what was ordered goes back into stock",
        SHOP, "cancel_and_restock", {"order_id": "o1"},
        {"order_id": "o1", "status": "cancelled"},
        Update("order", "o1", {"status": "cancelled"}),
        Update("product", "p1", {"stock": 13}),
        Update("product", "p2", {"stock": 41}),
    ),
    fine(
        "what was ordered goes back into stock, and the description is silent",
        SHOP, "cancel_order", {"order_id": "o3"},
        {"order_id": "o3", "status": "cancelled"},
        Update("order", "o3", {"status": "cancelled"}),
        Update("product", "p2", {"stock": 42}),
        Add("refund", "r9", {"refund_id": "r9", "order_id": "o3", "amount": 17.0, "status": "pending"}),
    ),
    fine(
        "a deleted channel takes its messages along",
        MESSAGES, "delete_channel", {"channel_id": "ch2"},
        {"deleted": True, "messages_deleted": 1},
        Remove("channel", "ch2"),
        Remove("message", "m3"),
        Update("user", "u1", {"channel_ids": ["ch1"]}),
        Update("user", "u3", {"channel_ids": []}),
    ),
    fine(
        "a deleted patient takes appointments along",
        CLINIC, "delete_patient", {"patient_id": "pt-1"},
        {"success": True},
        Remove("patient", "pt-1"),
        Remove("appointment", "apt-1"),
        Remove("appointment", "apt-3"),
    ),
    fine(
        "the default card changes hands",
        BANK, "set_default_card", {"cardId": "k3"},
        {"cardId": "k3", "isDefault": True},
        Update("card", "k3", {"isDefault": True}),
        Update("card", "k1", {"isDefault": False}),
    ),
    fine(
        "all others with the same tags are resolved, as the description says",
        DESK, "resolve_incident", {"ticket_id": "T-1", "resolution": "Replaced the switch"},
        {"resolved": ["T-1", "T-4"]},
        Update("ticket", "T-1", {"status": "resolved", "resolution": "Replaced the switch"}),
        Update("ticket", "T-4", {"status": "resolved", "resolution": "Replaced the switch"}),
    ),
    fine(
        "both of two that are merged",
        DESK, "merge_tickets", {"ticket_id": "T-1", "into_ticket_id": "T-4"},
        {"ticket_id": "T-4", "status": "open"},
        Update("ticket", "T-1", {"status": "resolved", "resolution": "Merged into T-4"}),
        Update("ticket", "T-4", {"watcher_ids": ["ag1"]}),
    ),
    fine(
        "several that are named in a list",
        DESK, "bulk_update_tickets", {"ticket_ids": ["T-1", "T-2"], "status": "resolved"},
        {"updated": 2},
        Update("ticket", "T-1", {"status": "resolved"}),
        Update("ticket", "T-2", {"status": "resolved"}),
    ),
    fine(
        "as many as the argument says",
        CLINIC, "book_weekly_appointments",
        {"patient_id": "pt-2", "doctor_id": "dr-2", "start": "2025-04-01T09:00", "weeks": 2},
        {"appointment_ids": ["apt-8", "apt-9"]},
        *(
            Add(
                "appointment",
                entity_id,
                {
                    "appointment_id": entity_id,
                    "patient_id": "pt-2",
                    "doctor_id": "dr-2",
                    "start": start,
                    "status": "scheduled",
                },
            )
            for entity_id, start in (("apt-8", "2025-04-01T09:00"), ("apt-9", "2025-04-08T09:00"))
        ),
    ),
    fine(
        "a booked seat is taken from the flight, and points are given",
        TRAVEL, "book_flight", {"flight_id": "f2", "passenger_id": "pa3", "seat": "7A"},
        {"booking_id": "bk9", "status": "confirmed", "seats_left": 8},
        Add(
            "booking",
            "bk9",
            {"booking_id": "bk9", "flight_id": "f2", "passenger_id": "pa3", "seat": "7A", "status": "confirmed"},
        ),
        Update("flight", "f2", {"seats_left": 8}),
        Update("passenger", "pa3", {"points": 64}),
    ),
    fine(
        "both lists that the description names",
        MESSAGES, "add_member", {"channel_id": "ch1", "user_id": "u3"},
        {"channel_id": "ch1", "member_ids": ["u1", "u2", "u3"]},
        Update("channel", "ch1", {"member_ids": ["u1", "u2", "u3"]}),
        Update("user", "u3", {"channel_ids": ["ch2", "ch1"]}),
    ),
    fine(
        "a comment and a record of it beside the ticket",
        DESK, "resolve_ticket", {"ticket_id": "T-2", "resolution": "Credit note sent"},
        {"ticket_id": "T-2", "status": "resolved"},
        Update("ticket", "T-2", {"status": "resolved", "resolution": "Credit note sent"}),
        Add("comment", "cm9", {"comment_id": "cm9", "ticket_id": "T-2", "author_id": "ag1", "text": "Resolved."}),
        Add("event", "e1", {"kind": "ticket_resolved", "ticket_id": "T-2"}),
    ),
    fine(
        "the seat of the same flight's other booking is none of it, its passenger is",
        TRAVEL, "cancel_booking", {"booking_id": "bk1"},
        {"booking_id": "bk1", "status": "cancelled"},
        Update("booking", "bk1", {"status": "cancelled"}),
        Update("flight", "f1", {"seats_left": 5}),
        Update("passenger", "pa1", {"points": 0}),
        Update("payment", "pay1", {"amount": 0}),
    ),
]  # fmt: skip

REFUSALS = [
    fine(
        "not found, and it is not there",
        SHOP, "get_order", {"order_id": "o9"},
        not_found("No order with id 'o9' exists."),
    ),
    fine(
        "not found, since it is somebody else's",
        BANK, "get_card", {"cardId": "k2", "holderId": "h1"},
        not_found("The holder has no such card."),
    ),
    fine(
        "not found, since it is archived",
        MESSAGES, "get_channel", {"channel_id": "ch3"},
        {"error": "Channel not found"},
    ),
    fine(
        "an order that is too far along",
        SHOP, "cancel_order", {"order_id": "o2"},
        {"error": {"code": "conflict", "message": "Order o2 is shipped and cannot be cancelled."}},
    ),
    fine(
        "too little money",
        BANK, "withdraw", {"accountId": "acc-20", "amount": 500.0},
        {"success": False, "error": "Insufficient funds."},
    ),
    fine(
        "the product of an order is not there, the customer is",
        SHOP, "create_order", {"customer_id": "c2", "product_id": "p9", "quantity": 1},
        not_found("No product with id 'p9' exists."),
    ),
    fine(
        "nobody has this address",
        SHOP, "find_customer_by_email", {"email": "nobody@example.org"},
        None,
    ),
    fine(
        "nothing is missing in a booking whose meal was not found",
        TRAVEL, "update_booking", {"booking_id": "bk1", "meal": "kosher"},
        {"success": False, "message": "The meal 'kosher' was not found on this flight."},
    ),
]  # fmt: skip

HONEST: list[Case] = [*WORKED_OUT, *SAID_ANOTHER_WAY, *LISTS, *SEVERAL_WRITTEN, *REFUSALS]
