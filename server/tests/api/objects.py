"""One object of every kind in an organisation, each made when it is first asked for."""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from api.surface import (
    AGENT,
    CREDENTIAL_BODY,
    ENDPOINT_BODY,
    REPORT,
    SCENARIO_BODY,
    VARIATION_BODY,
    WORLD_BODY,
    new_email,
    snapshot,
)
from support.agents import ScriptedAgent, final
from support.batches import ended
from support.cassettes import keep_cassette
from support.experiments import finished
from support.platform import WORLD, Org, Platform


class Objects:
    """Ids by the name of the path parameter that takes them: `objects["run_id"]`.

    A sweep over operations asks for few of them, and to make all takes a second.
    """

    def __init__(self, org: Org, agent_url: str) -> None:
        """Runs are of the agent at this address, which should keep them waiting."""
        self.org = org
        self._agent_url = agent_url
        self._ids: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._ids:
            self._ids[name] = _MAKERS[name](self)
        return self._ids[name]

    def of(self, names: Iterable[str]) -> dict[str, Any]:
        return {name: self[name] for name in names}

    def make_all(self) -> dict[str, Any]:
        return self.of(_MAKERS)

    def post(self, path: str, body: Any, **options: Any) -> Any:
        return self.org.ok(self.org.post(path, body, **options))

    @cached_property
    def agent(self) -> dict[str, Any]:
        return self.org.agent(self._agent_url, config={"run_timeout_s": 1800})

    @cached_property
    def absent_agent(self) -> dict[str, Any]:
        """An agent that nobody serves, so that what is asked of it is soon over."""
        return self.org.agent(AGENT["config"]["endpoint_url"])

    def make_run(self) -> int:
        (run_id,) = self.org.start(self.agent, {"user_instruction": "Wait.", "initial_state": WORLD})
        self.org.wait(run_id, "running")
        return run_id

    def make_world(self) -> int:
        world: int = self.post("/api/worlds", WORLD_BODY)["id"]
        self.org.ok(self.org.put(f"/api/worlds/{world}/fidelity", REPORT))
        return world

    def make_dataset(self) -> int:
        rows = [{"user_instruction": "Wait."}]
        dataset: int = self.post("/api/datasets", rows, params={"name": "rows"})["id"]
        return dataset

    def make_batch(self) -> int:
        body = {"agent_id": self.absent_agent["id"], "dataset_id": self["dataset_id"]}
        batch = self.post("/api/runs", body)["batch"]
        batch_id: int = ended(self.org, batch)["id"]
        return batch_id

    def make_matrix(self) -> str:
        body = {"scenario_ids": [self["scenario_id"]], "variation_types": ["sycophancy"]}
        matrix = self.post("/api/v1/eval/matrix", body | {"agent_id": self.absent_agent["id"]})
        matrix_id: str = finished(self.org, matrix["id"])["id"]
        return matrix_id

    def make_eval_run(self) -> int:
        eval_run: int = self.post("/api/v1/eval/runs", {"scenario_id": self["scenario_id"]})["runs"][0]["id"]
        self.org.wait(eval_run, "running")
        return eval_run


_MAKERS: dict[str, Callable[[Objects], Any]] = {
    "agent_id": lambda all: all.agent["id"],
    "version": lambda all: all.agent["version"],
    "run_id": Objects.make_run,
    "run": lambda all: all["run_id"],
    "tool_name": lambda _: "list_orders",
    "event_type": lambda _: "message",
    "person_id": lambda all: all.post("/api/people", {"email": new_email(), "role": "member"})["id"],
    "key_id": lambda all: all.post("/api/keys", {"name": "spare"})["id"],
    "world_id": Objects.make_world,
    "dataset_id": Objects.make_dataset,
    "batch_id": Objects.make_batch,
    "scenario_id": lambda all: all.post(
        "/api/v1/eval/scenarios", SCENARIO_BODY | {"agent_id": all.agent["id"]}
    )["id"],
    "variation_id": lambda all: all.post("/api/v1/eval/variations", VARIATION_BODY | {"name": "flattery"})[
        "id"
    ],
    "eval_run_id": Objects.make_eval_run,
    "item_id": lambda all: all.post("/api/v1/review/items", {"run_id": all["eval_run_id"]})["id"],
    "matrix_id": Objects.make_matrix,
    "endpoint_id": lambda all: all.post("/api/tool-endpoints", ENDPOINT_BODY | {"name": "kept"})["id"],
    "credential_name": lambda all: all.post("/api/credentials", CREDENTIAL_BODY | {"name": "KEPT"})["name"],
    "cassette_id": lambda all: keep_cassette(all.org, all["run_id"]),
}


@contextmanager
def waiting_agent() -> Iterator[ScriptedAgent]:
    """An agent that answers pings and keeps its runs under way until the end."""
    release = threading.Event()
    agent = ScriptedAgent(lambda _: release.wait() and final())
    try:
        yield agent
    finally:
        release.set()
        agent.stop()


@contextmanager
def unchanged_objects(platform: Platform) -> Iterator[Objects]:
    """Objects that nobody may change: in the end the organisation sees of itself what it saw before."""
    with waiting_agent() as agent:
        objects = Objects(platform.new_org(), agent.url)
        objects.make_all()
        before = snapshot(objects.org)
        yield objects
        assert snapshot(objects.org) == before
