"""What is wrong with an input, said so that its author can mend it."""

import msgspec


class FieldError(msgspec.Struct, frozen=True, omit_defaults=True):
    """One fault: where it is, what to do, and the tool or rule it belongs to."""

    loc: tuple[str | int, ...]
    msg: str
    tool: str | None = None

    def under(self, *place: str | int) -> "FieldError":
        """Return the same fault as seen from further out."""
        return FieldError((*place, *self.loc), self.msg, self.tool)
