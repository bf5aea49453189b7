"""What a package imports, its distribution declares: not what happens to come with something else."""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
IMPORT = re.compile(r"^ *(?:from (\w+)[\w.]* import |import (\w+))", re.MULTILINE)
ONLY_CHECKED = re.compile(r"^if TYPE_CHECKING:\n(?: .*\n)+", re.MULTILINE)
"""What type checkers read and nobody imports."""
OURS = {"odyssey", "pipelines"}
CALLED_OTHERWISE = {
    "agents": "openai-agents",
    "argon2": "argon2-cffi",
    "cel": "common-expression-language",
    "jwt": "pyjwt",
    "pydantic_core": "pydantic",  # which names the one version of it that fits
    "re2": "google-re2",
    "strands": "strands-agents",
    "yaml": "pyyaml",
}
"""Modules that have another name than what is installed to get them."""

EXTRAS = {
    "sdk": {
        "pipelines/odyssey/adapters/anthropic": ["anthropic"],
        "pipelines/odyssey/adapters/langchain": ["langchain"],
        "pipelines/odyssey/adapters/openai_agents": ["openai-agents"],
        "pipelines/odyssey/adapters/strands": ["strands"],
        "pipelines/odyssey/cli/key_store.py": ["keyring"],
        "pipelines/odyssey/dispatch.py": ["odyssey"],
        "pipelines/odyssey/local/serving.py": ["odyssey"],
        "pipelines/odyssey/mcp_server.py": ["mcp"],
        "pipelines/odyssey/mcp_sessions.py": ["mcp", "langchain-mcp", "openai-agents", "strands"],
    },
    "server": {"odyssey/testing": ["pytest"]},
}
"""For what is used by those who asked for it: which extras bring what it imports."""


def project_of(folder: str) -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads((ROOT / folder / "pyproject.toml").read_text("utf-8"))["project"]
    return project


def names(requirements: list[str]) -> Iterator[str]:
    for requirement in requirements:
        found = re.match(r"[A-Za-z0-9._-]+", requirement)
        assert found
        yield found[0].lower()


def brought(project: dict[str, Any], extra: str) -> set[str]:
    """What an extra installs, also by way of others of the same distribution."""
    listed = project["optional-dependencies"][extra]
    more = [
        inner
        for requirement in listed
        if (nested := re.match(rf"{project['name']}\[(.*)\]", requirement))
        for inner in nested[1].split(",")
    ]
    return set(names(listed)).union(*(brought(project, inner) for inner in more))


def imported(path: Path) -> set[str]:
    """By its lines: to parse every file takes seconds."""
    text = ONLY_CHECKED.sub("", path.read_text("utf-8"))
    modules = {module for found in IMPORT.findall(text) for module in found if module}
    third_party = modules - sys.stdlib_module_names - OURS
    return {CALLED_OTHERWISE.get(module, module.replace("_", "-")) for module in third_party}


@pytest.mark.parametrize("folder", ["sdk", "server"])
def test_every_import_is_declared(folder: str) -> None:
    project = project_of(folder)
    base = set(names(project["dependencies"]))
    missing: dict[str, set[str]] = {}
    for path in sorted((ROOT / folder).glob("[po]*/**/*.py")):
        name = path.relative_to(ROOT / folder).as_posix()
        extras = [
            extra for part, listed in EXTRAS[folder].items() if name.startswith(part) for extra in listed
        ]
        declared = base.union(*(brought(project, extra) for extra in extras))
        if undeclared := imported(path) - declared:
            missing[name] = undeclared
    assert missing == {}


@pytest.mark.parametrize("folder", ["sdk", "server"])
def test_every_dependency_says_from_which_version_on(folder: str) -> None:
    project = project_of(folder)
    extras = project["optional-dependencies"].values()
    needed = [*project["dependencies"], *(requirement for extra in extras for requirement in extra)]
    others = [requirement for requirement in needed if not requirement.startswith(f"{project['name']}[")]
    assert len(others) > 10
    assert [requirement for requirement in others if ">=" not in requirement] == []


def test_the_adapters_are_tested_with_the_oldest_versions_they_accept() -> None:
    project = project_of("sdk")
    pins = (ROOT / "requirements" / "frameworks-lowest.txt").read_text("utf-8")
    extras = project["optional-dependencies"].values()
    for requirement in (*project["dependencies"], *(needed for extra in extras for needed in extra)):
        if bound := re.match(r"([\w.-]+)>=([\d.]+)", requirement):
            assert re.search(rf"^{bound[1]}=={re.escape(bound[2])}(\.0)* ", pins, re.MULTILINE), requirement
