"""Reading seeds: what one task gives to the agent, to the world and to the graders."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args

import msgspec

from odyssey.agents.ledger_schema import check_initial_state
from odyssey.core.errors import NotAvailableYetError, ValidationFailedError
from odyssey.grading.checks import LATEST_VERSION, ChecksVersion, depend_on_version, read_checks
from odyssey.grading.judges.rubric import read_rubric
from odyssey.journal.contents import Document, document
from odyssey.kit.ids import MAX_INTEGER_ID
from odyssey.library.behaviours import take_behavior
from odyssey.records.canonical import canonical_json, content_hash
from odyssey.records.faults import did_you_mean, shown
from odyssey.records.problems import FaultList, FieldError
from odyssey.records.tools import LedgerSchema
from odyssey.simulation.rules import read_rules

MAX_INSTRUCTION = 1024 * 1024
_SEED_LIMIT = 2**63

_MEMBERS = frozenset(
    {
        "user_instruction",
        "behavior_instructions",
        "initial_state",
        "failure_rules",
        "expected_outcome",
        "input",
        "checks",
        "checks_version",
        "rubric",
        "random_seed",
        "world_id",
    }
)
_FROM_WORLD = ("initial_state", "behavior_instructions", "failure_rules")
_LATER = frozenset(
    {
        "turn_mode",
        "max_turns",
        "memory_mode",
        "simulator_mode",
        "user_simulator_persona",
        "scripted_user_turns",
        "tracked_constraints",
        "termination_keyword",
    }
)


class SeedWorld(NamedTuple):
    """A named world as seeds go by it: by what it holds now, whatever becomes of its name."""

    id: int
    state_hash: str
    conduct_hash: str
    behavior: str = ""
    types: frozenset[str] = frozenset()
    """Of what it holds."""
    faults: Sequence[str] = ()
    """In what it contradicts the agent's ledger schema."""


class Seed(NamedTuple):
    """With a world, the members that come from it are empty."""

    user_instruction: str
    behavior_instructions: str
    failure_rules: list[Any]
    expected_outcome: str
    input: dict[str, Any]
    checks: list[Any]
    rubric: list[Any]
    random_seed: int | None
    """None: drawn for each run."""
    world: SeedWorld | None
    initial_state: Document = document(b"{}")
    """As text, for it may be large."""
    types: frozenset[str] = frozenset()
    """Of its entities."""
    checks_version: ChecksVersion = LATEST_VERSION
    """Which meaning the checks have."""

    def stored(self) -> dict[str, Any]:
        """Return the seed without what is kept by hash."""
        members = self._asdict()
        del members["world"], members["initial_state"], members["types"]
        if self.checks_version == _FIRST_VERSION or not depend_on_version(self.checks):
            del members["checks_version"]
        if self.world is not None:
            del members["behavior_instructions"], members["failure_rules"]
            members["world_id"] = self.world.id
        return members

    def row_hash(self, state_hash: str, conduct_hash: str | None) -> str:
        """Hash all that the seed says; which name its world had is no part of it."""
        said = {name: value for name, value in self.stored().items() if name != "world_id"}
        return content_hash({**said, "state": state_hash, "conduct": conduct_hash})


_FIRST_VERSION: ChecksVersion = 1
"""Of the meaning of checks: that of stored seeds which say nothing of it."""


def checks_version_of(stored: Mapping[str, Any]) -> ChecksVersion:
    """Which meaning the checks of a stored seed have."""
    version: ChecksVersion = stored.get("checks_version", _FIRST_VERSION)
    return version


def world_ids(raw: bytes) -> set[int]:
    """The worlds that seeds name, as far as they can exist."""
    named = [item.get("world_id") for item in msgspec.json.decode(raw) if isinstance(item, dict)]
    return {each for each in named if type(each) is int and 0 < each <= MAX_INTEGER_ID}


def read_seeds(raw: bytes, ledger_schema: LedgerSchema | None, worlds: Mapping[int, SeedWorld]) -> list[Seed]:
    """Read all seeds of a request, or say everything that is wrong with any of them."""
    read = [read_seed(item, ledger_schema, worlds) for item in msgspec.json.decode(raw)]
    errors = FaultList.of(*(one.errors.under("seeds", index) for index, one in enumerate(read)))
    if errors:
        raise ValidationFailedError(errors)
    later = {member for one in read for member in one.later}
    if later:
        raise NotAvailableYetError(sorted(later))
    return [one.seed for one in read if one.seed is not None]


class ReadSeed(NamedTuple):
    seed: Seed | None
    """None if there are errors."""
    errors: FaultList
    """Each is located within the seed."""
    later: frozenset[str]
    """Members this server does not know what to do with yet."""


def read_seed(
    raw: Any,
    ledger_schema: LedgerSchema | None,
    worlds: Mapping[int, SeedWorld],
    *,
    checks_version: ChecksVersion = LATEST_VERSION,
) -> ReadSeed:
    """Read one seed; `checks_version` is that of its checks where it does not say so itself."""
    reader = _SeedReader(ledger_schema, worlds, checks_version)
    seed = reader.read(raw)
    return ReadSeed(seed, reader.errors, frozenset(reader.later))


class _SeedReader:
    def __init__(
        self,
        ledger_schema: LedgerSchema | None,
        worlds: Mapping[int, SeedWorld],
        checks_version: ChecksVersion,
    ) -> None:
        self._ledger_schema = ledger_schema
        self._worlds = worlds
        self._checks_version = checks_version
        self.errors = FaultList()
        self.later: set[str] = set()
        self._behavior = ""

    def read(self, raw: Any) -> Seed | None:
        if not isinstance(raw, dict):
            self._fault((), "a seed must be an object with at least user_instruction")
            return None
        self._check_members(raw)
        world = self._read_world(raw)
        self._check_grading(raw)
        self._check_own(raw)
        if self.errors:
            return None
        state = _given(raw, "initial_state", {})
        return Seed(
            user_instruction=raw["user_instruction"],
            behavior_instructions=self._behavior,
            initial_state=document(canonical_json(state)),
            types=frozenset(state),
            failure_rules=_given(raw, "failure_rules", []),
            expected_outcome=_given(raw, "expected_outcome", "completion"),
            input=_given(raw, "input", {}),
            checks=_given(raw, "checks", []),
            checks_version=self._read_checks_version(raw) or self._checks_version,
            rubric=_given(raw, "rubric", []),
            random_seed=raw.get("random_seed"),
            world=world,
        )

    def _fault(self, path: tuple[str | int, ...], message: str) -> None:
        self.errors.append(FieldError(loc=path, msg=message))

    def _check_members(self, raw: dict[str, Any]) -> None:
        for member in raw:
            if member in _LATER:
                self.later.add(member)
            elif member not in _MEMBERS:
                hint = "" if self.errors.is_full else did_you_mean(member, _MEMBERS)
                self._fault((member[:100],), f"a seed has no member {shown(member)}{hint}")

    def _check_own(self, raw: dict[str, Any]) -> None:
        instruction = raw.get("user_instruction")
        if not isinstance(instruction, str) or not instruction.strip():
            self._fault(("user_instruction",), "user_instruction must be a non-empty string")
        elif len(instruction) > MAX_INSTRUCTION:
            self._fault(
                ("user_instruction",), f"user_instruction is longer than {MAX_INSTRUCTION} characters"
            )
        if not isinstance(_given(raw, "input", {}), dict):
            self._fault(("input",), "input must be an object: the row's current state")
        seed = raw.get("random_seed")
        if seed is not None and not (type(seed) is int and -_SEED_LIMIT <= seed < _SEED_LIMIT):
            self._fault(("random_seed",), "random_seed must be a 64-bit integer")

    def _read_world(self, raw: dict[str, Any]) -> SeedWorld | None:
        world_id = raw.get("world_id")
        if world_id is None:
            self._check_own_world(raw)
            return None
        for member in _FROM_WORLD:
            if raw.get(member) is not None:
                self._fault((member,), f"{member} comes from the world; leave it or world_id out")
        if type(world_id) is not int:
            self._fault(("world_id",), f"world_id must be the id of a world, not {shown(world_id)}")
            return None
        world = self._worlds.get(world_id)
        if world is None:
            self._fault(("world_id",), f"there is no world {world_id}")
            return None
        for fault in world.faults:
            self._fault(("world_id",), fault)
        return world

    def _check_own_world(self, raw: dict[str, Any]) -> None:
        state = raw.get("initial_state")
        if state is not None:
            self.errors += check_initial_state(state, self._ledger_schema)
        rules = raw.get("failure_rules")
        if rules is not None:
            self.errors += read_rules(rules).errors
        if raw.get("behavior_instructions") is not None:
            self._behavior, wrong = take_behavior(raw["behavior_instructions"])
            self.errors += wrong

    def _check_grading(self, raw: dict[str, Any]) -> None:
        if _given(raw, "expected_outcome", "completion") not in ("completion", "refusal"):
            self._fault(("expected_outcome",), "expected_outcome must be 'completion' or 'refusal'")
        version = self._read_checks_version(raw)
        if version is not None and raw.get("checks") is not None:
            self.errors += read_checks(raw["checks"], version).errors
        if raw.get("rubric") is not None:
            self.errors += read_rubric(raw["rubric"]).errors

    def _read_checks_version(self, raw: dict[str, Any]) -> ChecksVersion | None:
        given = _given(raw, "checks_version", self._checks_version)
        if type(given) is not int or given not in get_args(ChecksVersion):
            self._fault(("checks_version",), "checks_version must be 1 or 2")
            return None
        return 1 if given == 1 else 2


def _given(raw: dict[str, Any], member: str, default: Any) -> Any:
    """Null is the same as absent; every other value is what was meant."""
    return default if raw.get(member) is None else raw[member]
