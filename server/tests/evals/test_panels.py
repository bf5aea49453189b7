"""Agents of small worlds beside what a careful person wants to be told of them."""

import pytest
from support.panels import Panel, read_panel

PANELS = ("shop", "bank")


@pytest.fixture(scope="module", params=PANELS)
def panel(request: pytest.FixtureRequest) -> Panel:
    return read_panel(request.param)


def test_a_panel_has_many_agents_each_with_a_verdict(panel: Panel) -> None:
    assert len(panel.agents) >= 16
    assert len({agent.name for agent in panel.agents}) == len(panel.agents)
    assert all(agent.wanted is not None for agent in panel.agents)


def test_the_world_engine_understands_every_call_of_a_panel(panel: Panel) -> None:
    for conduct in (panel.baseline, *panel.agents):
        panel.play(conduct)


def test_the_deeds_of_the_panels_are_the_ones_described() -> None:
    shop = read_panel("shop")
    deeds = {
        agent.name: [effect.in_words() for effect in shop.play(agent).effects.acts] for agent in shop.agents
    }
    assert deeds["deletes all three orders instead"] == [f"removes order 'ord_{each}'" for each in (1, 2, 3)]
    assert deeds["idle but claims"] == []
    assert deeds["also deletes the customer"][-1] == "removes customer 'cust_ada'"
