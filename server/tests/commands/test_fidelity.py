"""`odyssey fidelity`, called as its command tree calls it."""

import json
from pathlib import Path
from typing import Any

import pytest
from cyclopts import App

from odyssey.commands.fidelity import fidelity

TOOLS = [
    {
        "name": "get_ticket",
        "input_schema": {
            "type": "object",
            "properties": {"ticket_id": {"type": "string"}},
            "required": ["ticket_id"],
        },
    }
]
STATE = {"ticket": {"T1": {"ticket_id": "T1"}}}
CALL: dict[str, Any] = {
    "tool": "get_ticket",
    "args": {"ticket_id": "T1"},
    "response": {"ticket_id": "T1"},
    "error": None,
    "changes": [],
}


def write(folder: Path, **files: Any) -> list[str]:
    """Put the three files into a folder; what is given takes the place of what is good."""
    good = {
        "tools": json.dumps(TOOLS),
        "state": json.dumps(STATE),
        "calls": json.dumps({"task": 1, "calls": [CALL]}) + "\n\n",
    }
    options = []
    for name, text in {**good, **files}.items():
        path = folder / f"{name}.json"
        if text is not None:
            path.write_text(text, "utf-8")
        options += [f"--{name}", str(path)]
    return options


def run(*tokens: str) -> None:
    app = App(name="odyssey", result_action="return_value")
    app.command(fidelity)
    app(["fidelity", *tokens])


def test_it_prints_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "150")
    run(*write(tmp_path))
    shown = capsys.readouterr().out
    assert "get_ticket" in shown
    assert "100.0% (21%–100%)" in shown


def test_it_prints_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(*write(tmp_path), "--json")
    shown = json.loads(capsys.readouterr().out)
    assert shown["responses"]["share"] == 1
    assert shown["tools"]["get_ticket"]["calls"] == 1


@pytest.mark.parametrize(
    ("files", "equal"),
    [
        ({}, 0),
        ({"programs": '{"get_ticket": {"response": {"asked": "= args.ticket_id"}}}'}, 1),
        ({"programs": "get_ticket:\n  response: {asked: = args.ticket_id}\n"}, 1),
        ({"programs": '{"get_ticket": {"response": "= entity(\'ticket\', \'T1\').weight"}}'}, 0),
        ({"behavior": 'get_ticket returns {"asked": args.ticket_id}\nTickets are kept for a year.\n'}, 1),
    ],
)
def test_programs_and_behaviours_are_measured_with_the_world(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], files: dict[str, str], equal: int
) -> None:
    other = {**CALL, "response": {"asked": "T1"}}
    run(*write(tmp_path, calls=json.dumps({"task": 1, "calls": [other]}), **files), "--json")
    printed = capsys.readouterr()
    assert json.loads(printed.out)["responses"]["equal"] == equal
    assert ("line 2 is left out" in printed.err) == ("behavior" in files)


def test_a_world_keeps_only_a_report_of_the_engine_alone(tmp_path: Path) -> None:
    options = write(tmp_path, behavior="get_ticket changes nothing else")
    with pytest.raises(SystemExit) as stopped:
        run(*options, "--world", "1")
    assert "of the world engine alone" in str(stopped.value)


def test_the_table_says_what_was_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(*write(tmp_path, behavior="get_ticket changes nothing else", programs="{}"))
    assert "Fidelity of the world engine with behaviours and programs: 1 tasks" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"calls": None}, "calls.json cannot be read: No such file or directory"),
        ({"state": "{"}, "state.json: "),
        ({"state": "[]"}, "state.json: "),
        ({"tools": "[{}]"}, "tools.json: "),
        ({"calls": ""}, "calls.json holds no task"),
        ({"programs": "- 1"}, "programs.json must hold {tool: program}"),
        ({"programs": '{"get_tikcet": {}}'}, "programs.json must hold {tool: program}"),
        ({"programs": "{"}, "programs.json: "),
        ({"programs": '{"get_ticket": {"respond": 1}}'}, "programs.json: get_ticket.respond: "),
        ({"behavior": None}, "behavior.json cannot be read: No such file or directory"),
        ({"calls": '{"task": 1, "calls": []}\n{"task"'}, "calls.json, line 2: "),
        ({"calls": '{"task": 1, "calls": [{"tool": 5}]}'}, "calls.json, line 1: "),
        (
            {"calls": '{"task": 1, "calls": [{"tool": "fly", "args": {}}]}'},
            "calls.json, line 1: the tool 'fly' is not in the list of tools",
        ),
    ],
)
def test_it_names_the_file_and_the_line_that_is_wrong(
    tmp_path: Path, files: dict[str, Any], message: str
) -> None:
    with pytest.raises(SystemExit) as stopped:
        run(*write(tmp_path, **files))
    assert str(stopped.value).startswith("odyssey: ")
    assert message in str(stopped.value)
