"""Prism: a server nobody here wrote, which answers by an OpenAPI document and refuses what does not fit it."""

import json
import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.live_servers import NODE, node_program


@contextmanager
def prism(document: dict[str, Any], folder: Path) -> Iterator[str]:
    """Serve a document; gives the address."""
    file = folder / "openapi.json"
    file.write_text(json.dumps(document))
    program = node_program("@stoplight/prism-cli/dist/index.js")
    process = subprocess.Popen(
        [NODE, program, "mock", "--errors", "--host", "127.0.0.1", "--port", "0", str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    said: list[str] = []
    reader = threading.Thread(target=said.extend, args=(process.stdout,), daemon=True)
    try:
        for line in process.stdout:
            said.append(line)
            found = re.search(r"listening on (http://127\.0\.0\.1:\d+)", line)
            if found is not None:
                break
        else:
            raise AssertionError("".join(said))
        reader.start()
        yield found.group(1)
    finally:
        process.terminate()
        process.wait(60)
        if reader.is_alive():
            reader.join()
        process.stdout.close()
