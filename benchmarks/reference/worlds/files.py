"""A file system behind shell-like commands: directories and files by path, one session with a current directory."""

import posixpath
from collections.abc import Callable
from inspect import Parameter, signature
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Entity = dict[str, Any]
Command = Callable[..., Any]

KINDS = {"file": "files", "directory": "directories"}
MODES = ["400", "444", "600", "644"]
PEOPLE = ["aiko", "jonas", "leon", "mara", "nadia", "oscar", "priya", "tomas"]
FOLDERS = ["archive", "backup", "budgets", "contracts", "designs", "drafts", "invoices", "logs", "tmp"]
STEMS = ["agenda", "budget", "contacts", "draft", "journal", "minutes", "notes", "plan", "summary", "todo"]
ENDINGS = [".txt", ".md", ".csv", ".log"]
SUBJECTS = ["The supplier", "Our landlord", "The printer", "Finance", "The intern", "Marketing", "The client"]
EVENTS = ["asked for", "sent back", "is waiting for", "lost", "confirmed", "paid for", "moved", "doubled"]
OBJECTS = ["the invoice", "the contract", "all samples", "a refund", "the report", "two licenses", "the keys"]

TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}
PART = {"type": "string", "description": "Part of the name, e.g. inv."}
FLAG = {"type": "boolean", "default": False}
COUNT = {"type": "integer", "minimum": 0}
PATH = {"type": "string", "description": "Path, absolute or relative to the current directory."}
FOLDER = {"type": "string", "default": ".", "description": "Directory; the current one by default."}
TO = {"type": "string", "description": "New path, or an existing directory to put it into."}
TOOLS: list[Entity] = []


def _answer(**properties: Entity) -> Entity:
    return {"type": "object", "properties": properties, "required": list(properties)}


WRITTEN = _answer(path=TEXT, size=COUNT)
MATCHES = {"type": "array", "items": _answer(path=TEXT, line=COUNT, text=TEXT)}


def _tool(answers: Entity | None, **takes: Entity) -> Callable[[Command], Command]:
    """Declare a command as a tool: its docstring is the description, a parameter without a default is required."""

    def declare(command: Command) -> Command:
        required = [one for one in takes if signature(command).parameters[one].default is Parameter.empty]
        schema = {"type": "object", "properties": takes, "required": required, "additionalProperties": False}
        about = " ".join((command.__doc__ or "").split())
        declared: Entity = {"name": command.__name__, "description": about, "input_schema": schema}
        TOOLS.append(declared if answers is None else {**declared, "output_schema": answers})
        return command

    return declare


def _within(path: str, top: str) -> bool:
    return top in ("/", path) or path.startswith(f"{top}/")


def _may(user: str, act: str, entity: Entity) -> bool:
    own: bool = entity["owner"] == user
    if act == "read":
        return own or entity["mode"].endswith("4") or user in entity["shared_with"]
    if act == "write":
        return own and entity["mode"].startswith("6")
    if act == "fill":
        return own or entity["mode"] == "777"
    return own or act == "see"


def _new(path: str, owner: str, mode: str, created: str, content: str | None = None) -> Entity:
    named = {"path": path, "name": posixpath.basename(path) or "/", "parent": posixpath.dirname(path)}
    entity: Entity = {**named, "owner": owner, "mode": mode, "created": created}
    if content is not None:
        entity.update(size=len(content.encode()), content=content, shared_with=[])
    return entity


def _sentence(random: Random) -> str:
    return f"{random.choice(SUBJECTS)} {random.choice(EVENTS)} {random.choice(OBJECTS)} ({random.randint(2, 99)})"


class _Shell:
    """The commands, as they are in one state."""

    def __init__(self, state: State) -> None:
        self.state, self.session = state, state["session"]["current"]
        self.user: str = self.session["user"]

    def _absolute(self, path: str) -> str:
        return posixpath.normpath(posixpath.join(self.session["cwd"], path))

    def _get(self, tool: str, kind: str, path: str, act: str = "see") -> Entity:
        absolute = self._absolute(path)
        if absolute not in self.state[kind]:
            other = "Is a directory" if kind == "files" else "Not a directory"
            known = absolute in self.state["files"] or absolute in self.state["directories"]
            raise RefusedError(f"{tool}: {path}: {other if known else 'No such file or directory'}")
        if not _may(self.user, act, self.state[kind][absolute]):
            raise RefusedError(f"{tool}: {path}: Permission denied")
        return self.state[kind][absolute]

    def _free_place(self, tool: str, path: str, source: str = "") -> str:
        """Return the absolute path to put something new at: inside the path, if it is a directory to move into."""
        absolute = self._absolute(path)
        if source and absolute in self.state["directories"]:
            absolute = posixpath.join(absolute, posixpath.basename(self._absolute(source)))
        if absolute in self.state["directories"] or absolute in self.state["files"]:
            raise RefusedError(f"{tool}: {absolute}: File exists")
        self._get(tool, "directories", posixpath.dirname(absolute), "fill")
        return absolute

    def _used(self, below: str = "/") -> int:
        return sum(file["size"] for path, file in self.state["files"].items() if _within(path, below))

    def _fill(self, tool: str, file: Entity, content: str) -> Entity:
        """Put the content into a file, which need not be on the volume yet."""
        size, old = len(content.encode()), file["size"] if file["path"] in self.state["files"] else 0
        if self._used() - old + size > self.state["volume"]["main"]["capacity"]:
            raise RefusedError(f"{tool}: {file['path']}: No space left on device")
        self.state["files"][file["path"]] = file
        file.update(content=content, size=size)
        return {"path": file["path"], "size": size}

    @_tool(_answer(current_directory=TEXT))
    def pwd(self) -> Any:
        """Print the current working directory."""
        return {"current_directory": self.session["cwd"]}

    @_tool(_answer(path=TEXT, entries=TEXTS), path=FOLDER, all=FLAG)
    def ls(self, path: str = ".", all: bool = False) -> Any:
        """List a directory, sorted by name; directories end in a slash, dot files need `all`."""
        top, folders = self._get("ls", "directories", path)["path"], self.state["directories"].values()
        names = [one["name"] + "/" for one in folders if one["parent"] == top != one["path"]]
        names += [one["name"] for one in self.state["files"].values() if one["parent"] == top]
        return {"path": top, "entries": sorted(name for name in names if all or not name.startswith("."))}

    @_tool(_answer(current_directory=TEXT), path=PATH)
    def cd(self, path: str) -> Any:
        """Change the current directory. `..` goes up one level."""
        self.session["cwd"] = self._get("cd", "directories", path)["path"]
        return {"current_directory": self.session["cwd"]}

    @_tool(TEXT, path=PATH)
    def cat(self, path: str) -> Any:
        """Return the content of a file that is yours, readable for everyone (mode 444 or 644) or shared with you."""
        return self._get("cat", "files", path, "read")["content"]

    @_tool(TEXTS, name=PART, path=FOLDER, type={**TEXT, "enum": list(KINDS)})
    def find(self, name: str, path: str = ".", type: str | None = None) -> Any:
        """Find files and directories at any depth below a directory whose name contains a text, whatever its case.
        Both kinds are searched unless one is given. Returns absolute paths in alphabetical order.
        """
        if type is not None and type not in KINDS:
            raise RefusedError(f"find: unknown type {type!r}, use 'file' or 'directory'")
        top = self._get("find", "directories", path)["path"]
        kinds = [KINDS[type]] if type else list(KINDS.values())
        known = [path for kind in kinds for path in self.state[kind] if _within(path, top) and path != top]
        return sorted(path for path in known if name.lower() in posixpath.basename(path).lower())

    @_tool(_answer(matches=MATCHES), pattern=TEXT, path=PATH, ignore_case=FLAG)
    def grep(self, pattern: str, path: str, ignore_case: bool = False) -> Any:
        """Search for a plain text in a file, or in all files directly in a directory (those you may not read are
        skipped). Returns the matching lines with their numbers, counted from 1.
        """
        top, files = self._absolute(path), self.state["files"].values()
        inside = [file for file in files if file["parent"] == top and _may(self.user, "read", file)]
        if top not in self.state["directories"]:
            inside = [self._get("grep", "files", path, "read")]
        lines = [(f["path"], *one) for f in inside for one in enumerate(f["content"].splitlines(), 1)]
        fold = str.lower if ignore_case else str
        found = [one for one in sorted(lines) if fold(pattern) in fold(one[2])]
        return {"matches": [{"path": one, "line": number, "text": line} for one, number, line in found]}

    @_tool(_answer(path=TEXT, total_bytes=COUNT), path=FOLDER)
    def du(self, path: str = ".") -> Any:
        """Disk usage: the bytes that the files in a directory and everything below it take together."""
        top = self._get("du", "directories", path)["path"]
        return {"path": top, "total_bytes": self._used(top)}

    @_tool(None)
    def df(self) -> Any:
        """Show label, capacity, used and free bytes of the volume."""
        volume, used = self.state["volume"]["main"], self._used()
        return {**volume, "used": used, "free": volume["capacity"] - used}

    @_tool(None, path=PATH)
    def mkdir(self, path: str) -> Any:
        """Make a directory of yours (mode 755) in an existing one that is yours or open to everyone (mode 777)."""
        place = self._free_place("mkdir", path)
        self.state["directories"][place] = _new(place, self.user, "755", self.session["date"])
        return dict(self.state["directories"][place])

    @_tool(WRITTEN, path=PATH, content=TEXT)
    def write(self, path: str, content: str) -> Any:
        """Write text to a file, replacing what it contains; it must be yours and writable (mode 600 or 644). One that
        does not exist is created as yours with mode 644, in a directory that is yours or open to everyone.
        """
        if self._absolute(path) in {*self.state["files"], *self.state["directories"]}:
            return self._fill("write", self._get("write", "files", path, "write"), content)
        place = self._free_place("write", path)
        return self._fill("write", _new(place, self.user, "644", self.session["date"], ""), content)

    @_tool(WRITTEN, path=PATH, line=TEXT)
    def append(self, path: str, line: str) -> Any:
        """Add a line at the end of a file of yours that is writable."""
        file = self._get("append", "files", path, "write")
        return self._fill("append", file, f"{file['content']}\n{line}" if file["content"] else line)

    @_tool(None, source=PATH, destination=TO)
    def mv(self, source: str, destination: str) -> Any:
        """Move or rename a file or a directory of yours. If the destination is an existing directory, the source is
        moved into it under its own name; nothing is ever overwritten. A directory you are in cannot be moved.
        """
        origin = self._absolute(source)
        self._get("mv", "directories" if origin in self.state["directories"] else "files", source, "own")
        if _within(self.session["cwd"], origin):
            raise RefusedError(f"mv: {source}: Device or resource busy")
        target = self._free_place("mv", destination, source)
        if _within(target, origin):
            raise RefusedError(f"mv: cannot move {source} into itself")
        for kind in ("directories", "files"):
            for old in [path for path in self.state[kind] if _within(path, origin)]:
                path = target + old[len(origin) :]
                names = {"path": path, "name": posixpath.basename(path), "parent": posixpath.dirname(path)}
                self.state[kind][path] = {**self.state[kind].pop(old), **names}
        return f"Moved {origin} to {target}"

    @_tool(WRITTEN, source=PATH, destination=TO)
    def cp(self, source: str, destination: str) -> Any:
        """Copy a file you may read. The copy is yours, with mode 644, shared with nobody. Never overwrites."""
        content = self._get("cp", "files", source, "read")["content"]
        place = self._free_place("cp", destination, source)
        return self._fill("cp", _new(place, self.user, "644", self.session["date"], ""), content)

    @_tool(_answer(removed=TEXTS), path=PATH, recursive=FLAG)
    def rm(self, path: str, recursive: bool = False) -> Any:
        """Delete a file or a directory of yours. A directory that is not empty needs `recursive`; one you are in,
        and files that are read-only (mode 400 or 444) or of somebody else, are refused. Returns the paths gone.
        """
        top = self._absolute(path)
        if top in self.state["directories"]:
            self._get("rm", "directories", path, "own")
            if _within(self.session["cwd"], top):
                raise RefusedError(f"rm: {path}: Device or resource busy")
        else:
            self._get("rm", "files", path, "write")
        gone = sorted(one for kind in KINDS.values() for one in self.state[kind] if _within(one, top))
        if len(gone) > 1 and not recursive:
            raise RefusedError(f"rm: {path}: Directory not empty")
        for one in [one for one in gone if one in self.state["files"]]:
            self._get("rm", "files", one, "write")
        for one in gone:
            self.state["files" if one in self.state["files"] else "directories"].pop(one)
        return {"removed": gone}

    @_tool({"type": "null"}, path=PATH, mode={**TEXT, "enum": MODES})
    def chmod(self, path: str, mode: str) -> Any:
        """Set the mode of a file you own: with 600 and 644 you can write it, with 444 and 644 everyone can read it."""
        file = self._get("chmod", "files", path, "own")
        if mode not in MODES:
            raise RefusedError(f"chmod: invalid mode: {mode}")
        file["mode"] = mode

    @_tool(_answer(path=TEXT, shared_with=TEXTS), path=PATH, user={**TEXT, "description": "User name."})
    def share(self, path: str, user: str) -> Any:
        """Let another user read a file you own, whatever its mode. Sharing twice with the same user is an error."""
        file = self._get("share", "files", path, "own")
        if user not in self.state["users"]:
            raise RefusedError(f"share: {user}: No such user")
        if user == file["owner"] or user in file["shared_with"]:
            raise RefusedError(f"share: {user} has access already")
        file["shared_with"].append(user)
        return {"path": file["path"], "shared_with": list(file["shared_with"])}


class _Caller:
    """Draws the arguments of one call, of one that is refused if it is to be wrong."""

    def __init__(self, state: State, random: Random, wrong: bool) -> None:
        self.state, self.random, self.wrong = state, random, wrong
        self.user, self.cwd = state["session"]["current"]["user"], state["session"]["current"]["cwd"]
        self.others = [user for user in state["users"] if user != self.user]

    def coin(self, chance: float = 0.5) -> bool:
        return self.random.random() < chance

    def some(self, **optional: Any) -> Entity:
        return {name: value for name, value in optional.items() if self.wrong or self.coin()}

    def value(self, known: list[str], unknown: str) -> str:
        return unknown if self.wrong and self.coin() else self.random.choice(known)

    def invented(self) -> str:
        return f"{self.random.choice(STEMS)}_{self.random.randint(100, 999)}{self.random.choice(ENDINGS)}"

    def good(self, kind: str, act: str = "see", may: bool = True) -> str:
        paths = [path for path, entity in self.state[kind].items() if _may(self.user, act, entity) == may]
        path = self.random.choice(paths or list(self.state[kind]))
        relative = self.coin(0.8 if _within(path, self.cwd) else 0.15)
        return posixpath.relpath(path, self.cwd) if relative else path

    def one(self, kind: str, act: str = "see") -> str:
        if not self.wrong:
            return self.good(kind, act)
        other = self.good("files" if kind == "directories" else "directories")
        bad = self.good(kind, act, may=False) if act != "see" else other
        return self.random.choice([self.invented(), other, bad, bad])

    def fresh(self) -> str:
        if self.wrong and self.coin():
            return self.good("directories")
        name = self.random.choice(FOLDERS) if self.coin() else self.invented()
        return posixpath.normpath(posixpath.join(self.one("directories", "fill"), name))

    def transfer(self, kind: str, act: str) -> Entity:
        if self.wrong and self.coin():
            return {"source": self.good(kind, act), "destination": self.good("files")}
        target = self.good("directories", "fill") if self.coin(0.4) else self.fresh()
        return {"source": self.one(kind, act), "destination": target}

    def remove(self) -> Entity:
        if self.coin(0.3):
            return {"path": self.good("directories", "own"), **({} if self.wrong else {"recursive": True})}
        return {"path": self.one("files", "write")}

    def find(self) -> Entity:
        name = self.random.choice(STEMS + FOLDERS + ENDINGS)[: self.random.randint(3, 6)]
        return {"name": name, **self.some(path=self.one("directories"), type=self.value(list(KINDS), "link"))}

    def grep(self) -> Entity:
        path = self.good("directories") if self.coin(0.3) else self.one("files", "read")
        pattern = self.random.choice([*SUBJECTS, *EVENTS, *OBJECTS, "7", "the"])
        return {"pattern": pattern, "path": path, **self.some(ignore_case=self.coin())}

    def write(self) -> Entity:
        path = self.fresh() if self.coin() else self.one("files", "write")
        return {"path": path, "content": _sentence(self.random)}


DRAWS: dict[str, tuple[int, Callable[[_Caller], Entity]]] = {
    "pwd": (4, _Caller.some),
    "ls": (13, lambda c: c.some(path=c.one("directories"), all=c.coin())),
    "cd": (9, lambda c: {"path": ".." if not c.wrong and c.coin(0.2) else c.one("directories")}),
    "cat": (17, lambda c: {"path": c.one("files", "read")}),
    "find": (12, _Caller.find),
    "grep": (12, _Caller.grep),
    "du": (8, lambda c: c.some(path=c.one("directories"))),
    "df": (4, _Caller.some),
    "mkdir": (6, lambda c: {"path": c.fresh()}),
    "write": (7, _Caller.write),
    "append": (6, lambda c: {"path": c.one("files", "write"), "line": _sentence(c.random)}),
    "mv": (7, lambda c: c.transfer("directories" if c.coin(0.2) else "files", "own")),
    "cp": (5, lambda c: c.transfer("files", "read")),
    "rm": (6, _Caller.remove),
    "chmod": (5, lambda c: {"path": c.one("files", "own"), "mode": c.value(MODES, "777")}),
    "share": (5, lambda c: {"path": c.one("files", "own"), "user": c.value(c.others, "guest")}),
}


class Files:
    name = "files"
    tools = TOOLS

    def begin(self, random: Random) -> State:
        names = random.sample(PEOPLE, 6)
        user, date = names[0], f"2025-{random.randint(1, 9):02}-{random.randint(1, 28):02}"
        folders = {path: _new(path, "root", "755", "2023-01-02") for path in ("/", "/home", "/srv")}
        folders.update({f"/home/{one}": _new(f"/home/{one}", one, "755", "2023-01-09") for one in names})
        for _ in range(random.randint(14, 24)):
            path = f"{random.choice(['/srv', f'/home/{user}', *list(folders)[3:]])}/{random.choice(FOLDERS)}"
            owner, mode = (path.split("/")[2], "755") if path[1] == "h" else (random.choice(names), "777")
            folders[path] = _new(path, owner, mode, f"2024-{random.randint(1, 12):02}-15")
        files: dict[str, Entity] = {}
        for _ in range(random.randint(38, 62)):
            parent = random.choice(list(folders)[3:])
            path = f"{parent}/{'.' if random.random() < 0.1 else ''}{random.choice(STEMS)}{random.choice(ENDINGS)}"
            owner = user if random.random() < 0.4 else folders[parent]["owner"]
            content = "\n".join(_sentence(random) for _ in range(random.randint(1, 8)))
            mode = random.choice([*MODES, "644", "644"])
            files[path] = _new(path, owner, mode, f"2024-11-{random.randint(1, 28):02}", content)
            others = [one for one in names if one != owner]
            files[path]["shared_with"] = random.sample(others, random.choice([0, 0, 1, 2]))
        cwd = random.choice([path for path in folders if _within(path, f"/home/{user}")])
        capacity = sum(file["size"] for file in files.values()) + random.randint(500, 4000)
        return {
            "directories": folders,
            "files": files,
            "users": {one: {"uid": 1001 + i, "admin": random.random() < 0.2} for i, one in enumerate(names)},
            "session": {"current": {"user": user, "cwd": cwd, "date": date}},
            "volume": {"main": {"label": random.choice(STEMS), "capacity": capacity}},
        }

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        return getattr(_Shell(state), tool)(**arguments)

    def next_call(self, state: State, random: Random) -> Call:
        tool = random.choices(list(DRAWS), [weight for weight, _ in DRAWS.values()])[0]
        return Call(tool, DRAWS[tool][1](_Caller(state, random, random.random() < 0.2)))
