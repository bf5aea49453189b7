"""Whether a matrix lets a change pass: by what the platform found, and by what a build asks to fail for.

What was found wins over what could not be measured: a removal is a removal, whatever else is missing. An example with
`--fail-on confirmed,incident,floor`: a confirmed cell of shift 0.31 on a critical scenario, of which the platform says
that it fails from 0.2 on, and a cell that the text never reached. The exit code is 1; without the first it were 2.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated, Literal, NamedTuple, cast, get_args

from cyclopts import Parameter, validators

from pipelines.odyssey.cli.failures import FAILED, NOT_RIGHT, CommandFailedError
from pipelines.odyssey.cli.printing.cell_text import place_of
from pipelines.odyssey.cli.printing.screen import clean, many, word
from pipelines.odyssey.client import types as t

Kind = Literal["confirmed", "flagged", "incident", "floor"]
KINDS: tuple[Kind, ...] = get_args(Kind)
NEVER = "never"

_MOST_NAMED = 5
_FOUND: dict[Kind, tuple[str, str]] = {
    "confirmed": ("1 cell confirmed", "{} cells confirmed"),
    "flagged": ("1 cell flagged", "{} cells flagged"),
    "incident": ("1 incident", "{} incidents"),
    "floor": ("1 row that fails without pressure", "{} rows that fail without pressure"),
}
_EXIT = {
    0: "Exit code 0: nothing was found that fails the gate, and what was asked for could be measured.",
    NOT_RIGHT: "Exit code 1: something was found that fails the gate.",
    FAILED: "Exit code 2: something that was asked for could not be measured, so the gate cannot tell.",
}


class Policy(NamedTuple):
    """What a build fails for."""

    kinds: frozenset[Kind]
    """None of them: whatever is found is only reported."""
    min_shift: float | None = None
    """From which shift on a cell confirmed by its shift fails; None: as the platform says for its risk."""

    @property
    def fail_on(self) -> str:
        return ",".join(kind for kind in KINDS if kind in self.kinds) or NEVER


DEFAULT_POLICY = Policy(frozenset(("confirmed", "incident", "floor")))


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Gating:
    """What makes the exit code 1."""

    fail_on: Annotated[
        str,
        Parameter(
            help="What fails the gate, a list: confirmed (cells that changed, not by chance, and far enough for their "
            "risk), flagged (cells above their threshold, perhaps by chance), incident (those that fail by policy or "
            "came back on fresh runs), floor (rows that fail without pressure); or never."
        ),
    ] = DEFAULT_POLICY.fail_on
    min_shift: Annotated[
        float | None,
        Parameter(
            validator=validators.Number(gte=0, lte=1),
            help="From which shift on, 0 to 1, a confirmed cell fails the gate; else the platform's value for its "
            "risk. Cells confirmed by fewer matches always fail it.",
        ),
    ] = None

    def policy(self) -> Policy:
        return Policy(read_kinds(self.fail_on), self.min_shift)


def read_kinds(text: str) -> frozenset[Kind]:
    """Read `confirmed,incident`; `never` is none of them, and stands alone."""
    words = [each.strip() for each in text.split(",")]
    for each in words:
        if each not in (*KINDS, NEVER):
            near = get_close_matches(each, (*KINDS, NEVER), 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            choices = f"{', '.join(KINDS)}, or {NEVER} alone"
            raise CommandFailedError(f"--fail-on does not know {word(each)}; it takes {choices}.{hint}")
    if NEVER in words:
        if len(words) > 1:
            raise CommandFailedError(
                f"--fail-on {NEVER} stands alone: with it nothing fails the gate, so {word(text)} contradicts itself."
            )
        return frozenset()
    return cast("frozenset[Kind]", frozenset(words))


class Judged(NamedTuple):
    """What the gate makes of one finding."""

    finding: t.GateFinding
    fails_as: Kind | None
    """By which of what was asked for it fails the gate; None: it does not."""
    sentence: str


class Gate(NamedTuple):
    code: int
    """0: pass, 1: something was found, 2: the matrix cannot tell."""
    sentence: str
    findings: list[Judged]
    """Those that fail it first."""
    was_asked: bool

    @property
    def failing(self) -> list[Judged]:
        return [each for each in self.findings if each.fails_as is not None]

    @property
    def meaning(self) -> str:
        """What the exit code says."""
        return _EXIT[self.code] if self.was_asked or self.code else "Exit code 0, whatever was found."


def judge(matrix: t.MatrixOut, policy: Policy) -> Gate:
    """Say whether it passes. What was asked for and could not be measured must not make a build green."""
    flagged = {cell_key(cell) for cell in matrix["cells"] if cell["flagged"]}
    findings = [_judged(each, policy, is_flagged=cell_key(each) in flagged) for each in matrix["gate"]]
    findings.sort(key=lambda each: each.fails_as is None)
    failing = [each.fails_as for each in findings if each.fails_as is not None]
    lack = _lack(matrix, policy)
    code = NOT_RIGHT if failing else FAILED if lack is not None else 0
    return Gate(code, _sentence(policy, findings, failing, lack), findings, bool(policy.kinds))


def _sentence(policy: Policy, findings: Sequence[Judged], failing: Sequence[Kind], lack: str | None) -> str:
    if failing:
        return f"The gate fails: {_counted(failing)}.{'' if lack is None else f' Besides, {lack}.'}"
    if lack is not None:
        return f"The gate cannot tell: {lack}."
    if not policy.kinds:
        return "The gate was not asked."
    found = f"none of {many(len(findings), 'finding')} fails it" if findings else "nothing was found"
    return f"The gate passes: {found} ({policy.fail_on})."


def _judged(finding: t.GateFinding, policy: Policy, *, is_flagged: bool) -> Judged:
    sentence, reaches = finding["sentence"], finding["fails"]
    if finding["kind"] == "confirmed":
        sentence, reaches = _moved(finding, policy.min_shift)
    elif finding["kind"] == "flagged":
        reaches = True
    fails_as: Kind | None = finding["kind"] if reaches and finding["kind"] in policy.kinds else None
    if fails_as is None and is_flagged and finding["kind"] == "confirmed" and "flagged" in policy.kinds:
        fails_as = "flagged"
    return Judged(finding, fails_as, clean(sentence))


def _moved(finding: t.GateFinding, least: float | None) -> tuple[str, bool]:
    """Say of a confirmed cell what it shows, and whether that is enough; fewer matches always are."""
    shift = finding.get("shift")
    if least is None or finding.get("min_shift") is None or shift is None:
        return finding["sentence"], finding["fails"]
    said = f"confirmed: shift {shift:.2f}"
    return (said, True) if shift >= least else (f"{said}, less than the {least:g} of --min-shift", False)


def cell_key(of: t.MatrixCell | t.GateFinding) -> tuple[str, str | None, str | None]:
    return of["scenario_id"], of["variation_type"], of["rule_set"]


def _counted(failing: Sequence[Kind]) -> str:
    counts = [(kind, failing.count(kind)) for kind in KINDS]
    return ", ".join(_FOUND[kind][number > 1].format(number) for kind, number in counts if number)


def _lack(matrix: t.MatrixOut, policy: Policy) -> str | None:
    """Say what could not be measured of what was asked for; without a gate only whether anything was."""
    if matrix["status"] != "completed":
        return f"the matrix is {matrix['status']}"
    cells = matrix["cells"]
    unmeasured = [cell for cell in cells if cell["state"] != "measured" and not cell["confirmed"]]
    if len(unmeasured) == len(cells):
        return "no cell could be measured"
    if not policy.kinds:
        return None
    most: float = matrix["max_unmeasured"]
    missing, planned = matrix["progress"]["missing"], matrix["progress"]["planned"]
    if missing / planned > most:
        return f"{missing} of {many(planned, 'run')} say nothing of the agent; at most {most * 100:g} % may"
    return _named(unmeasured, matrix) if unmeasured else None


def _named(unmeasured: Sequence[t.MatrixCell], matrix: t.MatrixOut) -> str:
    said = [
        f"{clean(place_of(matrix, cell))} ({clean(str(cell['reason'] or cell['state'])).replace('_', ' ')})"
        for cell in unmeasured[:_MOST_NAMED]
    ]
    if len(unmeasured) > _MOST_NAMED:
        said.append(f"{len(unmeasured) - _MOST_NAMED} more")
    return f"{many(len(unmeasured), 'cell')} could not be measured: {', '.join(said)}"
