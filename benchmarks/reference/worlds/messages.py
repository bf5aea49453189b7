"""A messaging service as the app of one logged-in person sees it."""

from copy import deepcopy
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Json = dict[str, Any]


def _schema(properties: Json, required: list[str] | None = None) -> Json:
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema if required is None else {**schema, "required": required}


def _answer(properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


# fmt: off
NAMES = ["amira", "bruno", "carla", "deniz", "edgar", "fatima", "goran", "hannah", "ivan", "jia", "kofi", "lena",
         "marco", "nadia", "oskar", "priya", "quentin", "rosa", "samir", "tove", "umar", "vera", "wanda", "yusuf"]
SURNAMES = ["Adler", "Baptiste", "Costa", "Dahl", "Eriksen", "Farouk", "Garcia", "Haddad", "Ito", "Jensen"]
TITLES = ["Book club", "Climbing", "Flat 4B", "Office lunch", "Ski trip", "Choir", "Allotment", "Cousins", "Falcon"]
OPENERS = ["Can you bring", "I forgot", "Who has", "Please send me", "Has anyone seen", "I bought", "We still need"]
THINGS = ["the keys", "the tickets", "the invoice", "some coffee", "the photos", "the address", "a charger", "a map"]
TAILS = ["", "", " today", " tomorrow", " before Friday", " for the meeting", ", thanks"]

TEXT, FLAG, COUNT = {"type": "string"}, {"type": "boolean"}, {"type": "integer"}
CONVERSATION_ID = {"type": "string", "description": "Conversation id, e.g. conv_108"}
MESSAGE_ID, USER_ID = {**TEXT, "description": "e.g. msg_1042"}, {**TEXT, "description": "e.g. usr_07"}
BODY = {"type": "string", "minLength": 1, "maxLength": 500}
LIMIT = {"type": "integer", "minimum": 1, "maximum": 50, "default": 20}
PROFILE = _answer({"user_id": TEXT, "username": TEXT, "display_name": TEXT, "phone": TEXT})
MESSAGE = _answer({"message_id": TEXT, "conversation_id": TEXT, "sender_id": TEXT, "text": TEXT, "sent_on": TEXT})
CONVERSATION = _answer({"conversation_id": TEXT, "kind": {"enum": ["direct", "group"]}, "member_ids": _list(TEXT),
                        "admin_ids": _list(TEXT), "title": {"type": ["string", "null"]}})
IN_CONVERSATION = _schema({"conversation_id": CONVERSATION_ID}, ["conversation_id"])

TOOLS: list[Json] = [
    {"name": "login", "description": "Log in with username and password. Log out first if someone is logged in.",
     "input_schema": _schema({"username": TEXT, "password": TEXT}, ["username", "password"]),
     "output_schema": _answer({"status": TEXT, "user": PROFILE})},
    {"name": "logout", "description": "End the current session. Every other tool but login needs a session.",
     "input_schema": _schema({}), "output_schema": _answer({"status": {"const": "ok"}})},
    {"name": "find_user", "description": "Look a user up by exact username or by phone number; give one of the two.",
     "input_schema": _schema({"username": TEXT, "phone": {"type": "string", "description": "With country code"}}),
     "output_schema": _answer({"user": PROFILE})},
    {"name": "list_conversations", "description": "The conversations you are a member of, each with its number of "
     "unread messages. Those with the newest messages come first.",
     "input_schema": _schema({"unread_only": {"type": "boolean", "default": False}, "limit": LIMIT}),
     "output_schema": _list(_answer({"conversation_id": TEXT, "kind": TEXT, "unread": COUNT}))},
    {"name": "get_conversation", "description": "One of your conversations with its members, admins and settings.",
     "input_schema": IN_CONVERSATION, "output_schema": _answer({"conversation": CONVERSATION})},
    {"name": "get_messages", "description": "Read the messages of one of your conversations, newest first, and say how "
     "many there are. Reading them this way does not mark them as read.",
     "input_schema": _schema({"conversation_id": CONVERSATION_ID, "limit": LIMIT}, ["conversation_id"]),
     "output_schema": _answer({"messages": _list(MESSAGE), "total": COUNT})},
    {"name": "search_messages", "description": "Find messages in your conversations whose text contains the query, "
     "ignoring case, newest first. Can be narrowed to one conversation or one sender.",
     "input_schema": _schema({"query": TEXT, "conversation_id": CONVERSATION_ID, "sender_id": USER_ID}, ["query"]),
     "output_schema": _answer({"results": _list(MESSAGE), "count": COUNT})},
    {"name": "count_unread", "description": "How many messages from others you have not read, in one conversation or, "
     "without an id, in all that you have not muted.",
     "input_schema": _schema({"conversation_id": CONVERSATION_ID}), "output_schema": {"type": "integer"}},
    {"name": "send_message", "description": "Post a message to a conversation you are in, as an answer to another "
     "message there if reply_to is given. Message ids are numbered on. In a direct conversation it is refused if the "
     "other person has blocked you.", "input_schema": _schema(
         {"conversation_id": CONVERSATION_ID, "text": BODY, "reply_to": MESSAGE_ID}, ["conversation_id", "text"]),
     "output_schema": _answer({"status": {"const": "sent"}, "message_id": TEXT})},
    {"name": "delete_message", "description": "Delete a message for everybody. You can delete your own messages, and "
     "any message in a group you administer.", "input_schema": _schema({"message_id": MESSAGE_ID}, ["message_id"])},
    {"name": "mark_as_read", "description": "Mark everything in a conversation as read; says how much was unread.",
     "input_schema": IN_CONVERSATION, "output_schema": _answer({"marked": COUNT})},
    {"name": "mute_conversation", "description": "Mute a conversation for yourself, or unmute it with muted=false.",
     "input_schema": _schema({"conversation_id": CONVERSATION_ID, "muted": {**FLAG, "default": True}},
                             ["conversation_id"])},
    {"name": "add_group_member", "description": "Add a user to a group. Only admins of the group can.", "input_schema":
     _schema({"conversation_id": CONVERSATION_ID, "user_id": USER_ID}, ["conversation_id", "user_id"])},
    {"name": "leave_group", "description": "Leave a group. The only admin of a group has to stay.",
     "input_schema": IN_CONVERSATION},
    {"name": "add_contact", "description": "Save a user in your contacts, under their display name unless a nickname "
     "is given.", "input_schema": _schema({"user_id": USER_ID, "nickname": TEXT}, ["user_id"]),
     "output_schema": _answer({"contact_id": TEXT, "owner_id": TEXT, "user_id": TEXT, "nickname": TEXT})},
]
WEIGHTS = {"find_user": 18, "list_conversations": 18, "get_conversation": 20, "get_messages": 20,
           "search_messages": 20, "count_unread": 16, "send_message": 16, "login": 5, "logout": 4}
# fmt: on


def _check(tool: str, arguments: Json) -> None:
    """Refuse arguments that are missing, too long or short, too large or small."""
    schema = next(each["input_schema"] for each in TOOLS if each["name"] == tool)
    if missing := [name for name in schema.get("required", []) if name not in arguments]:
        raise RefusedError(f"'{missing[0]}' is required")
    for name, value in arguments.items():
        kind = schema["properties"].get(name, {})
        size = value if isinstance(value, int) else len(value)
        least = kind.get("minimum", kind.get("minLength", 0))
        if not least <= size <= kind.get("maximum", kind.get("maxLength", 10000)):
            raise RefusedError(f"'{name}' is out of bounds")


def _next_id(table: dict[str, Json]) -> str:
    prefix = min(table).split("_")[0]
    return f"{prefix}_{max(int(key.split('_')[1]) for key in table) + 1}"


def _profile(user: Json) -> Json:
    return {name: user[name] for name in ("user_id", "username", "display_name", "phone")}


class _Account:
    """What the person who is logged in may see."""

    def __init__(self, state: State) -> None:
        self.state, self.session = state, state["session"]["current"]
        if self.session["user_id"] is None:
            raise RefusedError("Not logged in")
        self.me: str = self.session["user_id"]
        every = state["conversations"]
        self.mine = {key: each for key, each in every.items() if self.me in each["member_ids"]}

    def conversation(self, arguments: Json) -> Json:
        key = arguments["conversation_id"]
        if key not in self.state["conversations"]:
            raise RefusedError(f"Conversation {key} does not exist")
        if key not in self.mine:
            raise RefusedError("You are not a member of this conversation")
        return self.mine[key]

    def message(self, key: str) -> Json:
        message = self.state["messages"].get(key)
        if message is None or message["conversation_id"] not in self.mine:
            raise RefusedError(f"Message {key} not found")
        return message

    def other(self, key: str) -> Json:
        if key not in self.state["users"] or key == self.me:
            raise RefusedError("That is yourself" if key == self.me else f"No user {key}")
        return self.state["users"][key]

    def messages(self, arguments: Json) -> list[Json]:
        """Those of the conversation that is asked for or of all, newest first."""
        named = "conversation_id" in arguments
        keys = [self.conversation(arguments)["conversation_id"]] if named else list(self.mine)
        found = [each for each in self.state["messages"].values() if each["conversation_id"] in keys]
        return sorted(found, key=lambda each: int(each["message_id"][4:]), reverse=True)

    def unread(self, arguments: Json) -> list[Json]:
        return [each for each in self.messages(arguments) if self.me not in each["read_by"]]


class Messages:
    """Conversations between two or many, with one person logged in at a time."""

    name = "messages"
    tools = TOOLS

    def begin(self, random: Random) -> State:
        state: State = {kind: {} for kind in ("users", "conversations", "messages", "contacts", "session")}
        users, talks, messages, contacts, session = state.values()
        for number, name in enumerate(random.sample(NAMES, random.randint(15, 24)), 1):
            key, shown = f"usr_{number:02}", f"{name.title()} {random.choice(SURNAMES)}"
            user = {"user_id": key, "username": f"{name}{random.randint(1, 99)}", "display_name": shown}
            user |= {"phone": f"+316{random.randint(10**7, 10**8 - 1)}"}
            user["password"] = f"{random.choice(THINGS).split()[-1]}-{random.randint(1000, 9999)}"
            foes = {f"usr_{random.randint(1, 15):02}" for _ in range(random.choice([0, 1, 2]))}
            users[key] = {**user, "blocked": sorted(foes - {key})}
        me = random.choice(list(users))
        for number in range(101, 101 + random.randint(15, 22)):
            key, members = f"conv_{number}", random.sample(list(users), random.choice([2, 2, 3, 4, 5, 6]))
            if random.random() < 0.65 and me not in members:
                members[random.randrange(len(members))] = me
            kind = "group" if len(members) > 2 else "direct"
            talk: Json = {"conversation_id": key, "kind": kind, "member_ids": members}
            talk["title"] = random.choice(TITLES) if kind == "group" else None
            talk["admin_ids"] = random.sample(members, random.choice([1, 2])) if kind == "group" else []
            talks[key] = {**talk, "muted_by": random.sample(members, random.choice([0, 0, 1, 2]))}
        days = sorted(random.randint(1, 30) for _ in range(random.randint(45, 60)))
        for number, day in enumerate(days, 1001):
            talk, text = random.choice(list(talks.values())), self._text(random)
            sender, read = random.choice(talk["member_ids"]), random.sample(talk["member_ids"], 2)
            sent = self._message(f"msg_{number}", talk, sender, text, f"2025-05-{day:02}")
            sent["read_by"] = sorted({sender, *read[: random.randint(0, 2)]})
            messages[f"msg_{number}"] = sent
        own = [(me, other) for other in random.sample(sorted(users.keys() - {me}), 6)]
        rest = [(one, other) for one in users for other in users if me != one != other]
        for number, (one, other) in enumerate(own + random.sample(rest, random.randint(12, 24)), 1):
            nickname = users[other]["display_name"].split()[0]
            contacts[f"ct_{number}"] = self._contact(f"ct_{number}", one, other, nickname)
        session["current"] = {"user_id": me if random.random() < 0.85 else None, "today": "2025-06-02"}
        return state

    def _text(self, random: Random) -> str:
        return f"{random.choice(OPENERS)} {random.choice(THINGS)}{random.choice(TAILS)}"

    def _contact(self, key: str, owner: str, user: str, nickname: str) -> Json:
        return {"contact_id": key, "owner_id": owner, "user_id": user, "nickname": nickname}

    def _message(self, key: str, talk: Json, sender: str, text: str, day: str) -> Json:
        sent = {"message_id": key, "conversation_id": talk["conversation_id"], "sender_id": sender}
        return {**sent, "text": text, "sent_on": day, "reply_to": None, "read_by": [sender]}

    def call(self, state: State, tool: str, arguments: Json) -> Any:
        _check(tool, arguments)
        if tool == "login":
            return self._login(state, arguments)
        return deepcopy(getattr(self, f"_{tool}")(_Account(state), arguments))

    def _login(self, state: State, arguments: Json) -> Any:
        session = state["session"]["current"]
        if session["user_id"] is not None:
            raise RefusedError("Somebody is logged in; log out first")
        for key, user in state["users"].items():
            if (user["username"], user["password"]) == (arguments["username"], arguments["password"]):
                session["user_id"] = key
                return {"status": "ok", "user": _profile(user)}
        raise RefusedError("Wrong username or password")

    def _logout(self, account: _Account, _: Json) -> Any:
        account.session["user_id"] = None
        return {"status": "ok"}

    def _find_user(self, account: _Account, arguments: Json) -> Any:
        if len(arguments) != 1:
            raise RefusedError("Give either username or phone")
        [(field, value)] = arguments.items()
        found = [user for user in account.state["users"].values() if user[field] == value]
        if not found:
            raise RefusedError(f"No user with this {field}")
        return {"user": _profile(found[0])}

    def _list_conversations(self, account: _Account, arguments: Json) -> Any:
        newest = [each["conversation_id"] for each in account.messages({})]
        found = []
        for key in dict.fromkeys([*newest, *account.mine]):
            unread, talk = len(account.unread({"conversation_id": key})), account.mine[key]
            if unread or not arguments.get("unread_only", False):
                shown = {"conversation_id": key, "kind": talk["kind"], "title": talk["title"]}
                found.append({**shown, "unread": unread})
        return found[: arguments.get("limit", 20)]

    def _get_conversation(self, account: _Account, arguments: Json) -> Any:
        return {"conversation": account.conversation(arguments)}

    def _get_messages(self, account: _Account, arguments: Json) -> Any:
        found = account.messages(arguments)
        return {"messages": found[: arguments.get("limit", 20)], "total": len(found)}

    def _search_messages(self, account: _Account, arguments: Json) -> Any:
        query, sender = arguments["query"].lower(), arguments.get("sender_id")
        found = [each for each in account.messages(arguments) if query in each["text"].lower()]
        found = [each for each in found if sender in (None, each["sender_id"])]
        return {"results": found, "count": len(found)}

    def _count_unread(self, account: _Account, arguments: Json) -> Any:
        if "conversation_id" in arguments:
            return len(account.unread(arguments))
        heard = [key for key, each in account.mine.items() if account.me not in each["muted_by"]]
        return sum(each["conversation_id"] in heard for each in account.unread({}))

    def _send_message(self, account: _Account, arguments: Json) -> Any:
        talk, messages = account.conversation(arguments), account.state["messages"]
        answered = arguments.get("reply_to")
        if answered and account.message(answered)["conversation_id"] != talk["conversation_id"]:
            raise RefusedError("The message to reply to is in another conversation")
        members = [account.state["users"][key] for key in talk["member_ids"]]
        if talk["kind"] == "direct" and any(account.me in each["blocked"] for each in members):
            raise RefusedError("This person does not accept messages from you")
        key, today = _next_id(messages), account.session["today"]
        sent = self._message(key, talk, account.me, arguments["text"], today)
        messages[key] = {**sent, "reply_to": answered}
        return {"status": "sent", "message_id": key}

    def _delete_message(self, account: _Account, arguments: Json) -> Any:
        message = account.message(arguments["message_id"])
        admins = account.mine[message["conversation_id"]]["admin_ids"]
        if account.me not in [message["sender_id"], *admins]:
            raise RefusedError("You may not delete this message")
        del account.state["messages"][message["message_id"]]
        return f"Message {message['message_id']} deleted."

    def _mark_as_read(self, account: _Account, arguments: Json) -> Any:
        unread = account.unread(arguments)
        for each in unread:
            each["read_by"].append(account.me)
        return {"marked": len(unread)}

    def _mute_conversation(self, account: _Account, arguments: Json) -> Any:
        muted, wanted = account.conversation(arguments)["muted_by"], arguments.get("muted", True)
        if (account.me in muted) == wanted:
            raise RefusedError(f"The conversation is already {'muted' if wanted else 'unmuted'}")
        (muted.append if wanted else muted.remove)(account.me)
        return {"status": "ok"}

    def _add_group_member(self, account: _Account, arguments: Json) -> Any:
        group = account.conversation(arguments)
        if account.me not in group["admin_ids"]:
            raise RefusedError("Only an admin of a group can add members")
        if account.other(arguments["user_id"])["user_id"] in group["member_ids"]:
            raise RefusedError("This user is a member already")
        group["member_ids"].append(arguments["user_id"])
        return {"member_ids": group["member_ids"]}

    def _leave_group(self, account: _Account, arguments: Json) -> Any:
        group = account.conversation(arguments)
        if group["kind"] != "group" or group["admin_ids"] == [account.me]:
            raise RefusedError(
                "You are the only admin" if group["kind"] == "group" else "This is not a group"
            )
        for field in ("member_ids", "admin_ids", "muted_by"):
            group[field] = [key for key in group[field] if key != account.me]
        return f"You left {group['title']}."

    def _add_contact(self, account: _Account, arguments: Json) -> Any:
        user, contacts = account.other(arguments["user_id"]), account.state["contacts"]
        mine = [each["user_id"] for each in contacts.values() if each["owner_id"] == account.me]
        if user["user_id"] in mine:
            raise RefusedError("This user is in your contacts already")
        key, nickname = _next_id(contacts), str(arguments.get("nickname", user["display_name"]))
        contacts[key] = self._contact(key, account.me, user["user_id"], nickname)
        return contacts[key]

    def next_call(self, state: State, random: Random) -> Call:
        if state["session"]["current"]["user_id"] is None:
            return self._next_login(state, random)
        drawn = self._draw(_Account(state), random, random.random() < 0.19)
        possible = [tool for tool in drawn if drawn[tool] is not None]
        tool = random.choices(possible, [WEIGHTS.get(tool, 7) for tool in possible])[0]
        return Call(tool, drawn[tool] or {})

    def _next_login(self, state: State, random: Random) -> Call:
        talk, chance = random.choice(list(state["conversations"].values())), random.random()
        if chance < 0.12:
            return Call("list_conversations", {})
        user = state["users"][random.choice(talk["member_ids"])]
        secret = user["password"] if chance < 0.85 else f"secret-{random.randint(1000, 9999)}"
        return Call("login", {"username": user["username"], "password": secret})

    def _draw(self, account: _Account, random: Random, wrong: bool) -> dict[str, Json | None]:
        """What the person may ask with each tool, or a mistake with it; None for what does not suit now."""
        state, me, mine = account.state, account.me, account.mine

        def pick(kind: str, name: str, fitting: list[str]) -> Json | None:
            """An id of those that fit or, for a mistake, another or an unknown one."""
            others = sorted(state[kind].keys() - set(fitting)) if wrong else fitting
            if wrong and (not others or random.random() < 0.3):
                return {name: f"{min(state[kind]).split('_')[0]}_{random.randint(7000, 7999)}"}
            return {name: random.choice(others)} if others else None

        def some(chosen: Json | None, optional: Json) -> Json | None:
            kept = {name: value for name, value in optional.items() if random.random() < 0.4}
            return None if chosen is None else {**chosen, **kept}

        users, seen = state["users"], account.messages({})
        known = random.choice(list(users.values()))
        find = random.choice([{"username": known["username"]}, {"phone": known["phone"]}])
        talk = pick("conversations", "conversation_id", list(mine))
        groups = [key for key, each in mine.items() if each["kind"] == "group"]
        ruled = [key for key in groups if me in mine[key]["admin_ids"]]
        quits = [key for key in groups if mine[key]["admin_ids"] != [me]]
        foes = {key for key in users if me in users[key]["blocked"]}
        open_ = [key for key in mine if key in groups or not foes & set(mine[key]["member_ids"])]
        send = pick("conversations", "conversation_id", open_)
        own = [one["message_id"] for one in seen if one["sender_id"] == me or one["conversation_id"] in ruled]
        there = [each["message_id"] for each in seen if each["conversation_id"] in (send or {}).values()]
        reply = {"reply_to": random.choice(there)} if there else {}
        quiet = random.choice(list(mine) or [""])
        muted = quiet in mine and (me in mine[quiet]["muted_by"]) == wrong
        mute = {"muted": muted} if not muted or random.random() < 0.5 else {}
        added = pick("conversations", "conversation_id", ruled)
        inside = mine.get(added["conversation_id"] if added else "", {"member_ids": []})["member_ids"]
        guest = {"user_id": random.choice(sorted(users.keys() - set(inside)) or [me])}
        contacts = [each["user_id"] for each in state["contacts"].values() if each["owner_id"] == me]
        friend = pick("users", "user_id", sorted(users.keys() - {me, *contacts}))
        query = {"query": random.choice(THINGS).split()[-1]}
        narrow = {"sender_id": random.choice(list(users)), **(talk or {})}
        page = {"unread_only": True, "limit": random.randint(3, 9)}
        return {
            "login": {"username": known["username"], "password": known["password"]} if wrong else None,
            "logout": None if wrong else {},
            "find_user": {"username": f"{known['username']}_{random.choice(NAMES)}"} if wrong else find,
            "list_conversations": {"limit": 0} if wrong else some({}, page),
            "get_conversation": talk,
            "get_messages": some(talk, {"limit": random.randint(1, 6)}),
            "search_messages": {**query, **(talk or {})} if wrong else some(query, narrow),
            "count_unread": talk if wrong else some({}, talk or {}),
            "send_message": some(send and {**send, "text": self._text(random)}, reply),
            "delete_message": pick("messages", "message_id", own),
            "mark_as_read": talk,
            "mute_conversation": {"conversation_id": quiet, **mute} if mine else None,
            "add_group_member": {**added, **guest} if added else None,
            "leave_group": pick("conversations", "conversation_id", quits),
            "add_contact": some(friend, {"nickname": random.choice(NAMES).title()}),
        }
