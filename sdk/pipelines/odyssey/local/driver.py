"""Runs a code-mode entrypoint as the platform's sandbox does: a process of its own, called once, told by variables."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pipelines.odyssey.local.proxy import LocalRun

TASK_ID = 1
_CHILD = "pipelines.odyssey.local.code_process"


class CodeFailure(NamedTuple):
    """Why there is no reply."""

    stage: str
    """`import`, `run`, or `process` when it ended or was ended without a result."""
    type: str
    message: str
    traceback: str = ""
    module: str | None = None
    """Of a failed import: what could not be imported."""


class CodeResult(NamedTuple):
    """What became of one call of the entrypoint."""

    reply: Mapping[str, Any] | None
    failure: CodeFailure | None
    stdout: str
    stderr: str
    seconds: float


def run_code(
    entrypoint: str,
    run: LocalRun,
    *,
    instruction: str = "",
    task_input: Mapping[str, Any] | None = None,
    more: Mapping[str, Any] | None = None,
    folder: Path | None = None,
    without_sdk: bool = False,
    timeout_s: float = 300,
) -> CodeResult:
    """Call `module:function` once; `more` are further members of its first argument."""
    task = {
        "user_instruction": instruction,
        "input": dict(task_input or {}),
        "task_id": TASK_ID,
        **(more or {}),
    }
    with tempfile.TemporaryDirectory(prefix="odyssey-") as scratch:
        result = Path(scratch) / "result.json"
        # -m puts the folder itself on the path, where the sandbox has the uploaded files.
        command = [sys.executable, "-m", _CHILD, entrypoint, str(result), "1" if without_sdk else "0"]
        started = time.monotonic()
        with subprocess.Popen(  # noqa: S603 - the person's own code, as they asked
            command,
            cwd=folder,
            env=os.environ | _variables(run, task),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        ) as process:
            stdout, stderr, is_late = _wait(process, timeout_s)
        seconds = time.monotonic() - started
        reply, failure = _read(result, process.returncode, timeout_s if is_late else None)
    return CodeResult(reply, failure, _hidden(stdout, run), _hidden(stderr, run), seconds)


def _variables(run: LocalRun, task: Mapping[str, Any]) -> dict[str, str]:
    return {
        "PIPELINES_ODYSSEY_PROXY_URL": run.url,
        "PIPELINES_RUN_TOKEN": run.token,
        "PIPELINES_RUN_TOKEN_JTI": run.jti,
        "PIPELINES_RUN_ID": str(run.run_id),
        "PIPELINES_TASK_ID": str(TASK_ID),
        "_PIPELINES_TASK_INPUT_JSON": json.dumps(task),
        "PYTHONIOENCODING": "utf-8",
    }


def _wait(process: subprocess.Popen[str], timeout_s: float) -> tuple[str, str, bool]:
    try:
        stdout, stderr = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        _end(process)
        stdout, stderr = process.communicate()
        return stdout, stderr, True
    except BaseException:
        _end(process)
        raise
    return stdout, stderr, False


def _end(process: subprocess.Popen[str]) -> None:
    """End the process and what it started."""
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def _read(
    result: Path, code: int, late_after_s: float | None
) -> tuple[Mapping[str, Any] | None, CodeFailure | None]:
    if late_after_s is not None:
        said = f"The run took longer than {late_after_s:g} s and was ended."
        return None, CodeFailure("process", "TimeoutError", said)
    try:
        outcome = json.loads(result.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        said = f"The process ended with code {code} before the function returned."
        return None, CodeFailure("process", "SystemExit", said)
    failure = outcome.get("failure")
    return outcome.get("reply"), None if failure is None else CodeFailure(**failure)


def _hidden(text: str, run: LocalRun) -> str:
    return text.replace(run.token, "****")
