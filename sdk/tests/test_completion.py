"""Completion in the shell: the scripts know the commands and their options."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from support.process import ODYSSEY

KNOWN = ("runs", "export", "doctor", "conformance", "whoami", "--min-pass-rate", "--endpoint-url", "--json")


def install(shell: str, home: Path, output: Path) -> str:
    ended = subprocess.run(
        [ODYSSEY, "--install-completion", "--shell", shell, "--output", str(output)],
        env={**os.environ, "HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 0, ended.stderr
    return output.read_text()


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_the_script_of_a_shell_knows_commands_and_options(tmp_path: Path, shell: str) -> None:
    script = install(shell, tmp_path, tmp_path / f"odyssey.{shell}")
    assert [word for word in KNOWN if word not in script] == []


def test_bash_completes_what_is_begun(tmp_path: Path) -> None:
    bash = shutil.which("bash")
    assert bash is not None
    install("bash", tmp_path, tmp_path / "odyssey.bash")
    ask = (
        f'source "{tmp_path}/odyssey.bash"\n'
        "COMP_WORDS=(odyssey who); COMP_CWORD=1; COMP_LINE='odyssey who'; COMP_POINT=11\n"
        "line=($(complete -p odyssey)); for ((i=0; i<${#line[@]}; i++)); do\n"
        '  [[ ${line[i]} == -F ]] && "${line[i+1]}" odyssey who odyssey; done\n'
        'echo "${COMPREPLY[@]}"\n'
    )
    said = subprocess.run([bash, "--norc", "-c", ask], capture_output=True, text=True, timeout=60)
    assert said.stdout.split() == ["whoami"], said.stderr
