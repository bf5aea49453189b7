"""Every adapter offers the same names, so that what is learnt with one framework holds for the next."""

from importlib import import_module

import pytest

COMMON = {
    "dump_sub_agents",
    "dump_tools_schema",
    "dump_tools_schema_json",
    "proxied",
    "reply_of",
    "run",
    "run_sync",
}
MORE = {
    "anthropic": {"SubAgent", "answer_tool_uses", "answer_tool_uses_async"},
    "langchain": {"OdysseyMiddleware"},
    "openai_agents": set[str](),
    "strands": set[str](),
}


@pytest.mark.parametrize("name", MORE)
def test_these_are_the_public_names(name: str) -> None:
    adapter = import_module(f"pipelines.odyssey.adapters.{name}")
    assert set(adapter.__all__) == COMMON | MORE[name]
    assert all(hasattr(adapter, public) for public in adapter.__all__)
