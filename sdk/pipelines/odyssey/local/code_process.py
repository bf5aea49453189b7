"""The process of a code-mode run: imports an entrypoint, calls it once inside a running event loop, keeps what came.

Started by `driver.py`. It works without the rest of the SDK, which a sandbox does not have either.
"""

import asyncio
import importlib
import inspect
import json
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

_FRAMES = 12


def main(entrypoint: str, result_file: str, hide_sdk: str) -> None:
    if hide_sdk == "1":
        _hide_sdk()
    # A kernel has its loop running on the main thread, so that asyncio.run raises there; so it does here.
    outcome = asyncio.run(_main(entrypoint))
    Path(result_file).write_text(json.dumps(outcome), encoding="utf-8")


async def _main(entrypoint: str) -> dict[str, Any]:
    stage = "import"
    try:
        run = _find(entrypoint)
        stage = "run"
        task_input = json.loads(os.environ["_PIPELINES_TASK_INPUT_JSON"])
        with _bound():
            value = run(
                task_input,
                proxy_url=os.environ["PIPELINES_ODYSSEY_PROXY_URL"],
                run_token=os.environ["PIPELINES_RUN_TOKEN"],
            )
        if inspect.iscoroutine(value):
            value.close()
            raise TypeError(
                "run() is async; the platform calls a plain function. Await inside a thread of its own."
            )
        return {"reply": normalised(value)}
    except BaseException as error:  # noqa: BLE001 - whatever the agent's code raises is the result of the run
        return {"failure": _failure(error, stage)}


def normalised(value: Any) -> dict[str, Any]:
    """Return what the platform keeps of a returned value: a string is wrapped, an object stays."""
    if isinstance(value, str):
        return {"final_response": value}
    if not isinstance(value, dict):
        raise TypeError(
            f"run() returned {type(value).__name__}; return a dict with final_response, or a string."
        )
    json.dumps(value)
    return value


def _find(entrypoint: str) -> Callable[..., Any]:
    module, _, name = entrypoint.partition(":")
    found: Any = importlib.import_module(module)
    for part in (name or "run").split("."):
        found = getattr(found, part)
    if not callable(found):
        raise TypeError(f"{entrypoint} is not a function.")
    run: Callable[..., Any] = found
    return run


def _bound() -> AbstractContextManager[object]:
    """Bind the envelope when the SDK can be imported, as the platform's driver does."""
    try:
        context = importlib.import_module("pipelines.odyssey.context")
        envelope = importlib.import_module("pipelines.odyssey.envelope")
    except ImportError:
        return nullcontext()
    bound: AbstractContextManager[object] = context.set_current(envelope.Envelope.from_env())
    return bound


def _hide_sdk() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "pipelines"]:
        del sys.modules[name]
    sys.modules["pipelines"] = None  # type: ignore[assignment] # the import system's word for "there is none"


def _failure(error: BaseException, stage: str) -> dict[str, Any]:
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    lines = traceback.format_list(own[-_FRAMES:]) + traceback.format_exception_only(error)
    return {
        "stage": stage,
        "type": type(error).__name__,
        "message": str(error),
        "module": getattr(error, "name", None) if isinstance(error, ImportError) else None,
        "traceback": "".join(lines),
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
