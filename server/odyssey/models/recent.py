"""Which models orgs have named, remembered for a moment: asked on calls that must not wait for the database.

A change in this process is known at once; one in another process, when the moment is over.
"""

from datetime import datetime, timedelta

from odyssey.models.document import Role

KEPT_FOR = timedelta(seconds=5)
_MOST = 10_000


class RecentModels:
    def __init__(self) -> None:
        self._known: dict[tuple[int, Role], tuple[bool, datetime]] = {}
        self.moment = 0
        """Counts the changes, so that what was read before one is not kept after it."""

    def find(self, org_id: int, role: Role, now: datetime) -> bool | None:
        """Whether the org has such a model; None: not known any more."""
        is_named, until = self._known.get((org_id, role), (False, now))
        return is_named if now < until else None

    def keep(self, org_id: int, role: Role, is_named: bool, now: datetime, *, read_at: int) -> None:
        if read_at != self.moment:
            return
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[org_id, role] = (is_named, now + KEPT_FOR)

    def forget(self, org_id: int) -> None:
        self.moment += 1
        for known in [each for each in self._known if each[0] == org_id]:
            del self._known[known]
