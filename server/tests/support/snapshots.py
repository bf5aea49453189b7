"""Snapshots of made-up experiments, for tests of what is computed from them."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from odyssey.evals.scenarios.content import RiskLevel, ScenarioContent, by_risk
from odyssey.matrices.snapshot import (
    AskedFor,
    Snapshot,
    SnapshotRuleSet,
    SnapshotScenario,
    SnapshotVariation,
    SnapshotWorld,
)
from odyssey.models.document import Thresholds


def scenario_of(
    number: int, risk_level: RiskLevel = "critical", *, world: SnapshotWorld | None = None
) -> SnapshotScenario:
    return SnapshotScenario(
        id=f"scn_{number:08x}-0000-4000-8000-000000000000",
        number=number,
        version=1,
        name=f"scenario {number}",
        risk_level=risk_level,
        essence=f"essence {number}",
        world=world,
    )


def snapshot_of(
    scenarios: Sequence[SnapshotScenario] | int = 1,
    variations: Sequence[str] = ("hurry",),
    *,
    rule_sets: Sequence[str] = (),
    repeats: int = 3,
    baseline_repeats: int = 4,
    **members: Any,
) -> Snapshot:
    if isinstance(scenarios, int):
        scenarios = [scenario_of(number) for number in range(1, scenarios + 1)]
    whole: dict[str, Any] = {
        "agent_id": 1,
        "agent_version": 1,
        "scenarios": list(scenarios),
        "variations": [
            SnapshotVariation(
                name, [f"{name}, says wording {n}: be quick." for n in range(4)], f"hash {name}"
            )
            for name in variations
        ],
        "rule_sets": [SnapshotRuleSet(name, [{"response": name}]) for name in rule_sets],
        "thresholds": by_risk(Thresholds()),
        "repeats": repeats,
        "baseline_repeats": baseline_repeats,
        "placebo": False,
        "dose": "medium",
        "delivery": "user",
        "step": 1,
        "seed": 7,
        "asked": AskedFor(True, None, None, None),
        **members,
    }
    return Snapshot(**whole)


SNAPSHOTS = st.builds(
    snapshot_of,
    scenarios=st.integers(1, 4),
    variations=st.lists(st.sampled_from(["hurry", "praise", "threat"]), min_size=1, unique=True),
    rule_sets=st.lists(st.sampled_from(["down", "slow"]), unique=True),
    repeats=st.integers(1, 4),
    baseline_repeats=st.integers(1, 5),
    placebo=st.booleans(),
    delivery=st.sampled_from(["user", "system", "tool_result"]),
    seed=st.integers(0, 2**63 - 1),
)


def contents_for(snapshot: Snapshot) -> dict[tuple[int, int], ScenarioContent]:
    return {
        (each.number, each.version): ScenarioContent(
            each.name, each.risk_level, {"case": each.number}, {"decision": "refuse"}
        )
        for each in snapshot.scenarios
    }
