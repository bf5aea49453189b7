"""`python -m pipelines.odyssey.local agent:run`: a code-mode entrypoint, once, against a scripted proxy."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from pipelines.odyssey.local.answers import Answers, AnswersInvalidError, read_answers
from pipelines.odyssey.local.driver import CodeResult, run_code
from pipelines.odyssey.local.proxy import LocalProxy, LocalRun

_NOT_RIGHT = 1
_FAILED = 2


class _UnusableError(Exception):
    """What was given cannot be used; the message is what the person reads."""


def main() -> int:
    given = _parser().parse_args()
    try:
        task_input = _read_json(given.input, "--input")
        if not isinstance(task_input, dict):
            raise _UnusableError("--input is not a JSON object.")
        answers = read_answers(_read_file(given.answers)) if given.answers else []
        tools = _read_file(given.tools) if given.tools else []
        if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
            raise _UnusableError(f"{given.tools} is not a list of tools.")
    except (_UnusableError, AnswersInvalidError) as error:
        sys.stderr.write(f"odyssey: {error}\n")
        return _FAILED
    with LocalProxy(tools=tools) as proxy:
        run = proxy.open_run(Answers(answers, tools=tools))
        result = run_code(
            given.entrypoint,
            run,
            instruction=given.instruction,
            task_input=task_input,
            folder=given.folder,
            without_sdk=given.without_sdk,
            timeout_s=given.timeout,
        )
    _print(result, run, as_json=given.json)
    return 0 if result.reply is not None and result.reply.get("final_response") else _NOT_RIGHT


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m pipelines.odyssey.local", description=__doc__)
    parser.add_argument("entrypoint", help="module:function, such as agent:run")
    parser.add_argument("--instruction", default="", help="what the task asks of the agent")
    parser.add_argument("--input", default="{}", metavar="JSON", help="the data of the task, a JSON object")
    parser.add_argument(
        "--answers", type=Path, help="JSON: {tool: response}, or [{tool, arguments, response}]"
    )
    parser.add_argument("--tools", type=Path, help="JSON: tools_schema; without it every tool name is known")
    parser.add_argument("--folder", type=Path, default=Path(), help="where the code is; else here")
    parser.add_argument("--without-sdk", action="store_true", help="hide the SDK, as a sandbox has none")
    parser.add_argument("--timeout", type=float, default=300, metavar="SECONDS", help="default 300")
    parser.add_argument(
        "--json", action="store_true", help="print {reply, failure, calls, events, stdout, stderr}"
    )
    return parser


def _read_file(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise _UnusableError(f"{path} cannot be read: {error}.") from None
    return _read_json(text, str(path))


def _read_json(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise _UnusableError(f"{what} is not JSON: {error}.") from None


def _print(result: CodeResult, run: LocalRun, *, as_json: bool) -> None:
    if as_json:
        document = {
            "reply": result.reply,
            "failure": None if result.failure is None else result.failure._asdict(),
            "calls": [
                {"tool": call.tool, "arguments": call.arguments, "actor_id": call.actor_id}
                for call in run.calls
            ],
            "events": [{"event_type": event.event_type, "payload": event.payload} for event in run.events],
            "stdout": result.stdout,
            "stderr": result.stderr,
        }
        sys.stdout.write(f"{json.dumps(document, indent=2)}\n")
        return
    for call in run.calls:
        refused = "" if call.refused is None else f"  refused: {call.refused.code}"
        sys.stdout.write(f"call   {call.tool} {json.dumps(call.arguments)}{refused}\n")
    for event in run.events:
        sys.stdout.write(f"event  {event.event_type} {json.dumps(event.payload)}\n")
    for name, text in (("stdout", result.stdout), ("stderr", result.stderr)):
        for line in text.splitlines():
            sys.stdout.write(f"{name} {json.dumps(line, ensure_ascii=True)[1:-1]}\n")
    if result.failure is not None:
        sys.stdout.write(
            f"failed {result.failure.type}: {result.failure.message}\n{result.failure.traceback}"
        )
    else:
        sys.stdout.write(f"reply  {json.dumps(result.reply, indent=2)}\n")
    sys.stdout.write(f"{result.seconds:.2f} s\n")


if __name__ == "__main__":
    sys.exit(main())
