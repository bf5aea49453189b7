"""Answers about an office with a guest house, written when the checks were there, to see what they were not made for.

At first 12 of the 15 faults were named, and one of the 29 honest answers was not believed.
"""

from support.fault_worlds import FaultWorld, keyed, tool
from support.simulator_cases import Case, Spot, fault, fine, not_found

from odyssey.records.ledger import Add, Remove, Update

OFFICE = FaultWorld(
    {
        "employee": keyed(
            "id",
            {
                "id": "e1",
                "name": "Ana",
                "manager_id": "e3",
                "salary": 50000,
                "department_id": "d1",
                "active": True,
            },
            {
                "id": "e2",
                "name": "Bo",
                "manager_id": "e3",
                "salary": 60000,
                "department_id": "d1",
                "active": True,
            },
            {
                "id": "e3",
                "name": "Cy",
                "manager_id": None,
                "salary": 90000,
                "department_id": "d2",
                "active": True,
            },
        ),
        "department": keyed(
            "id", {"id": "d1", "name": "Sales", "headcount": 2}, {"id": "d2", "name": "Ops", "headcount": 1}
        ),
        "leave_request": keyed(
            "id",
            {"id": "l1", "employee_id": "e1", "days": 3, "status": "pending", "approved_by": None},
            {"id": "l2", "employee_id": "e2", "days": 5, "status": "approved", "approved_by": "e3"},
        ),
        "task": keyed(
            "task_id",
            {"task_id": 1, "title": "A", "position": 1, "done": False, "parent_id": None},
            {"task_id": 2, "title": "B", "position": 2, "done": False, "parent_id": 1},
            {"task_id": 3, "title": "C", "position": 3, "done": True, "parent_id": None},
        ),
        "room": {
            "101": {"type": "single", "rate": 80, "status": "free"},
            "102": {"type": "double", "rate": 120, "status": "free"},
            "103": {"type": "double", "rate": 130, "status": "occupied"},
        },
        "reservation": keyed(
            "reservation_id",
            {
                "reservation_id": "R1",
                "room_id": "103",
                "guest": "Lee",
                "nights": 2,
                "total": 260,
                "status": "booked",
            },
        ),
    },
    dict(
        [
            tool("approve_leave", "leave_request_id approver_id", "Approves a leave request."),
            tool("approve_leave_request", "leave_request_id approver_id", "Approves a leave request."),
            tool("give_raise", "employee_id percent:number", "Raises the salary by a percentage."),
            tool("update_salary", "employee_id salary:integer", "Sets the salary."),
            tool(
                "transfer_employee", "employee_id department_id", "Moves an employee to another department."
            ),
            tool("complete_task", "task_id:integer", "Marks a task as done."),
            tool("add_task", "title position:integer", "Adds a task."),
            tool("list_tasks", "done?:boolean", "Lists tasks."),
            tool("list_employees", "department_id? min_salary?:integer", "Lists employees."),
            tool("search_rooms", "type max_rate?:integer", "Finds rooms."),
            tool("find_free_rooms", "type", "Finds free rooms of a type."),
            tool("book_room", "room_id guest nights:integer", "Books a room."),
            tool("cancel_reservation", "reservation_id", "Cancels a reservation."),
            tool("check_out", "reservation_id", "Checks a guest out and frees the room."),
            tool("extend_stay", "reservation_id extra_nights:integer", "Extends a stay."),
            tool("get_employee", "employee_id", "Returns an employee."),
            tool("get_manager", "employee_id", "Returns the manager of an employee."),
            tool("delete_employee", "employee_id", "Removes an employee."),
            tool("get_room_rate", "room_id", "Returns a room's rate."),
            tool("create_leave_request", "employee_id days:integer", "Requests leave."),
            tool("rename_department", "department_id name", "Renames a department."),
            tool("send_reminder", "employee_id text", "Sends a reminder."),
            tool("list_leave_requests", "employee_id? status?", "Lists leave requests."),
            tool("get_reservation", "reservation_id", "Returns a reservation."),
        ]
    ),
)
R2 = {"reservation_id": "R2", "room_id": "101", "guest": "Kim", "nights": 3, "total": 240, "status": "booked"}
KIM = {"room_id": "101", "guest": "Kim", "nights": 3}
APPROVAL = {"leave_request_id": "l1", "approver_id": "e3"}

OFFICE_HONEST: list[Case] = [
    fine(
        "approved leave is taken from the days that are left",
        OFFICE, "approve_leave_request", APPROVAL,
        {"status": "approved"},
        Update("leave_request", "l1", {"status": "approved", "approved_by": "e3"}),
        Update("employee", "e1", {"vacation_days": 17}),
    ),
    fine(
        "an approval, told in a word",
        OFFICE, "approve_leave", APPROVAL,
        {"ok": True},
        Update("leave_request", "l1", {"status": "approved", "approved_by": "e3"}),
    ),
    fine(
        "a percentage becomes a sum",
        OFFICE, "give_raise", {"employee_id": "e1", "percent": 10},
        {"employee_id": "e1", "new_salary": 55000},
        Update("employee", "e1", {"salary": 55000}),
    ),
    fine(
        "who moves is counted elsewhere",
        OFFICE, "transfer_employee", {"employee_id": "e1", "department_id": "d2"},
        {"ok": True},
        Update("employee", "e1", {"department_id": "d2"}),
        Update("department", "d1", {"headcount": 1}),
        Update("department", "d2", {"headcount": 2}),
    ),
    fine(
        "what is below a task is done with it",
        OFFICE, "complete_task", {"task_id": 1},
        {"task_id": 1, "done": True},
        Update("task", "1", {"done": True}),
        Update("task", "2", {"done": True}),
    ),
    fine(
        "those behind a new task move on",
        OFFICE, "add_task", {"title": "Z", "position": 1},
        {"task_id": 4, "position": 1},
        Add("task", "4", {"task_id": 4, "title": "Z", "position": 1, "done": False}),
        *(Update("task", str(number), {"position": number + 1}) for number in (1, 2, 3)),
    ),
    fine(
        "tasks by whether they are done",
        OFFICE, "list_tasks", {"done": False},
        [{"task_id": 1, "title": "A"}, {"task_id": 2, "title": "B"}],
    ),
    fine(
        "employees by two filters",
        OFFICE, "list_employees", {"department_id": "d1", "min_salary": 55000},
        {"employees": [{"id": "e2", "name": "Bo"}]},
    ),
    fine(
        "employees, each with a manager from elsewhere",
        OFFICE, "list_employees", {"department_id": "d1"},
        [{"id": each, "manager": {"id": "e3", "name": "Cy"}} for each in ("e1", "e2")],
    ),
    fine(
        "rooms by their keys",
        OFFICE, "search_rooms", {"type": "double"},
        [{"room_id": "102", "rate": 120}, {"room_id": "103", "rate": 130}],
    ),
    fine(
        "an adjective that is a status",
        OFFICE, "find_free_rooms", {"type": "double"},
        [{"room_id": "102", "rate": 120}],
    ),
    fine(
        "a booked room is no longer free",
        OFFICE, "book_room", KIM,
        {"reservation_id": "R2", "room_id": "101", "total": 240, "status": "booked"},
        Add("reservation", "R2", R2),
        Update("room", "101", {"status": "occupied"}),
    ),
    fine(
        "a cancelled reservation frees its room",
        OFFICE, "cancel_reservation", {"reservation_id": "R1"},
        {"reservation_id": "R1", "status": "cancelled"},
        Update("reservation", "R1", {"status": "cancelled"}),
        Update("room", "103", {"status": "free"}),
    ),
    fine(
        "a cancelled reservation is removed",
        OFFICE, "cancel_reservation", {"reservation_id": "R1"},
        {"success": True},
        Remove("reservation", "R1"),
        Update("room", "103", {"status": "free"}),
    ),
    fine(
        "who checks out frees the room",
        OFFICE, "check_out", {"reservation_id": "R1"},
        {"success": True, "total": 260},
        Update("reservation", "R1", {"status": "checked_out"}),
        Update("room", "103", {"status": "free"}),
    ),
    fine(
        "nights are added to those there were",
        OFFICE, "extend_stay", {"reservation_id": "R1", "extra_nights": 2},
        {"reservation_id": "R1", "nights": 4, "total": 520},
        Update("reservation", "R1", {"nights": 4, "total": 520}),
    ),
    fine("one is given, another shown", OFFICE, "get_manager", {"employee_id": "e1"}, {"id": "e3", "name": "Cy"}),
    fine("nobody above", OFFICE, "get_manager", {"employee_id": "e3"}, {"manager": None}),
    fine(
        "nobody above, in words that name who is there",
        OFFICE, "get_manager", {"employee_id": "e3"},
        {"error": "No manager found for employee e3"},
    ),
    fine(
        "who reported to somebody deleted reports to nobody",
        OFFICE, "delete_employee", {"employee_id": "e3"},
        {"deleted": True},
        Remove("employee", "e3"),
        Update("employee", "e1", {"manager_id": None}),
        Update("employee", "e2", {"manager_id": None}),
        Update("department", "d2", {"headcount": 0}),
    ),
    fine(
        "who is deleted is no longer active",
        OFFICE, "delete_employee", {"employee_id": "e2"},
        {"deleted": True},
        Update("employee", "e2", {"active": False}),
    ),
    fine(
        "a rate with its currency",
        OFFICE, "get_room_rate", {"room_id": "102"},
        {"room_id": "102", "rate": 120, "currency": "EUR"},
    ),
    fine(
        "a request with what remains",
        OFFICE, "create_leave_request", {"employee_id": "e2", "days": 4},
        {"id": "l3", "status": "pending", "remaining": 6},
        Add("leave_request", "l3", {"id": "l3", "employee_id": "e2", "days": 4, "status": "pending"}),
    ),
    fine("a reminder leaves no trace", OFFICE, "send_reminder", {"employee_id": "e1", "text": "hi"}, {"sent": True}),
    fine(
        "a reminder leaves a trace of its own type",
        OFFICE, "send_reminder", {"employee_id": "e1", "text": "hi"},
        {"sent": True},
        Add("reminder", "m1", {"employee_id": "e1", "text": "hi", "at": "2025-01-01"}),
    ),
    fine(
        "nothing is pending",
        OFFICE, "list_leave_requests", {"employee_id": "e2", "status": "pending"},
        {"leave_requests": []},
    ),
    fine(
        "a list in two groups",
        OFFICE, "list_leave_requests", {},
        {"pending": [{"id": "l1"}], "approved": [{"id": "l2"}]},
    ),
    fine(
        "a refusal by a rule of the house",
        OFFICE, "update_salary", {"employee_id": "e1", "salary": 1},
        {"error": "Salary below the minimum"},
    ),
    fine(
        "a reservation with its room and a history",
        OFFICE, "get_reservation", {"reservation_id": "R1"},
        {"reservation_id": "R1", "room": {"id": "103", "type": "double"}, "history": ["booked"]},
    ),
]  # fmt: skip

OFFICE_FAULTS: list[Case] = [
    fault(
        "a salary with a nought too few",
        OFFICE, "update_salary", {"employee_id": "e1", "salary": 55000},
        {"ok": True},
        Update("employee", "e1", {"salary": 5500}),
        at=Spot("employee", "e1", "salary"),
    ),
    fault(
        "a colleague gets the same salary",
        OFFICE, "update_salary", {"employee_id": "e1", "salary": 55000},
        {"ok": True},
        Update("employee", "e1", {"salary": 55000}),
        Update("employee", "e2", {"salary": 55000}),
        at=Spot("employee", "e2"),
    ),
    fault(
        "the department is written as it was",
        OFFICE, "transfer_employee", {"employee_id": "e1", "department_id": "d2"},
        {"ok": True},
        Update("employee", "e1", {"department_id": "d1"}),
        at=Spot("employee", "e1", "department_id"),
    ),
    fault(
        "a colleague is left out",
        OFFICE, "list_employees", {"department_id": "d1"},
        [{"id": "e1"}],
        at=Spot("employee", "e2"),
    ),
    fault(
        "somebody below the lowest salary",
        OFFICE, "list_employees", {"min_salary": 55000},
        [{"id": "e1"}, {"id": "e2"}, {"id": "e3"}],
        at=Spot("employee", "e1"),
    ),
    fault(
        "an employee is not found",
        OFFICE, "get_employee", {"employee_id": "e2"},
        not_found("Employee e2 not found"),
        at=Spot("employee", "e2"),
    ),
    fault(
        "a reservation is not found",
        OFFICE, "cancel_reservation", {"reservation_id": "R1"},
        {"error": "Reservation R1 not found"},
        at=Spot("reservation", "R1"),
    ),
    fault(
        "one night for three",
        OFFICE, "book_room", KIM,
        {"reservation_id": "R2"},
        Add("reservation", "R2", {**R2, "nights": 1, "total": 80}),
        at=Spot("reservation", "R2", "nights"),
    ),
    fault(
        "another room than the one asked for",
        OFFICE, "book_room", KIM,
        {"reservation_id": "R2"},
        Add("reservation", "R2", {**R2, "room_id": "102"}),
        at=Spot("reservation", "R2", "room_id"),
    ),
    fault(
        "ten days more",
        OFFICE, "create_leave_request", {"employee_id": "e2", "days": 4},
        {"id": "l3", "status": "pending"},
        Add("leave_request", "l3", {"id": "l3", "employee_id": "e2", "days": 14, "status": "pending"}),
        at=Spot("leave_request", "l3", "days"),
    ),
    fault(
        "a task that is done among those that are not",
        OFFICE, "list_tasks", {"done": False},
        [{"task_id": 1}, {"task_id": 2}, {"task_id": 3}],
        at=Spot("task", "3"),
    ),
    fault(
        "the room goes with its reservation",
        OFFICE, "cancel_reservation", {"reservation_id": "R1"},
        {"ok": True},
        Update("reservation", "R1", {"status": "cancelled"}),
        Remove("room", "103"),
        at=Spot("room", "103"),
    ),
    fault(
        "another name for a department",
        OFFICE, "rename_department", {"department_id": "d1", "name": "Revenue"},
        {"ok": True},
        Update("department", "d1", {"name": "Operations"}),
        at=Spot("department", "d1", "name"),
    ),
    fault(
        "approved is announced, and only by whom is written",
        OFFICE, "approve_leave_request", APPROVAL,
        {"status": "approved"},
        Update("leave_request", "l1", {"approved_by": "e3"}),
        at=Spot("leave_request", "l1", "status"),
    ),
    fault(
        "a room above the highest rate",
        OFFICE, "search_rooms", {"type": "double", "max_rate": 125},
        [{"room_id": "102"}, {"room_id": "103"}],
        at=Spot("room", "103"),
    ),
]  # fmt: skip
