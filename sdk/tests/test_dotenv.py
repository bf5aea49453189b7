"""The `.env` of the working directory: what is read from it, what goes before it, and that it is never shown."""

from pathlib import Path

import pytest
from support.in_process import run_here
from support.process import clean_environment

from pipelines.odyssey.cli.dotenv import load, settings

SECRET = "pk_live_" + "6" * 40


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A=1", {"A": "1"}),
        ("A = 1 \nB=2", {"A": "1", "B": "2"}),
        ("export A=1\n  export\tB=2", {"A": "1", "B": "2"}),
        ("\ufeffA=1".removeprefix("\ufeff"), {"A": "1"}),
        ("# a comment\n\n   # another\nA=1 # behind\nB=1#2\nC=#", {"A": "1", "B": "1#2", "C": ""}),
        ("A='x $B # y'\nB=\"x # y\" # z", {"A": "x $B # y", "B": "x # y"}),
        (r'A="a\nb\"c\\d\$e\q"' + "\n" + r"B='a\nb'", {"A": 'a\nb"c\\d$e\\q', "B": r"a\nb"}),
        ('A="one\ntwo"\nB=3', {"A": "one\ntwo", "B": "3"}),
        ("A=${B}\nB=$A", {"A": "${B}", "B": "$A"}),
        ("A=1\r\nB=2\r\n", {"A": "1", "B": "2"}),
        ("A=1\nA=2", {"A": "2"}),
        ("A=", {"A": ""}),
        ("A=a=b==", {"A": "a=b=="}),
        ("A='it''s'", {}),
        ('A="open\nB=2', {"B": "2"}),
        ("just words\n=1\n1A=2\nB=2", {"B": "2"}),
    ],
)
def test_lines_mean_what_shells_mean_by_them(text: str, expected: dict[str, str]) -> None:
    assert {each.name: each.value for each in settings(text) if each.value is not None} == expected


def test_what_cannot_be_read_is_named_by_its_line_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".env").write_text(f'A="one\ntwo"\n{SECRET}\nB="{SECRET}\nC=3\n')
    environ: dict[str, str] = {}
    load(tmp_path, environ)
    assert environ == {"A": "one\ntwo", "C": "3"}
    said = capsys.readouterr()
    assert said.out == ""
    assert [line.partition(".env ")[2] for line in said.err.splitlines()] == [
        "line 3 is not NAME=value and left out.",
        "line 4 is not NAME=value and left out.",
    ]


def test_the_environment_goes_before_the_file_even_when_it_is_empty(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=file\nB=file\nC=file\n")
    environ = {"A": "set", "B": ""}
    load(tmp_path, environ)
    assert environ == {"A": "set", "B": "", "C": "file"}


@pytest.mark.parametrize("content", [b"A=\xff", b"A=1\n" * 262_145, b"A=\0"])
def test_a_file_that_is_no_text_is_left_out_with_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    (tmp_path / ".env").write_bytes(content)
    environ: dict[str, str] = {}
    load(tmp_path, environ)
    assert environ == {}
    assert capsys.readouterr().err.count("left out") == 1


def test_neither_a_folder_of_that_name_nor_none_at_all_is_a_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    load(tmp_path, {})
    (tmp_path / ".env").mkdir()
    load(tmp_path, {})
    assert capsys.readouterr().err == ""


def listed_level(folder: Path, *flags: str, **environment: str) -> str:
    ended = run_here(
        *flags, "settings", "--json", environment=clean_environment(**environment), folder=folder
    )
    assert ended.returncode == 0, ended.stderr
    assert SECRET not in ended.stdout + ended.stderr
    rows = ended.stdout.partition('"ODYSSEY_LOG_LEVEL"')[2]
    return rows.partition('"value": "')[2].partition('"')[0]


def test_every_command_reads_it_unless_told_not_to(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f"ODYSSEY_LOG_LEVEL=error\nODYSSEY_BOOTSTRAP_API_KEY={SECRET}\n")
    assert listed_level(tmp_path) == "error"
    assert listed_level(tmp_path, ODYSSEY_LOG_LEVEL="debug") == "debug"
    assert listed_level(tmp_path, "--no-dotenv") == "info"
    assert listed_level(tmp_path, ODYSSEY_NO_DOTENV="1") == "info"
