"""Record the databases of this state: what every later state must be able to open and read.

It furnishes a platform on SQLite and one on Postgres, copies both databases while a batch and a matrix are under way,
and keeps them under `server/tests/recorded` with all that the API says of them. Record before a change that migrates,
never after it; a recording is not made anew.
"""

import argparse
import lzma
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "server" / "tests"))

from support.agents import Dispatched, ScriptedAgent, final  # noqa: E402
from support.batches import dataset, start_batch  # noqa: E402
from support.clocks import GivenClock  # noqa: E402
from support.experiments import MATRIX, cases, run_matrix, start_matrix, wait_until, weak_at  # noqa: E402
from support.live_org import SECRET, give_live_org  # noqa: E402
from support.platform import WORLD, Org, Platform  # noqa: E402
from support.postgres import new_postgres_database, postgres, postgres_program  # noqa: E402
from support.recorded import (  # noqa: E402
    PUBLIC_URL,
    RECORDED,
    RecordedOrg,
    Recording,
    read_everything,
    restore,
)
from support.reviews import decide, queue  # noqa: E402
from support.site import furnished_site  # noqa: E402
from support.sqlite import sqlite_file  # noqa: E402
from support.waiting import wait_for  # noqa: E402

from odyssey.kit.clock import utc_now  # noqa: E402

MIGRATIONS = ROOT / "server" / "odyssey" / "core" / "migrations" / "versions"
KINDS = ("sqlite", "postgres")
SECRETS = {
    "Live": {"ORDERS_API_SECRET": SECRET},  # as the endpoint's own secret is named
    "Underway": {"ORDERS_KEY": "recorded-secret-of-the-orders-1d0f", "STOCK_KEY": "the stock's: ünïcode ✓"},
}
"""By organisation and name of the credential."""

ROWS = [{"user_instruction": f"Row {number}.", "initial_state": WORLD} for number in range(5)]


class Underway(NamedTuple):
    """What goes on while the database is copied."""

    batch: int
    matrix: str
    cancelled_matrix: str
    run: int
    run_token: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.parse_args()
    state = sorted(MIGRATIONS.glob("0*.py"))[-1].stem.partition("_")[0]
    folder = RECORDED / state
    if folder.exists():
        sys.exit(f"The state after migration {state} was recorded already; a recording is not made anew.")
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as scratch, postgres() as uri:
        urls = {
            kind: [
                f"sqlite+aiosqlite:///{scratch}/{use}.db"
                if kind == "sqlite"
                else new_postgres_database(uri, use)
                for use in ("furnished", "restored")
            ]
            for kind in KINDS
        }
        for kind, (furnished, restored) in urls.items():
            print(f"{kind}: furnishing …", flush=True)
            record(state, kind, furnished, restored)
            for file in sorted(folder.glob(f"{kind}.*")):
                print(f"  {file.relative_to(ROOT)}: {file.stat().st_size / 1024:.0f} KiB")


def record(state: str, kind: str, furnished: str, restored: str) -> None:
    with furnish(furnished) as (orgs, underway):
        moment = utc_now()
        (RECORDED / state / suffixed(kind)).write_bytes(lzma.compress(copy(kind, furnished)))
    restore(state, kind, restored)
    platform = Platform(restored, clock=GivenClock(lambda: moment), public_url=PUBLIC_URL)
    try:
        recorded = {}
        for name, key in orgs.items():
            answers = read_everything(Org(platform, key).client)
            recorded[name] = RecordedOrg(key, SECRETS.get(name, {}), answers)
    finally:
        platform.stop()
    recording = Recording(moment, recorded, *underway)
    (RECORDED / state / f"{kind}.json.xz").write_bytes(lzma.compress(recording.as_json()))


def suffixed(kind: str) -> str:
    return "sqlite.db.xz" if kind == "sqlite" else "postgres.sql.xz"


def copy(kind: str, url: str) -> bytes:
    """Copy a database that is written to meanwhile."""
    if kind == "sqlite":
        with tempfile.TemporaryDirectory() as scratch:
            target = Path(scratch) / "copy.db"
            with sqlite3.connect(sqlite_file(url)) as connection:
                connection.execute("VACUUM INTO ?", (str(target),))
            return target.read_bytes()
    command = [postgres_program("pg_dump"), "--no-owner", "--no-privileges", url]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout


@contextmanager
def furnish(url: str) -> Iterator[tuple[dict[str, str], Underway]]:
    """Make an organisation for each part of the product, and one where a batch and a matrix are under way."""
    with ExitStack() as stack:
        site = stack.enter_context(furnished_site(url))
        evals = site.platform.new_org("Harbour Goods, evals", "grace@harbour.example")
        give_matrices(evals, stack)
        live = give_live_org(site.platform, stack)
        org = site.platform.new_org("Underway", "mary@harbour.example")
        underway = give_underway(org, stack)
        keys = {
            "Harbour Goods": site.org.api_key,
            "Evals": evals.api_key,
            "Live": live.org.api_key,
            "Underway": org.api_key,
        }
        yield keys, underway


def give_matrices(org: Org, stack: ExitStack) -> None:
    """Finish a matrix of two versions of an agent, the second weaker than the first, and decide on what was flagged."""
    weak: set[tuple[str, str]] = {("Late refund", "authority_bias")}
    server = ScriptedAgent(lambda dispatched: weak_at(*weak)(dispatched))
    stack.callback(server.stop)
    agent = org.agent(server.url, name="Refund clerk")["id"]
    scenarios = cases(org, "Late refund", "Lost parcel", agent_id=agent)
    run_matrix(org, scenarios, "authority_bias", "sycophancy", repeats=4, baseline_repeats=8)
    weak.add(("Lost parcel", "sycophancy"))
    org.ok(org.put(f"/api/agents/{agent}", {"description": "Kinder to customers."}))
    org.ok(org.post(f"/api/agents/{agent}/publish"))
    run_matrix(org, scenarios, "authority_bias", "sycophancy", repeats=4, baseline_repeats=8)
    flagged = queue(org, source="flag")
    decide(org, flagged[0]["id"], "true_positive", "It paid what was not due.")
    decide(org, flagged[1]["id"], "false_positive")


def give_underway(org: Org, stack: ExitStack) -> Underway:
    """Leave a batch and a matrix running, each with a run that its agent keeps, and cancel one of each."""
    keeper = Keeper()
    server = ScriptedAgent(keeper)
    stack.callback(server.stop)
    stack.callback(keeper.release.set)
    for name, secret in SECRETS["Underway"].items():
        org.ok(org.post("/api/credentials", {"name": name, "value": secret}))
    agent = org.agent(server.url, name="Keeper of runs", config={"run_timeout_s": 600})
    rows = dataset(org, ROWS)
    scenarios = cases(org, "Late refund", "Lost parcel", agent_id=agent["id"])
    small = {"repeats": 3, "baseline_repeats": 4, "max_concurrency": 1}

    cancelled_batch = start_batch(org, agent, dataset_id=rows["id"])
    keeper.wait_for(len(ROWS))
    org.ok(org.post(f"/api/batches/{cancelled_batch['id']}/cancel"))
    cancelled_matrix = start_matrix(org, scenarios, "time_pressure", **small)["id"]
    keeper.wait_for(1)
    org.ok(org.post(f"{MATRIX}/{cancelled_matrix}/cancel"))

    batch = start_batch(org, agent, dataset_id=rows["id"])["id"]
    kept = keeper.wait_for(len(ROWS))[0]
    matrix = start_matrix(org, scenarios, "time_pressure", "sycophancy", **small)["id"]
    keeper.wait_for(1)
    wait_until(org, matrix, lambda shown: shown["progress"]["made"] == shown["progress"]["planned"])
    answer = kept.call("update_order", {"order_id": "ord_2", "status": "packed"})
    assert answer.status_code == 200, answer.text
    run = int(kept.body["run_id"])
    return Underway(batch, matrix, cancelled_matrix, run, kept.token)


class Keeper:
    """An agent that answers nobody until it is released."""

    def __init__(self) -> None:
        self.release = threading.Event()
        self._kept: list[Dispatched] = []

    def wait_for(self, count: int) -> list[Dispatched]:
        """Wait until so many more runs are kept; returns them."""
        kept = wait_for(lambda: list(self._kept), lambda kept: len(kept) >= count)
        del self._kept[:]
        return kept

    def __call__(self, dispatched: Dispatched) -> dict[str, Any]:
        self._kept.append(dispatched)
        self.release.wait()
        return final()


if __name__ == "__main__":
    main()
