"""Worlds that tests put their agents into."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from odyssey.testing.errors import MisusedError, NotServedError, OdysseyTestError
from odyssey.testing.platform import LocalPlatform, ServedApp
from odyssey.testing.run import EndedRun, OpenRun, Run

Json = Mapping[str, Any]
AsgiApp = Callable[[Any, Any, Any], Awaitable[None]]

_RUN_TIMEOUT_S = 1800  # the longest there is: who debugs an open run takes time


class Odyssey:
    """What the fixture `odyssey` is: it makes worlds, and knows the runs of its test."""

    def __init__(self, platform: LocalPlatform) -> None:
        self.platform = platform
        self.runs: list[Run] = []
        self._applications: list[ServedApp] = []

    @property
    def url(self) -> str:
        """Where the platform is; its interface and its API are there as well."""
        return self.platform.url

    def world(
        self,
        *,
        tools: Sequence[Json],
        state: Json | None = None,
        failure_rules: Sequence[Json] = (),
        behavior_instructions: str | list[dict[str, Any]] | None = None,
        ledger_schema: Json | None = None,
        config: Json | None = None,
    ) -> "World":
        """Make a world of tools and what they find; raises RefusedError, with every fault, for one that is wrong.

        `config` holds further members of the agent's registration, such as `sub_agents`.
        """
        seed: dict[str, Any] = {"initial_state": state, "behavior_instructions": behavior_instructions}
        seed["failure_rules"] = list(failure_rules) or None
        agent = {"tools_schema": list(tools), "ledger_schema": ledger_schema, "config": dict(config or {})}
        return World(self, agent, {name: value for name, value in seed.items() if value is not None})

    def report(self) -> str:
        """All runs of the test in a few lines each."""
        try:
            return "\n".join(run.report() for run in self.runs)
        except (OdysseyTestError, OSError) as error:
            return f"The platform cannot be asked: {error}"

    def serve(self, application: AsgiApp) -> str:
        """Serve an application until the test ends; returns its address."""
        self._applications.append(ServedApp(lambda _: application))
        return self._applications[-1].url

    def close(self) -> None:
        for application in self._applications:
            application.stop()


class World:
    """Tools and a state; every run begins with it anew."""

    def __init__(self, odyssey: Odyssey, agent: dict[str, Any], seed: dict[str, Any]) -> None:
        self._odyssey = odyssey
        self._agent = agent
        self._seed = seed
        self._agent_id = self._register(odyssey.platform.desk_url)
        probe = {"agent_id": self._agent_id, "seeds": [{**seed, "user_instruction": "Anything."}]}
        odyssey.platform.api.ask("POST", "/api/runs/validate", probe, what="The world is not valid")

    def run(self, instruction: str, **task: Any) -> OpenRun:
        """A run whose agent is the code inside `with world.run(…) as run:`, which ends with `run.finish(…)`.

        `task` holds further members of the seed: `input`, `checks`, `expected_outcome`, `random_seed`.
        """
        run = OpenRun(self._odyssey.platform, self._task(instruction, task), self._agent_id)
        self._odyssey.runs.append(run)
        return run

    def dispatch(
        self,
        agent: AsgiApp | str,
        instruction: str,
        *,
        path: str = "/dispatch",
        token: str | None = None,
        run_timeout_s: int = 300,
        **task: Any,
    ) -> Run:
        """Ping an agent, dispatch the task to it and wait for the end.

        The agent is an ASGI application, which is served until the test ends, or the URL of its endpoint. With a
        `token` it is asked with `Authorization: Bearer …`. `task` is as for `run`.
        """
        if not isinstance(agent, str) and not callable(agent):
            raise MisusedError(f"An agent is an ASGI application or a URL, not {type(agent).__name__}.")
        url = agent if isinstance(agent, str) else self._odyssey.serve(agent) + path
        auth = {"auth_header_name": "Authorization", "auth_header_value": f"Bearer {token}"} if token else {}
        agent_id = self._register(url, run_timeout_s=run_timeout_s, **auth)
        pinged = self._odyssey.platform.api.ask("POST", f"/api/agents/{agent_id}/test-connection")
        if not pinged["ok"]:
            raise NotServedError(f"The agent at {url} does not answer a ping: {pinged['detail']}")
        run = EndedRun(self._odyssey.platform, self._task(instruction, task), agent_id)
        self._odyssey.runs.append(run)
        return run.play()

    def _task(self, instruction: str, task: dict[str, Any]) -> dict[str, Any]:
        # One seed for all, or what is drawn by chance would differ from one session to the next.
        return {"random_seed": 1, **self._seed, **task, "user_instruction": instruction}

    def _register(self, endpoint_url: str, **config: Any) -> int:
        api = self._odyssey.platform.api
        settings = {"run_timeout_s": _RUN_TIMEOUT_S, **self._agent["config"], **config}
        body = {
            **self._agent,
            "name": "agent under test",
            "config": {**settings, "endpoint_url": endpoint_url},
        }
        agent = api.ask("POST", "/api/agents", body, what="The world is not valid")
        api.ask("POST", f"/api/agents/{agent['id']}/publish")
        return int(agent["id"])
