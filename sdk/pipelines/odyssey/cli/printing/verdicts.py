"""A verdict with what the graders said: checks, claims without a call, the judge's answers."""

from collections.abc import Sequence

from pipelines.odyssey.cli.printing.figures import money, verdict_part
from pipelines.odyssey.cli.printing.screen import Part, Screen, as_json, clean, many, word
from pipelines.odyssey.client import types as t

_STATES = {"passed": "green", "failed": "red", "error": "yellow"}


def print_verdict(screen: Screen, grades: Sequence[t.GradeOut]) -> None:
    """Print the newest grade of a run whole, and of those before it the verdict."""
    if not grades:
        return
    *earlier, newest = grades
    screen.line()
    screen.parts("Verdict  ", _head(newest))
    screen.text(str(newest["reason"]))
    _print_world(screen, newest)
    for check in newest["checks"]:
        _print_check(screen, check)
    for claim in newest["claims"]:
        said = f"{word(claim['tool'])} {_times(claim['claimed'])}, seen {_times(claim['observed'])}"
        screen.line(f"  claimed   {said}")
    if newest["judge"] is not None:
        _print_judge(screen, newest["judge"])
    versions = ", ".join(f"{word(name)} {word(number)}" for name, number in newest["graders"].items())
    screen.line(f"  graders   {versions or 'none'}")
    if earlier:
        before = ", ".join(f"{grade['number']} {clean(grade['verdict'])}" for grade in earlier)
        screen.line(f"  before    {before}")


def world_warning(grade: t.GradeOut) -> str | None:
    """What the world did badly, in the platform's own sentence; one of an older version says nothing of it."""
    said = grade.get("world_warning")
    return None if said is None else str(said)


def _print_world(screen: Screen, grade: t.GradeOut) -> None:
    warning = world_warning(grade)
    if warning is None:
        return
    screen.text(warning, lead="  world     ")
    for note in grade["world_notes"]:
        said = f"step {note['sequence']}, {word(note['tool'])}, {word(note['kind'])}: {note['message']}"
        screen.text(said, lead="            ")
    if grade["world_notes_left_off"]:
        screen.line(f"            and {many(grade['world_notes_left_off'], 'more call')}")


def _times(number: int) -> str:
    return ("never", "once")[number] if number < 2 else f"{number} times"


def _head(grade: t.GradeOut) -> list[Part]:
    parts = [verdict_part(grade["verdict"])]
    if grade["failure_mode"] is not None:
        parts.append(Part(word(grade["failure_mode"])))
    if grade["score"] is not None:
        parts.append(Part(f"score {grade['score']:.2f}"))
    if grade["cost_usd"]:
        parts.append(Part(money(grade["cost_usd"])))
    return parts


def _print_check(screen: Screen, check: t.CheckOut) -> None:
    name = "built in" if check["index"] is None else f"check {check['index'] + 1}"
    step = [] if check["sequence"] is None else [Part(f"step {check['sequence']}")]
    state = Part(f"{word(check['state']):<6}", _STATES.get(str(check["state"]), ""))
    screen.parts(f"  {name:<9} ", [state, Part(word(check["kind"])), *step])
    if check["check"] is not None and check["state"] != "passed":
        screen.line(f"            asked  {screen.shorten(as_json(check['check']), screen.width - 20)}")
    screen.text(str(check["reason"]), lead="            ")


def _print_judge(screen: Screen, judge: t.JudgeOut) -> None:
    by = f"by {clean(str(judge['model']))}" if judge["model"] is not None else ""
    score = "" if judge["score"] is None else f"score {judge['score']:.2f}"
    cost = money(judge["cost_usd"]) if judge["cost_usd"] else ""
    said = [Part(text) for text in (word(judge["state"]), score, by, cost) if text]
    screen.parts("  judge     ", said)
    if judge["state"] != "answered":
        screen.text(str(judge["reason"]), lead="            ")
    for answer in judge["answers"]:
        passed = "passed" if answer["passed"] else "failed"
        state = Part(passed, _STATES[passed])
        given = clean(as_json(answer["answer"]))
        screen.parts("            ", [state, Part(f"{word(answer['id'])}: {given}")])
        screen.text(str(answer["question"]), lead="              ")
        screen.text(str(answer["reason"]), lead="              ")
    if judge["claimed_actions"]:
        screen.line(
            f"            it reads that these were done: {', '.join(map(word, judge['claimed_actions']))}"
        )
