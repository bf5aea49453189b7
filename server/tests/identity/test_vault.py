"""Secrets at rest: sealed for one org and one purpose, unreadable in the database, useless without the key."""

import asyncio
import base64
from collections.abc import Callable
from typing import Any

import pytest
from conftest import NewDatabase
from sqlalchemy import inspect, select, text
from support.platform import SECRET_KEY, Org, Platform

from odyssey.core.database import Database
from odyssey.identity.bootstrap import create_org
from odyssey.identity.keys import MasterKey
from odyssey.identity.models import DataKey
from odyssey.identity.vault import UnsealError, Vault
from odyssey.kit.clock import utc_now

SECRET = "a secret with ümlauts and 🗝"
PURPOSE = "agent 1 auth header"


def vault_of(secret_key: str = SECRET_KEY) -> Vault:
    return Vault(MasterKey(secret_key), utc_now)


def org_id_of(org: Org) -> int:
    org_id: int = org.ok(org.get("/api/org"))["id"]
    return org_id


def seal(org: Org, purpose: str = PURPOSE, secret: str = SECRET) -> str:
    async def work() -> str:
        async with org.platform.database.write() as session:
            return await vault_of().seal(session, org_id_of_org, purpose, secret)

    org_id_of_org = org_id_of(org)
    return org.platform.do(work())


def unseal(
    platform: Platform, org_id: int, sealed: str, *, purpose: str = PURPOSE, vault: Vault | None = None
) -> str:
    async def work() -> str:
        async with platform.database.read() as session:
            return await (vault or vault_of()).open(session, org_id, purpose, sealed)

    return platform.do(work())


def dump(platform: Platform) -> str:
    """Everything in the database, as text."""

    def read(connection: Any) -> list[str]:
        tables = inspect(connection).get_table_names()
        assert len(tables) > 10
        return [repr(row) for table in tables for row in connection.execute(text(f'SELECT * FROM "{table}"'))]

    async def work() -> list[str]:
        async with platform.database.engine.connect() as connection:
            return await connection.run_sync(read)

    return "\n".join(platform.do(work()))


def test_what_was_sealed_opens_for_the_same_org_and_purpose(org: Org, platform: Platform) -> None:
    for secret in (SECRET, "", "x" * 100_000):
        assert unseal(platform, org_id_of(org), seal(org, secret=secret)) == secret
    assert seal(org) != seal(org)


def test_it_opens_for_no_other_purpose_and_no_other_org(org: Org, other_org: Org, platform: Platform) -> None:
    sealed, theirs = seal(org), seal(other_org)
    with pytest.raises(UnsealError):
        unseal(platform, org_id_of(org), sealed, purpose="agent 2 auth header")
    with pytest.raises(UnsealError):
        unseal(platform, org_id_of(other_org), sealed)
    key_id, _, payload = sealed.partition(":")
    with pytest.raises(UnsealError):
        unseal(platform, org_id_of(other_org), f"{theirs.partition(':')[0]}:{payload}")
    with pytest.raises(UnsealError):
        unseal(platform, org_id_of(org), f"{key_id}:{theirs.partition(':')[2]}")


def flipped(payload: str) -> str:
    raw = bytearray(base64.b64decode(payload))
    raw[-1] ^= 1
    return base64.b64encode(raw).decode()


DAMAGES: dict[str, Callable[[str], str]] = {
    "a changed bit": flipped,
    "cut off": lambda payload: base64.b64encode(base64.b64decode(payload)[:-1]).decode(),
    "only a nonce": lambda payload: base64.b64encode(base64.b64decode(payload)[:12]).decode(),
    "empty": lambda payload: "",
    "not base64": lambda payload: "!" + payload[1:],
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_secret_does_not_open(org: Org, platform: Platform, damage: Callable[[str], str]) -> None:
    key_id, _, payload = seal(org).partition(":")
    with pytest.raises(UnsealError):
        unseal(platform, org_id_of(org), f"{key_id}:{damage(payload)}")


def test_another_master_key_opens_nothing_and_says_what_to_do(org: Org, platform: Platform) -> None:
    sealed = seal(org)
    other = vault_of("another secret key of forty characters..")
    with pytest.raises(UnsealError, match="start it with the ODYSSEY_SECRET_KEY it had before") as refused:
        unseal(platform, org_id_of(org), sealed, vault=other)
    assert MasterKey(SECRET_KEY).id in str(refused.value)
    assert SECRET_KEY not in str(refused.value)


def test_a_start_is_refused_if_the_key_opens_nothing_at_all(new_database: NewDatabase) -> None:
    """A database that servers with two keys have written to is opened by either."""
    mine, theirs, nobodys = (
        vault_of(f"the secret key of {name}, long enough to be one") for name in ("me", "them", "nobody")
    )

    url = new_database()

    async def check() -> None:
        database = Database(url)
        async with database.write() as session:
            await nobodys.check_key(session)
            for vault in (mine, theirs):
                await create_org(session, utc_now, name="Test", admin_email="a@example.com")
                await vault.ensure_data_key(session, 1 if vault is mine else 2)
            await mine.check_key(session)
            await theirs.check_key(session)
            with pytest.raises(UnsealError, match=nobodys.master.id):
                await nobodys.check_key(session)
        await database.close()

    asyncio.run(check())


@pytest.mark.both_databases
def test_a_data_key_is_made_once_per_org_and_stored_wrapped(org: Org, platform: Platform) -> None:
    seal(org)
    seal(org)

    async def keys(org_id: int) -> list[DataKey]:
        async with platform.database.read() as session:
            return list(await session.scalars(select(DataKey).where(DataKey.org_id == org_id)))

    (key,) = platform.do(keys(org_id_of(org)))
    assert key.master_key_id == MasterKey(SECRET_KEY).id
    assert len(key.wrapped) == 12 + 32 + 16


@pytest.mark.both_databases
def test_no_secret_is_in_the_database_in_clear(org: Org, platform: Platform) -> None:
    header, password = "Bearer header-secret-7f31", "password-secret-52c8"
    config = {"endpoint_url": "http://127.0.0.1:9/", "auth_header_name": "X-Key", "auth_header_value": header}
    agent = org.ok(org.post("/api/agents", {"name": "planted-name-19aa", "config": config}))
    org.ok(org.put(f"/api/agents/{agent['id']}", {"config": {"auth_header_value": header + "2"}}))
    org.ok(org.post("/api/people", {"email": "a@example.com", "role": "viewer", "password": password}))
    key = org.ok(org.post("/api/keys", {"name": "spare"}))["key"]
    content = dump(platform)
    assert "planted-name-19aa" in content
    for secret in (header, header.removeprefix("Bearer "), password, key, org.api_key, SECRET_KEY):
        assert secret not in content
        assert base64.b64encode(secret.encode()).decode().rstrip("=") not in content
