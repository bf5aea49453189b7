"""What can stand in the way of changing a world."""

from odyssey.core.errors import ConflictError


class WorldChangedError(ConflictError):
    code, title = "world_changed", "The world is not the one that was seen"

    def __init__(self, current: str) -> None:
        super().__init__(
            f"The world was changed meanwhile; its hash is now {current}. Read it again and repeat the change."
        )
