"""How much two runs differ in what they changed: entities, by what they became, and flags.

Changed and removed entities are compared by their ids. Added ones often have ids made up during the run: they are
compared by everything but the id, whatever the order in which they came.
"""

from typing import Any

from odyssey.evals.parts.differs import Differs
from odyssey.evals.parts.json_overlap import first_json_difference, overlap_distance
from odyssey.records.canonical import canonical_json
from odyssey.records.ledger import Difference


def as_tree(difference: Difference | None) -> dict[str, Any]:
    """Write a difference as JSON whose leaves are what changed; empty if nothing did."""
    tree: dict[str, Any] = {}
    if difference is None:
        return tree
    for change in difference.changes:
        of_type = tree.setdefault(change.kind, {})
        after = change.after or {}
        if change.kind == "added":
            without_id = {name: value for name, value in after.items() if value != change.id}
            of_type.setdefault(change.entity_type, []).append(without_id)
        elif change.kind == "changed":
            fields = {name: after.get(name) for name in change.fields}
            of_type.setdefault(change.entity_type, {})[change.id] = fields
        else:
            of_type.setdefault(change.entity_type, {})[change.id] = True
    for entities in tree.get("added", {}).values():
        entities.sort(key=canonical_json)
    for name, flags in (("flags_set", difference.flags_set), ("flags_cleared", difference.flags_cleared)):
        if flags:
            tree[name] = dict.fromkeys(flags, True)
    return tree


def ledger_distance(left: dict[str, Any], right: dict[str, Any]) -> float:
    """Compare two trees; one in which nothing changed has nothing in common with one in which something did."""
    return overlap_distance(left, right)


def first_ledger_difference(left: dict[str, Any], right: dict[str, Any]) -> Differs | None:
    return first_json_difference(left, right, "ledger")
