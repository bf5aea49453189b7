"""Completion in the shell: the scripts know the commands and their options."""

import shutil
import subprocess
from pathlib import Path

import pytest
from support.commands import Desk

KNOWN = ("runs", "export", "doctor", "conformance", "whoami", "--min-pass-rate", "--endpoint-url", "--json")


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_the_script_of_a_shell_knows_commands_and_options(tmp_path: Path, shell: str) -> None:
    file = tmp_path / f"odyssey.{shell}"
    Desk(tmp_path).type("--install-completion", "--shell", shell, "--output", str(file))
    script = file.read_text()
    assert [word for word in KNOWN if word not in script] == []
    if shell == "bash":
        assert completed_by_bash(file, "who") == ["whoami"]


def completed_by_bash(script: Path, begun: str) -> list[str]:
    bash = shutil.which("bash")
    assert bash is not None
    ask = (
        f'source "{script}"\n'
        f"COMP_WORDS=(odyssey {begun}); COMP_CWORD=1; COMP_LINE='odyssey {begun}'; COMP_POINT=${{#COMP_LINE}}\n"
        "line=($(complete -p odyssey)); for ((i=0; i<${#line[@]}; i++)); do\n"
        f'  [[ ${{line[i]}} == -F ]] && "${{line[i+1]}}" odyssey {begun} odyssey; done\n'
        'echo "${COMPREPLY[@]}"\n'
    )
    said = subprocess.run([bash, "--norc", "-c", ask], capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    return said.stdout.split()
