"""Entities as people have them in files: rows of a CSV table, a list of JSON objects, or objects by id."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from odyssey.core.errors import ValidationFailedError
from odyssey.kit.json_reader import JsonInvalidError, read_json
from odyssey.library.tables import Table
from odyssey.records.faults import Faults, shown
from odyssey.records.ledger import Fields
from odyssey.worlds.schema import id_text
from odyssey.worlds.stored_state import StoredState

_MOST_WARNINGS = 100
_LITERAL_STARTS = frozenset("-0123456789tfn{[")
_NOTHING = object()


class ImportRow(NamedTuple):
    id: str
    fields: Fields


def read_json_rows(
    document: Any, entity_type: str, id_field: str | None
) -> tuple[list[ImportRow], list[str]]:
    """Read a list of objects, or an object of objects by id; returns the rows and warnings.

    Raises ValidationFailedError with every fault.
    """
    faults = Faults("rows")
    if isinstance(document, dict):
        rows = [_keyed(key, item, id_field, faults.at(key)) for key, item in document.items()]
    elif isinstance(document, list):
        first = next((item for item in document if isinstance(item, dict)), None)
        chosen = "" if first is None else choose_id_field(list(first), entity_type, id_field)
        rows = _listed(document, chosen, faults)
    else:
        raise _refusal(
            "body", f"send a list of objects, or an object of objects by id, not {shown(document)}"
        )
    if faults.found:
        raise ValidationFailedError(faults.found)
    return [row for row in rows if row is not None], [] if rows else ["there are no rows"]


def read_csv_rows(body: bytes, entity_type: str, id_field: str | None) -> tuple[list[ImportRow], list[str]]:
    """Read a table with a header, as `read_json_rows` reads JSON.

    An empty cell is a field the entity does not have. A column is JSON if all its other cells are numbers, true, false,
    null, objects or arrays; otherwise it is text.
    """
    faults = Faults()
    table = Table(body, faults)
    lines = [row.cells or [] for row in table.rows(faults)] if table.header else []
    if faults.found:
        raise ValidationFailedError(faults.found)
    header = table.header
    chosen = choose_id_field(header, entity_type, id_field)
    warnings: list[str] = []
    columns = [_column(name, [line[at] for line in lines], warnings) for at, name in enumerate(header)]
    objects = [
        {name: value for name, value in zip(header, cells, strict=True) if value is not _NOTHING}
        for cells in zip(*columns, strict=True)
    ]
    rows = _listed(objects, chosen, faults.at("rows"))
    if faults.found:
        raise ValidationFailedError(faults.found)
    if not rows:
        warnings.append("there are no rows")
    return [row for row in rows if row is not None], warnings[:_MOST_WARNINGS]


def choose_id_field(names: Sequence[str], entity_type: str, given: str | None) -> str:
    """Take the field that was asked for, else `id`, else `<entity_type>_id`."""
    if given is not None:
        if names and given not in names:
            raise _refusal("query", f"no row has a field {shown(given)}", "id_field")
        return given
    for name in ("id", f"{entity_type}_id"):
        if name in names:
            return name
    hint = "; separate the columns by commas" if len(names) == 1 and ";" in names[0] else ""
    raise _refusal(
        "query", f"say which field holds the id: there is no id or {entity_type}_id{hint}", "id_field"
    )


def _listed(objects: Sequence[Any], id_field: str, faults: Faults) -> list[ImportRow | None]:
    seen: dict[str, int] = {}
    rows = [_row(item, id_field, faults.at(position)) for position, item in enumerate(objects)]
    for position, row in enumerate(rows):
        if row is not None and seen.setdefault(row.id, position) != position:
            faults.at(position, id_field).add(f"{shown(row.id)} is the id of row {seen[row.id]} already")
    return rows


def _row(item: Any, id_field: str, faults: Faults) -> ImportRow | None:
    if not isinstance(item, dict):
        faults.add(f"a row must be an object, not {shown(item)}")
        return None
    if id_field not in item:
        faults.at(id_field).add("the row has no id")
        return None
    entity_id = id_text(item[id_field])
    if not entity_id:
        faults.at(id_field).add(f"an id must be a text or an integer, not {shown(item[id_field])}")
        return None
    return ImportRow(entity_id, item)


def _keyed(key: str, item: Any, id_field: str | None, faults: Faults) -> ImportRow | None:
    if not isinstance(item, dict):
        faults.add(f"an entity must be an object of its fields, not {shown(item)}")
    elif not key:
        faults.add("an entity id must not be empty")
    elif id_field is not None and id_text(item.get(id_field, key)) != key:
        faults.at(id_field).add(f"is {shown(item[id_field])} but the entity stands under {shown(key)}")
    else:
        return ImportRow(key, item)
    return None


def _column(name: str, cells: list[str], warnings: list[str]) -> list[Any]:
    """Read all cells of a column as JSON, or all as text."""
    read: list[Any] = []
    for position, cell in enumerate(cells):
        value = _literal(cell) if cell else _NOTHING
        if value is _NOTHING and cell:
            if any(each is not _NOTHING for each in read):
                warnings.append(f"column {shown(name)} is kept as text: row {position} has {shown(cell)}")
            return [cell or _NOTHING for cell in cells]
        read.append(value)
    if cells and all(value is _NOTHING for value in read):
        warnings.append(f"column {shown(name)} is empty and left out")
    return read


def _literal(cell: str) -> Any:
    """Read a number, true, false, null, an object or an array; whatever else it is, it is text."""
    if cell.lstrip()[:1] not in _LITERAL_STARTS:
        return _NOTHING
    try:
        return read_json(cell)
    except JsonInvalidError:
        return _NOTHING


def _refusal(place: str, message: str, *steps: str) -> ValidationFailedError:
    faults = Faults(place)
    faults.add(message, *steps)
    return ValidationFailedError(faults.found)


# Taking rows of one type into a world.

Mode = Literal["merge", "replace"]


class ImportCounts(NamedTuple):
    added: int
    changed: int
    removed: int


def take_in(state: StoredState, entity_type: str, rows: Sequence[ImportRow], mode: Mode) -> ImportCounts:
    """Merge: known entities keep the fields a row does not have. Replace: the rows are all there is of the type."""
    known = state.ids(entity_type)
    added = changed = 0
    state.declare(entity_type)
    for row in rows:
        kept = state.get(entity_type, row.id) if mode == "merge" else None
        is_other = state.put(entity_type, row.id, {**(kept or {}), **row.fields})
        if row.id not in known:
            added += 1
        elif is_other:
            changed += 1
    surplus = known.difference(row.id for row in rows) if mode == "replace" else set()
    for entity_id in surplus:
        state.remove(entity_type, entity_id)
    return ImportCounts(added, changed, len(surplus))
