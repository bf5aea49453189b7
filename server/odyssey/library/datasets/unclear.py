"""Lines of rows' behaviours that are not understood, said of their rows."""

from collections.abc import Iterator

from odyssey.agents.compiled import CompiledAgent
from odyssey.library.behaviours.reading import known_of, unclear_lines
from odyssey.library.behaviours.unclear import Said, said_of
from odyssey.library.seeds import Seed
from odyssey.records.problems import FieldError

_MOST_LOOKED_AT = 100
_MOST_TOLD = 20


def unclear_notes(seed: Seed, agent: CompiledAgent | None = None) -> Iterator[FieldError]:
    """Name them; each is located within the row."""
    text, types = said_of(seed)
    known = (
        known_of(None, None, types) if agent is None else known_of(agent.tools, agent.ledger_schema, types)
    )
    for line in unclear_lines(text, known):
        whose = "the behaviour" if seed.world is None else f"the behaviour of world {seed.world.id}"
        member = "behavior_instructions" if seed.world is None else "world_id"
        message = f"line {line.line} of {whose} is not understood: {line.told()}"
        yield FieldError(loc=(member,), msg=message)


class FirstUnclear:
    """Looks at the first behaviours of an upload that differ; to look at all is what lint is for."""

    def __init__(self) -> None:
        self._looked_at: set[Said] = set()
        self.warnings: list[FieldError] = []

    def look(self, position: int, seed: Seed) -> None:
        said = said_of(seed)
        if not said.text.strip() or said in self._looked_at or len(self._looked_at) >= _MOST_LOOKED_AT:
            return
        self._looked_at.add(said)
        for note in unclear_notes(seed):
            if len(self.warnings) < _MOST_TOLD:
                place = ("rows", position, *note.loc)
                self.warnings.append(FieldError(loc=place, msg=f"row {position}: {note.msg}"))
