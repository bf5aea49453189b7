"""An agent of code mode, as the checks see it: a function that is called in a process of its own."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipelines.odyssey.conformance.wire import Answer, Unanswered
from pipelines.odyssey.local.driver import CodeFailure, run_code
from pipelines.odyssey.local.proxy import LocalRun


@dataclass(frozen=True, kw_only=True)
class CodeTarget:
    entrypoint: str
    folder: Path
    without_sdk: bool = True
    timeout_s: float = 300

    def dispatch(self, run: LocalRun, body: Mapping[str, Any]) -> Answer | Unanswered:
        """Call the function with the task of a dispatch."""
        task = {"user_instruction": "", "input": {}, **body["input"]}
        more = {name: task[name] for name in ("system_injection",) if name in task}
        if "session" in body:
            more["session"] = body["session"]
        result = run_code(
            self.entrypoint,
            run,
            instruction=task["user_instruction"],
            task_input=task["input"],
            more=more,
            folder=self.folder,
            without_sdk=self.without_sdk,
            timeout_s=self.timeout_s,
        )
        if result.failure is not None:
            return Unanswered(shown(result.failure))
        text = json.dumps(result.reply, ensure_ascii=False)
        return Answer(200, text, len(text.encode()), "")


def shown(failure: CodeFailure) -> str:
    """Say in one line what was raised and where."""
    lines = [line.strip() for line in failure.traceback.splitlines()]
    places = [line for line in lines if line.startswith("File ")]
    where = f" ({places[-1]})" if places else ""
    return f"{failure.type}: {failure.message}{where}"
