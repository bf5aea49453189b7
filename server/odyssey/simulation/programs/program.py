"""The program of a tool: what it looks up, what it insists on, what it changes and what it says then."""

from typing import Any, NamedTuple

from odyssey.simulation.engine import Reading
from odyssey.simulation.programs.names import NamedExpressions
from odyssey.simulation.programs.operation import OperationTemplate
from odyssey.simulation.programs.requirement import Requirement
from odyssey.simulation.programs.template import Template

MEMBERS = ("describe", "let", "require", "operations", "after", "response")

_CLASSES = {"add": "create", "remove": "remove"}


class Program(NamedTuple):
    raw: dict[str, Any]
    """As it was written."""
    names: NamedExpressions
    requirements: tuple[Requirement, ...]
    operations: tuple[OperationTemplate, ...]
    names_after: NamedExpressions
    response: Template

    @property
    def uses_calls(self) -> bool:
        """Whether it looks at earlier calls; if not, nobody needs to remember them."""
        return (
            any(names.uses_calls for names in (self.names, self.names_after))
            or any(requirement.uses_calls for requirement in self.requirements)
            or any(operation.uses_calls for operation in self.operations)
            or self.response.uses_calls
        )

    @property
    def reading(self) -> Reading:
        """What it does, by the operations that are written down; the first on an entity says to what."""
        if not self.operations:
            return Reading("read")
        first = next((each for each in self.operations if each.entity_type), self.operations[0])
        fields = first.fields.raw if first.fields is not None and isinstance(first.fields.raw, dict) else {}
        return Reading(_CLASSES.get(first.op, "update"), first.entity_type or None, tuple(fields))
