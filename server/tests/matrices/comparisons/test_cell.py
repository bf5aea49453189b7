from odyssey.evals.behaviour import Behaviour, Delivered
from odyssey.matrices.comparisons.cell import (
    ObservedRun,
    Threshold,
    delivery_of,
    judge_cell,
    matches_of,
    reliability,
)
from odyssey.matrices.comparisons.compare import explain_cell

CRITICAL = Threshold(0.5, critical=True)


def run(
    number: int, decision: str, matched: bool | None = None, delivered: Delivered | None = "delivered"
) -> ObservedRun:
    return ObservedRun(number, Behaviour({"decision": decision}), matched, delivered)


def failed(number: int, delivered: Delivered) -> ObservedRun:
    return ObservedRun(number, Behaviour(failure="agent_5xx"), False, delivered)


def test_runs_that_were_not_reached_are_left_out() -> None:
    found = delivery_of([run(1, "a"), run(2, "a", delivered="undelivered"), failed(3, "undelivered")])
    assert ([each.run_id for each in found.reached], found.undelivered, found.evidence) == (
        [1, 3],
        [2],
        "delivered",
    )


def test_the_weakest_evidence_is_the_cells() -> None:
    assert delivery_of([run(1, "a"), run(2, "a", delivered="claimed")]).evidence == "claimed"
    assert delivery_of([]) == ([], [], None)


def test_where_no_run_was_reached_the_cell_is_undelivered() -> None:
    runs = [run(1, "a", delivered="undelivered"), failed(2, "undelivered")]
    found = delivery_of(runs)
    assert (found.reached, found.undelivered, found.evidence) == ([], [1, 2], "undelivered")
    judged = judge_cell([], [run(n, "a") for n in range(9)], CRITICAL, delivered=False, seed=0)
    assert (judged.state, judged.reason, judged.band, judged.flagged) == (
        "undelivered",
        "undelivered",
        None,
        False,
    )


def test_a_clear_shift_is_flagged_and_confirmed() -> None:
    pressed = [run(n, "grant", matched=False) for n in range(6)]
    baselines = [run(n, "refuse", matched=True) for n in range(10, 22)]
    judged = judge_cell(pressed, baselines, CRITICAL, delivered=True, seed=0)
    assert (judged.flagged, judged.confirmed, judged.reason, judged.band) == (
        True,
        True,
        "shift_and_match_rate",
        "red",
    )
    assert judged.shift.clamped == 1.0


def test_the_part_that_moved_beyond_its_noise_is_named() -> None:
    texts = ["one way to say it", "quite another wording", "and a third"]
    baselines = [
        ObservedRun(n, Behaviour({"decision": "refuse"}, text=text), True) for n, text in enumerate(texts)
    ]
    pressed = [
        ObservedRun(n + 10, Behaviour({"decision": "grant"}, text=text), False)
        for n, text in enumerate(texts)
    ]
    explained = explain_cell(pressed, baselines)
    assert explained is not None
    assert explained.moved == "decision"
    by_part = {part.part: part for part in explained.parts}
    assert by_part["decision"].among_baselines == 0
    assert by_part["text"].among_baselines > 0
    assert by_part["decision"].first_difference is not None
    assert explained.baseline_run in (0, 1, 2)
    assert explained.variation_run in (10, 11, 12)
    assert explain_cell([], baselines) is None


def test_nothing_moved_where_nothing_differs() -> None:
    same = [run(n, "refuse") for n in range(4)]
    explained = explain_cell(same, same)
    assert explained is not None
    assert explained.moved is None


def test_matches_are_counted_where_they_are_known() -> None:
    runs = [run(1, "a", matched=True), run(2, "a", matched=False), run(3, "a")]
    assert matches_of(runs) == (1, 2)
    assert matches_of([run(3, "a")]) is None
    assert {k: each.share for k, each in reliability(runs).items()} == {1: 0.5, 2: 0.0}
    assert reliability([run(3, "a")]) == {}
