"""Whether there is anything to grade a run by; a run without it is never a PASS."""

from typing import Any


def is_gradable(seed: dict[str, Any], *, judged: bool) -> bool:
    """True with checks, a rubric, a refusal to expect, or a judge that looks at every run."""
    return bool(judged or seed["checks"] or seed.get("rubric") or seed["expected_outcome"] == "refusal")


def first_verdict(seed: dict[str, Any], *, judged: bool) -> str:
    """Give the verdict of a run that was not graded yet; `seed` is the task's, as stored."""
    return "PENDING" if is_gradable(seed, judged=judged) else "NOT APPLICABLE"
