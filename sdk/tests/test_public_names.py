"""What the SDK promises by name, and that it needs nothing but its own dependencies."""

import subprocess
import sys

import pytest

import pipelines.odyssey

PUBLIC = (
    "ApiError",
    "AsyncClient",
    "Client",
    "Envelope",
    "OdysseyError",
    "ProxyError",
    "Reply",
    "RunEndedError",
    "Session",
    "Tool",
    "UnreachableError",
    "acting_as",
    "adapter",
    "adapters",
    "agents",
    "context",
    "current",
    "dispatch_app",
    "passthrough",
    "post_trace_event",
    "post_trace_event_async",
    "proxy_call",
    "proxy_call_async",
    "proxy_call_with",
    "proxy_call_with_async",
    "register_dispatch_route",
    "safe_assistant_message",
    "safe_assistant_message_async",
    "safe_handoff",
    "safe_handoff_async",
    "safe_subagent_final",
    "safe_subagent_final_async",
    "safe_subagent_message",
    "safe_subagent_message_async",
    "safe_system_prompt",
    "safe_system_prompt_async",
    "safe_thinking",
    "safe_thinking_async",
    "safe_trace_event",
    "safe_trace_event_async",
    "set_current",
    "simulated",
    "tool_endpoints",
    "tools_schema",
    "tools_schema_json",
    "with_system_injection",
    "with_system_injection_async",
)

OPTIONAL = (
    "agents",
    "anthropic",
    "fastapi",
    "keyring",
    "langchain",
    "langchain_core",
    "langchain_mcp_adapters",
    "langgraph",
    "mcp",
    "openai",
    "starlette",
    "strands",
    "uvicorn",
)

BLOCKED = f"""
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {OPTIONAL!r}:
            raise ModuleNotFoundError(f"blocked: {{name}}", name=name)

sys.meta_path.insert(0, Blocked())
"""


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_these_are_the_public_names() -> None:
    """Removing or renaming one breaks somebody's agent; adding one is a promise."""
    assert sorted(PUBLIC) == sorted(pipelines.odyssey.__all__)
    assert dir(pipelines.odyssey) == sorted(pipelines.odyssey.__all__)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(pipelines.odyssey, name) is not None


def test_a_name_that_is_not_there_says_so() -> None:
    with pytest.raises(AttributeError, match="no attribute 'surprise'"):
        _ = pipelines.odyssey.surprise


def test_everything_but_the_adapters_works_with_every_optional_package_blocked() -> None:
    names = ", ".join(PUBLIC)
    said = run(
        f"{BLOCKED}\nfrom pipelines.odyssey import {names}\n"
        "from pipelines.odyssey.cli.app import build_app\nbuild_app()\n"
        "import pipelines.odyssey.local.proxy\nprint('fine')"
    )
    assert said == "fine\n"


def test_importing_the_package_loads_nothing_else() -> None:
    loaded = run(
        "import sys; import pipelines.odyssey; print('httpx' in sys.modules, 'cyclopts' in sys.modules)"
    )
    assert loaded == "False False\n"


def test_an_agent_at_work_never_loads_the_command_line() -> None:
    used = "Envelope, proxy_call, register_dispatch_route, Tool, safe_thinking, Client"
    loaded = run(
        f"import sys; from pipelines.odyssey import {used}\n"
        "print([name for name in ('cyclopts', 'yaml', 'pydantic', 'starlette') if name in sys.modules])"
    )
    assert loaded == "[]\n"
