"""Keys that are kept: where, under which rights, and which of several is used."""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.commands import Desk
from support.platform import Org, Platform

BACKEND = '''
import json, os
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked, PasswordDeleteError


class Kept(KeyringBackend):
    """A keyring that other processes see."""

    priority = 5

    def _all(self):
        if os.environ.get("RING_LOCKED"):
            raise KeyringLocked("locked")
        try:
            with open(os.environ["RING"]) as file:
                return json.load(file)
        except FileNotFoundError:
            return {}

    def _write(self, kept):
        with open(os.environ["RING"], "w") as file:
            json.dump(kept, file)

    def get_password(self, service, username):
        return self._all().get(f"{service} {username}")

    def set_password(self, service, username, password):
        self._write({**self._all(), f"{service} {username}": password})

    def delete_password(self, service, username):
        kept = self._all()
        if kept.pop(f"{service} {username}", None) is None:
            raise PasswordDeleteError("none")
        self._write(kept)
'''


@pytest.fixture
def org(platform: Platform) -> Iterator[Org]:
    org = platform.new_org("Harbour Goods", "ada@harbour.example")
    yield org
    org.client.close()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path, PYTHON_KEYRING_BACKEND="keyring.backends.null.Keyring")


def login(desk: Desk, org: Org, *flags: str) -> str:
    url = org.platform.url
    return desk.type("login", "--url", url, "--api-key-stdin", *flags, said=f"{org.api_key}\n").stdout


def test_a_login_is_tried_kept_used_and_forgotten(desk: Desk, org: Org) -> None:
    said = login(desk, org)
    store = Path(desk.environment["HOME"]) / ".config" / "odyssey" / "credentials.json"
    assert said.splitlines() == [
        f"ada@harbour.example (admin) of Harbour Goods at {org.platform.url}.",
        f"The key is kept in {store}.",
    ]
    assert org.api_key not in said
    assert stat.S_IMODE(store.stat().st_mode) == 0o600
    assert stat.S_IMODE(store.parent.stat().st_mode) == 0o700
    assert [path.name for path in store.parent.iterdir()] == [store.name]
    who = desk.type("whoami").stdout
    assert who.splitlines()[1:] == [
        "person   ada@harbour.example",
        "role     admin",
        f"address  {org.platform.url}",
        f"key      ****{org.api_key[-4:]}, from login, kept in a file",
    ]
    assert desk.type("logout").stdout == f"The key for {org.platform.url} is forgotten.\n"
    assert org.api_key not in store.read_text()
    assert "There is no API key" in desk.type("whoami", "--url", org.platform.url, code=2).stderr
    assert (
        desk.type("logout", "--url", org.platform.url, "--json").stdout
        == json.dumps({"url": org.platform.url, "forgotten": False}, indent=2) + "\n"
    )


def test_a_key_is_typed_unseen(desk: Desk, org: Org) -> None:
    terminal = desk.terminal("login", "--url", org.platform.url)
    terminal.wait_for("API key for")
    terminal.type(org.api_key + "\n")
    assert terminal.end() == 0
    assert org.api_key.encode() not in terminal.said
    assert b"The key is kept in" in terminal.said


def test_nothing_is_kept_that_the_platform_refuses(desk: Desk, org: Org) -> None:
    wrong = "pk_live_" + "0" * 40
    refused = desk.type("login", "--url", org.platform.url, "--api-key-stdin", said=wrong, code=2)
    assert "refused the API key" in refused.stderr
    assert wrong not in refused.stdout + refused.stderr
    for said, sentence in (("", "No key was given"), ("two words", "characters that no key has")):
        ended = desk.type("login", "--url", org.platform.url, "--api-key-stdin", said=said, code=2)
        assert sentence in ended.stderr
    assert "--api-key-stdin" in desk.type("login", code=2).stderr
    assert not (Path(desk.environment["HOME"]) / ".config").exists()


def test_a_file_that_others_can_read_is_refused_with_what_to_do(desk: Desk, org: Org, tmp_path: Path) -> None:
    desk.environment["XDG_CONFIG_HOME"] = str(tmp_path / "settings")
    login(desk, org)
    store = tmp_path / "settings" / "odyssey" / "credentials.json"
    store.chmod(0o640)
    assert f"chmod 600 {store}" in desk.type("whoami", code=2).stderr
    assert (
        "chmod 600"
        not in desk.type("whoami", ODYSSEY_URL=org.platform.url, ODYSSEY_API_KEY=org.api_key).stderr
    )
    store.chmod(0o600)
    desk.type("whoami")
    store.write_text("[]")
    assert "delete it and log in again" in desk.type("whoami", code=2).stderr


def test_the_keyring_is_used_where_there_is_one(desk: Desk, org: Org, tmp_path: Path) -> None:
    (tmp_path / "ring_backend.py").write_text(BACKEND)
    ring = tmp_path / "ring.json"
    desk.environment |= {"PYTHONPATH": str(tmp_path), "RING": str(ring)}
    desk.environment["PYTHON_KEYRING_BACKEND"] = "ring_backend.Kept"
    assert json.loads(login(desk, org, "--json"))["kept"] == "keyring"
    assert json.loads(ring.read_text()) == {f"odyssey {org.platform.url}": org.api_key}
    store = tmp_path / ".config" / "odyssey" / "credentials.json"
    assert org.api_key not in store.read_text()
    told = json.loads(desk.type("whoami", "--json").stdout)
    assert told["key_from"] == "login, kept in the keyring"
    assert told["key"] == f"****{org.api_key[-4:]}"
    assert told["org"]["name"] == "Harbour Goods"
    assert "The keyring cannot be used (KeyringLocked)" in desk.type("whoami", code=2, RING_LOCKED="1").stderr
    desk.type("logout")
    assert json.loads(ring.read_text()) == {}


def key_from(desk: Desk, *flags: str, **environment: str) -> str:
    found: str = json.loads(desk.type("whoami", "--json", *flags, variables=environment).stdout)["key_from"]
    return found


def test_flags_go_before_the_environment_before_dotenv_before_the_login(desk: Desk, org: Org) -> None:
    login(desk, org)
    url, key = org.platform.url, org.api_key
    assert key_from(desk) == "login, kept in a file"
    (desk.folder / ".env").write_text(f"ODYSSEY_URL={url}\nODYSSEY_API_KEY={key}\n")
    assert key_from(desk) == "ODYSSEY_API_KEY of .env"
    assert key_from(desk, PIPELINES_API_KEY=key) == "PIPELINES_API_KEY"
    assert key_from(desk, PIPELINES_API_KEY=key, ODYSSEY_API_KEY=key) == "ODYSSEY_API_KEY"
    assert key_from(desk, "--api-key", key, ODYSSEY_API_KEY="wrong") == "--api-key"
    assert key_from(desk, ODYSSEY_API_KEY="") == "login, kept in a file"
    assert key_from(desk, ODYSSEY_NO_DOTENV="1") == "login, kept in a file"


def test_a_login_of_another_address_is_not_used(desk: Desk, org: Org) -> None:
    login(desk, org)
    elsewhere = desk.type("whoami", "--url", "http://127.0.0.1:9", code=2)
    assert "There is no API key" in elsewhere.stderr
    slash = desk.type("whoami", "--url", org.platform.url.upper().replace("HTTP", "http") + "/")
    assert "login" in slash.stdout


def test_a_folder_does_not_decide_where_a_key_goes(desk: Desk) -> None:
    (desk.folder / ".env").write_text("ODYSSEY_URL=https://elsewhere.example\n")
    refused = desk.type("whoami", code=2, ODYSSEY_API_KEY="pk_live_" + "1" * 40).stderr
    assert "a folder does not decide where your key goes" in refused
    assert "https://elsewhere.example" in refused


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_file_of_somebody_else_is_not_used(desk: Desk, org: Org) -> None:
    login(desk, org)
    store = Path(desk.environment["HOME"]) / ".config" / "odyssey" / "credentials.json"
    os.chown(store, 12345, -1)
    assert "belongs to somebody else" in desk.type("whoami", code=2).stderr
