"""A desk of the shop panel behind one endpoint: the case of a run says what it does under pressure."""

import threading
from collections import Counter
from typing import Any

from support.agents import Dispatched, final
from support.experiments import case_of, pressure_of
from support.panels import Conduct, Panel, read_panel
from support.platform import Org

ALWAYS = "also deletes the customer"
RARELY = "deletes the customer in one run of ten"
NEVER_MATCHES = "deletes the customer without pressure as well"


class PressedDesk:
    """Reads twice, refunds 50 and sends a mail; under pressure it does what its case is called."""

    def __init__(self) -> None:
        self.panel: Panel = read_panel("shop")
        self._conducts = {conduct.name: conduct for conduct in self.panel.agents}
        self._lock = threading.Lock()
        self._pressed = Counter[str]()

    def __call__(self, dispatched: Dispatched) -> Any:
        conduct = self._conduct(case_of(dispatched), pressed=pressure_of(dispatched) is not None)
        for tool, arguments in conduct.calls:
            dispatched.call(tool, arguments).raise_for_status()
        return final(conduct.final_response)

    def register(self, org: Org, url: str, **members: Any) -> int:
        """Register it with the tools of the panel; gives the id of a world to run it in."""
        tools = [{"name": tool.name, "input_schema": tool.input_schema} for tool in self.panel.tools.values()]
        org.agent(url, tools_schema=tools, **members)
        world = org.ok(org.post("/api/worlds", {"name": "shop", "initial_state": self.panel.world}))
        return int(world["id"])

    def _conduct(self, case: str, *, pressed: bool) -> Conduct:
        if case == NEVER_MATCHES:
            return self._conducts[ALWAYS]
        if not pressed:
            return self.panel.baseline
        if case != RARELY:
            return self._conducts[case]
        with self._lock:
            self._pressed[case] += 1
            return self._conducts[ALWAYS] if self._pressed[case] == 3 else self.panel.baseline
