"""Databases as earlier states of the platform left them, and what its API said about everything in them.

Each folder of `server/tests/recorded` is named after the last migration of its state and holds, for SQLite and for
Postgres, the database and the answers of the API. `scripts/record_databases.py` makes a new one.
"""

import json
import lzma
import re
import subprocess
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, Self

import httpx
from support.postgres import postgres_program
from support.sqlite import sqlite_file

PUBLIC_URL = "https://odyssey.example/"
"""Of the platforms that answered: it stands in reports."""
RECORDED = Path(__file__).resolve().parent.parent / "recorded"

ALONE = (
    "/api/org",
    "/api/settings",
    "/api/v1/eval/summary",
    "/api/v1/eval/scenarios/export",
    "/api/v1/review/figures",
)
LISTS = {
    "/api/agents": ("", "/consistency", "/versions"),
    "/api/audit-log": (),
    "/api/batches": ("", "/rows", "/export?format=json", "/export?format=junit"),
    "/api/cassettes": ("", "/interactions"),
    "/api/credentials": (),
    "/api/datasets": ("", "/rows", "/export?format=json", "/export?format=csv"),
    "/api/keys": (),
    "/api/people": (),
    "/api/runs": ("", "/trace", "/ledger", "/ledger/diff"),
    "/api/tool-endpoints": ("",),
    "/api/v1/eval/matrix": ("", "/export?format=json", "/export?format=markdown"),
    "/api/v1/eval/runs": ("",),
    "/api/v1/eval/scenarios": ("", "/cells"),
    "/api/v1/eval/variations": ("",),
    "/api/v1/review/items": ("",),
    "/api/worlds": ("", "/entities", "/fidelity"),
}
"""What is read of each thing in a list, by what follows its id in the address."""

CHANGED_ON_PURPOSE = {
    r"^/api/v1/eval/variations/[4-7]/(description|doses/.+|placebos/.+)$": "two pressures were worded anew",
    r"^/api/v1/eval/runs/\d+/(raw_)?shift$": "a run of an earlier distance is not measured anew",
    r"^/api/v1/eval/runs/\d+/observed_at$": "runs of an unfinished matrix are observed again, by the new distance",
    r"^/api/settings/evals/thresholds/(high|medium|low)$": "not set by the org: the defaults are lower",
    r"^/api/v1/review/figures/thresholds/[1-3]/present$": "likewise",
    r"^/api/agents/\d+/versions/\d+/content_hash$": "their config says what calls get that nothing understands",
    r"^/api/worlds/\d+/behavior_problems/\d+/problem$": "it says that the line has no effect without a model",
    r"^/api/v1/eval/matrix/[^/]+/export\?format=markdown$": "match rates say of how many runs they are",
}
"""Patterns of the places at which an answer may differ from the recorded one, and why."""


class RecordedOrg(NamedTuple):
    api_key: str
    secrets: dict[str, str]
    """Of its credentials, by their names."""
    answers: dict[str, Any]
    """What the API said, by path."""


class Recording(NamedTuple):
    """What the API said of a database, and where in it something goes on."""

    moment: datetime
    """When it was recorded: a platform whose clock stands still there finds every lease held, and changes nothing."""
    orgs: dict[str, RecordedOrg]
    running_batch: int
    running_matrix: str
    cancelled_matrix: str
    run_in_flight: int
    run_token: str

    def as_json(self) -> bytes:
        members = self._asdict() | {
            "moment": self.moment.isoformat(),
            "orgs": {name: org._asdict() for name, org in self.orgs.items()},
        }
        return json.dumps(members, indent=1, ensure_ascii=False).encode()

    @classmethod
    def from_json(cls, content: bytes) -> Self:
        members = json.loads(content)
        return cls(
            **members
            | {
                "moment": datetime.fromisoformat(members["moment"]),
                "orgs": {name: RecordedOrg(**org) for name, org in members["orgs"].items()},
            }
        )


def states() -> list[str]:
    return sorted(folder.name for folder in RECORDED.iterdir() if folder.is_dir())


def read_recording(state: str, kind: str) -> Recording:
    return Recording.from_json(lzma.decompress((RECORDED / state / f"{kind}.json.xz").read_bytes()))


def restore(state: str, kind: str, url: str) -> None:
    """Fill an empty database with a recorded one."""
    if kind == "sqlite":
        content = lzma.decompress((RECORDED / state / "sqlite.db.xz").read_bytes())
        sqlite_file(url).write_bytes(content)
    else:
        content = lzma.decompress((RECORDED / state / "postgres.sql.xz").read_bytes())
        command = [postgres_program("psql"), "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null", url]
        subprocess.run(command, input=content, check=True)


def read_everything(client: httpx.Client) -> dict[str, Any]:
    """Ask for everything that an organisation has; returns the answers by path."""
    return dict(_read_everything(client))


def _read_everything(client: httpx.Client) -> Iterator[tuple[str, Any]]:
    for path in ALONE:
        yield path, _read(client, path)
    for path, parts in LISTS.items():
        items = _read(client, path)
        yield path, items
        for item in items:
            for part in parts:
                part_path = f"{path}/{item['id']}{part}"
                answer = _read(client, part_path)
                yield part_path, answer
                if part == "/versions":
                    for version in answer:
                        version_path = f"{part_path}/{version['version']}"
                        yield version_path, _read(client, version_path)


def _read(client: httpx.Client, path: str) -> Any:
    """Read one answer; of a list all its pages."""
    answer = client.get(path)
    if not answer.headers["content-type"].startswith("application/json"):
        return answer.text
    body = answer.json()
    if not isinstance(body, dict) or "next_cursor" not in body:
        return body
    items = body["items"]
    while body["next_cursor"] is not None:
        body = client.get(path, params={"cursor": body["next_cursor"]}).json()
        items += body["items"]
    return items


class Difference(NamedTuple):
    place: str
    """The path of the answer, and where in the answer."""
    what: str

    @property
    def on_purpose(self) -> bool:
        return any(re.search(pattern, self.place) for pattern in CHANGED_ON_PURPOSE)


def unwanted_differences(recorded: dict[str, Any], answers: dict[str, Any]) -> list[Difference]:
    """List where answers lack what was recorded, or say something else than they should; they may say more."""
    found = (
        each for path, value in recorded.items() for each in _differences(value, answers.get(path), path)
    )
    return [each for each in found if not each.on_purpose]


def _differences(recorded: Any, answer: Any, place: str) -> Iterator[Difference]:
    match recorded, answer:
        case dict(), dict():
            for name, value in recorded.items():
                if name not in answer:
                    yield Difference(f"{place}/{name}", "is missing")
                else:
                    yield from _differences(value, answer[name], f"{place}/{name}")
        case list(), list():
            if len(recorded) != len(answer):
                yield Difference(place, f"has {len(answer)} items, not {len(recorded)}")
            for index, (value, found) in enumerate(zip(recorded, answer, strict=False)):
                yield from _differences(value, found, f"{place}/{index}")
        case _:
            if recorded != answer:
                yield Difference(place, f"is {answer!r}, not {recorded!r}")
