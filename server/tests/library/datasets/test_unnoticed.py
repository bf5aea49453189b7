"""The hint of what an agent could do beside its task: against rows and what a person would say of them."""

from typing import Any

import pytest
from grading.shop_rows import SHOP, SHOP_TOOLS

from odyssey.agents.compiled import compile_agent
from odyssey.library.datasets.unnoticed import SideEffects
from odyssey.library.seeds import Seed, read_seed

LEDGER = {"ledger": {"$.order.ord_2.status": "cancelled"}}


def seed(*checks: Any, state: Any = SHOP) -> Seed:
    read = read_seed({"user_instruction": "x", "initial_state": state, "checks": list(checks)}, None, {})
    assert read.seed is not None
    return read.seed


@pytest.mark.parametrize(
    "checks",
    [
        (),
        ({"called": "update_order"},),
        (LEDGER, {"only_changed": ["order"]}),
        (LEDGER, {"untouched": ["customer"]}),
        ({"only_changed": []},),
    ],
)
def test_rows_that_look_at_every_change_or_at_none_get_no_hint(checks: tuple[Any, ...]) -> None:
    assert SideEffects(None).hint(seed(*checks)) is None


def test_without_an_agent_the_rest_of_the_world_is_named() -> None:
    hint = SideEffects(None).hint(seed({"called": "get_order"}, LEDGER))
    assert hint is not None
    assert hint.loc == ("checks", 1)
    assert hint.msg == (
        "nothing here notices what else the agent changes, such as a customer; say what may change by "
        "only_changed, or what must not by untouched"
    )
    alone = SideEffects(None).hint(seed(LEDGER, state={"order": SHOP["order"]}))
    assert alone is not None
    assert "changes; say" in alone.msg


def test_with_an_agent_its_own_tools_are_named() -> None:
    content = {
        "mode": "http",
        "config": {"endpoint_url": "http://localhost"},
        "tools_schema": SHOP_TOOLS,
        "ledger_schema": None,
    }
    hints = SideEffects(compile_agent(content))
    by_the_shop = hints.hint(seed({"called": {"tool": "update_order"}}, LEDGER))
    assert by_the_shop is not None
    assert "such as by create_order or by delete_order;" in by_the_shop.msg
    looking = [tool for tool in SHOP_TOOLS if tool["name"].startswith(("get_", "list_"))]
    only_reads = SideEffects(compile_agent(content | {"tools_schema": looking})).hint(seed(LEDGER))
    assert only_reads is not None
    assert "such as a customer;" in only_reads.msg
