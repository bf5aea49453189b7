"""`odyssey up` on a database that is damaged, newer or not there: a sentence, an exit code, no traceback."""

import asyncio
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import asyncpg
import pytest
from sqlalchemy import text
from support.postgres import new_postgres_database
from support.process import odyssey_here
from support.sqlite import sqlite_file

from odyssey.core.database import Database

SECRET = "0123456789abcdef0123456789abcdef"
CANARY = "s3cret-canary"

NewDatabase = Callable[[], str]


@pytest.fixture
def start(new_database: NewDatabase, tmp_path: Path) -> Callable[[str], str]:
    """Start on a database; returns what was said."""

    def begin(url: str) -> str:
        if url.startswith("sqlite"):
            return refusal("--data", str(sqlite_file(url).parent))
        return refusal("--database-url", url)

    return begin


@pytest.fixture
def database(new_database: NewDatabase, tmp_path: Path) -> str:
    """A migrated database where `odyssey up` would find it."""
    url = new_database()
    if not url.startswith("sqlite"):
        return url
    sqlite_file(url).rename(tmp_path / "odyssey.db")
    return f"sqlite+aiosqlite:///{tmp_path / 'odyssey.db'}"


def refusal(*arguments: str) -> str:
    """Start where that is refused; returns the sentence."""
    ended = odyssey_here("up", "--port", "0", *arguments, ODYSSEY_SECRET_KEY=SECRET)
    assert ended.returncode == 1
    assert ended.stderr.startswith("odyssey: ")
    assert ended.stderr.count("\n") == 1, ended.stderr
    assert ended.stdout == ""
    return ended.stderr


def execute(url: str, *statements: str) -> None:
    async def run() -> None:
        database = Database(url)
        async with database.engine.begin() as connection:
            for statement in statements:
                await connection.execute(text(statement))
        await database.close()

    asyncio.run(run())


@pytest.mark.both_databases
def test_a_database_of_a_newer_version_is_left_alone(database: str, start: Callable[[str], str]) -> None:
    execute(database, "UPDATE alembic_version SET version_num = '0999'")
    said = start(database)
    assert "a newer version of Odyssey: its schema is 0999" in said
    assert "Start the newer version" in said


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("statement", "difference"),
    [
        (
            "ALTER TABLE runs RENAME COLUMN cost_usd TO cost_eur",
            "runs has a column cost_eur, runs has no column cost_usd",
        ),
        ("DROP TABLE review_items", "there is no table review_items"),
    ],
)
def test_tables_that_an_edited_migration_made_are_noticed(
    database: str, start: Callable[[str], str], statement: str, difference: str
) -> None:
    execute(database, statement)
    said = start(database)
    assert difference in said
    assert "a migration was edited after it was applied" in said


def overwrite(file: Path) -> None:
    file.write_bytes(b"Dear diary, " * 2000)


def truncate(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def scribble(file: Path) -> None:
    """Lose one page in the middle: its head still says that it is a database."""
    page = 4096
    with file.open("r+b") as opened:
        opened.seek(file.stat().st_size // page // 2 * page)
        opened.write(b"\xa5" * page)


def empty(file: Path) -> None:
    file.write_bytes(b"")
    (file.parent / "address").write_text("http://127.0.0.1:8200\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (overwrite, "is not an SQLite database"),
        (truncate, "is damaged"),
        (scribble, "is damaged"),
        (empty, "is empty, although a server has used it"),
    ],
)
def test_a_damaged_file_is_named_with_what_to_do(
    database: str, start: Callable[[str], str], damage: Callable[[Path], None], said: str
) -> None:
    if not database.startswith("sqlite"):
        pytest.skip("Postgres looks after its own files")
    file = sqlite_file(database)
    damage(file)
    before = file.read_bytes()
    refused = start(database)
    assert f"{file} {said}" in refused
    assert "Put a backup in its place" in refused
    assert file.read_bytes() == before


def ask_for_a_password(rules: Path, asked: str) -> None:
    rules.write_text(asked + rules.read_text(encoding="utf-8"), encoding="utf-8")


def test_a_wrong_password_is_said_without_it(postgres_server: str) -> None:
    user, name = f"guarded_{os.getpid()}", f"guarded_{os.getpid()}"
    url = new_postgres_database(postgres_server, name)

    async def guard() -> None:
        connection = await asyncpg.connect(postgres_server)
        await connection.execute(f"CREATE ROLE {user} LOGIN PASSWORD 'another'")
        file = await connection.fetchval("SHOW hba_file")
        asked = "".join(
            f"{way} all {user} {end}scram-sha-256\n" for way, end in (("local", ""), ("host", "all "))
        )
        ask_for_a_password(Path(file), asked)
        await connection.execute("SELECT pg_reload_conf()")
        await connection.close()

    asyncio.run(guard())
    scheme, _, rest = url.partition("://")
    said = refusal("--database-url", f"{scheme}://{user}:{quote(CANARY)}@{rest.partition('@')[2]}")
    assert f"The database {name} at" in said
    assert f'refuses the sign-in: password authentication failed for user "{user}"' in said
    assert CANARY not in said


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (f"postgresql://me:{CANARY}@127.0.0.1:1/x", "The database x at 127.0.0.1 cannot be reached"),
        (
            f"postgresql://me:{CANARY}@nowhere.invalid/x",
            "The database x at nowhere.invalid cannot be reached",
        ),
        (f"postgresql://me:{CANARY}@127.0.0.1:port/x", "--database-url cannot be read"),
        (f"postgresql://me:{CANARY}@[::1/x", "--database-url cannot be read"),
    ],
)
def test_a_database_that_cannot_be_reached_is_named_without_the_password(url: str, said: str) -> None:
    refused = refusal("--database-url", url)
    assert said in refused
    assert CANARY not in refused


def test_a_database_that_is_not_there_is_named(postgres_server: str) -> None:
    base, _, query = postgres_server.partition("?")
    missing = f"{base.rpartition('/')[0]}/nobody_made_this" + (f"?{query}" if query else "")
    assert "The database nobody_made_this at" in (said := refusal("--database-url", missing))
    assert "does not exist. Create it" in said


@pytest.mark.parametrize(
    "command", [("signin-link",), ("orgs", "create", "Second", "--admin", "a@example.com")]
)
def test_the_other_commands_say_so_too(tmp_path: Path, command: tuple[str, ...]) -> None:
    overwrite(tmp_path / "odyssey.db")
    ended: subprocess.CompletedProcess[str] = odyssey_here(*command, "--data", str(tmp_path))
    assert ended.returncode == 1
    assert "is not an SQLite database" in ended.stderr
    assert "Traceback" not in ended.stderr
