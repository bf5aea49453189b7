"""Reading tables: any text survives, any bytes are a table or have a place where they are not, memory is bounded."""

import csv
import io
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.library.tables import MAX_FIELD, Table, csv_line, guarded, unguarded
from odyssey.records.faults import Faults

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)


def read(body: bytes) -> tuple[list[str], list[list[str] | None], list[tuple[tuple[str | int, ...], str]]]:
    faults = Faults(limit=100)
    table = Table(body, faults)
    rows = [row.cells for row in table.rows(faults)] if table.header else []
    return table.header, rows, [(fault.loc, fault.msg) for fault in faults.found]


@given(st.lists(st.lists(TEXT, min_size=2, max_size=2), max_size=5), st.booleans())
def test_what_is_written_is_read_again(rows: list[list[str]], bom: bool) -> None:
    text = io.StringIO(newline="")
    csv.writer(text).writerows([["a", "b"], *rows])
    assert read((b"\xef\xbb\xbf" if bom else b"") + text.getvalue().encode()) == (["a", "b"], rows, [])


@given(st.binary(max_size=60).map(lambda rest: b"a,b\n" + rest))
def test_any_bytes_are_a_table_or_have_a_place_where_they_are_not(body: bytes) -> None:
    _, rows, faults = read(body)
    assert (None in rows) == bool(faults)
    assert all(loc[0] == "rows" and len(loc) == 3 for loc, _ in faults)
    try:
        text = body.decode("utf-8-sig")
        expected = [line for line in csv.reader(io.StringIO(text, newline=""), strict=True) if line][1:]
    except (UnicodeDecodeError, csv.Error):
        assert faults
        return
    if not faults:
        assert rows == expected


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_as_they_do_anywhere_and_blank_ones_are_none(end: str) -> None:
    body = end.join(["a,b", "", '1,"x' + end + 'y"', "", "", "2,z"]).encode()
    assert read(body) == (["a", "b"], [["1", f"x{end}y"], ["2", "z"]], [])
    faults = Faults()
    assert [(row.position, row.line) for row in Table(body, faults).rows(faults)] == [(0, 3), (1, 7)]


@pytest.mark.parametrize(
    ("body", "place", "message"),
    [
        (b"", ("body",), "the table is empty"),
        (b"\r\n\r\n", ("body",), "the table is empty"),
        (b"a,,b\n", ("header", 1), "a column has no name"),
        (b"a,b, a\n", ("header", 2), "two columns are called 'a'"),
        (b"a,b\xff\n", ("header", 1), "line 1: the field is not UTF-8"),
        (b"a,\0\n", ("header", 1), "line 1: the field contains the NUL"),
        (b'a,"b\n', ("header", 1), "line 1: a quote is not closed"),
        (b"a,b\n1,2\n\n3\n", ("rows", 1, "b"), "line 4 has 1 cells, but there are 2 columns"),
        (b"a,b\n1,2,3\n", ("rows", 0, 2), "line 2 has 3 cells, but there are 2 columns"),
        (b"a,b\n1,\xe9\n", ("rows", 0, "b"), "line 2: the field is not UTF-8"),
        (b"a,b\n1,\xed\xa0\x80\n", ("rows", 0, "b"), "line 2: the field is not UTF-8"),
        (b'a,b\n"x\ny",1\n2,\0\n', ("rows", 1, "b"), "line 4: the field contains the NUL"),
        (b'a,b\n1,2\n3,"x\ny', ("rows", 1, "b"), "line 3: a quote is not closed"),
        (b'a,b\n"x, ""y",z\n1,"2"3\n', ("rows", 1, "b"), "line 3: a quote is not closed, or not followed"),
        (b'a,b\n"1"x,2\n', ("rows", 0, "a"), "line 2: a quote is not closed, or not followed"),
        (b"a,b\n1," + b"x" * (MAX_FIELD + 1), ("rows", 0, "b"), "line 2: the field has more than 1048576"),
        (b'a,b\n"%s",2\n' % (b"x" * (MAX_FIELD + 1)), ("rows", 0, "a"), "line 2: the field has more than"),
        (b'a,b\n1,"%s' % (b"xyz\n" * MAX_FIELD), ("rows", 0, "b"), "line 2: the field has more than"),
    ],
)
def test_a_fault_has_its_place_and_its_line(body: bytes, place: tuple[str | int, ...], message: str) -> None:
    _, _, ((loc, found),) = read(body)
    assert loc == place
    assert found.startswith(message)


def test_every_faulty_row_is_named_and_the_sound_ones_are_read() -> None:
    header, rows, faults = read(b"a,b\n1\n2,2\n\xff,\0\n4,4\n")
    assert header == ["a", "b"]
    assert rows == [None, ["2", "2"], None, ["4", "4"]]
    assert [loc for loc, _ in faults] == [("rows", 0, "b"), ("rows", 2, "a"), ("rows", 2, "b")]


def test_a_field_may_be_as_long_as_the_limit() -> None:
    for cell in ("x" * MAX_FIELD, "ß" * MAX_FIELD, "\n" * MAX_FIELD):
        assert read(csv_line(["a"], formula_safe=False).encode() + f'"{cell}"'.encode())[1] == [[cell]]


def test_a_field_may_be_as_long_as_the_limit_with_its_guard() -> None:
    cell = "=" + "x" * (MAX_FIELD - 1)
    body = (csv_line(["a"]) + csv_line([cell])).encode()
    faults = Faults()
    assert [row.cells for row in Table(body, faults, guarded=True).rows(faults)] == [[cell]]


def test_no_more_than_a_row_is_held() -> None:
    line = ("x" * 99 + ",") * 20 + "y\n"
    body = (",".join(f"c{n}" for n in range(21)) + "\n" + line * 5000).encode()
    faults = Faults()
    tracemalloc.start()
    count = sum(1 for _ in Table(body, faults).rows(faults))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 5000
    assert peak < len(body) / 20


FORMULA_STARTS = "=+-@\t\r\n＝＋－＠"
GUARDED = st.text(st.sampled_from("'a" + FORMULA_STARTS), max_size=4) | TEXT
NUMBERS = (st.integers() | st.floats(allow_nan=False, allow_infinity=False)).map(str)


@pytest.mark.parametrize("start", FORMULA_STARTS)
def test_a_formula_is_guarded(start: str) -> None:
    assert guarded(f"{start}1+1") == f"'{start}1+1"
    assert csv_line([f"{start}1", "a,b"]).startswith(("'", "\"'"))


def test_what_is_no_formula_stays() -> None:
    texts = ("", "1=1", " =1", "x", "'", "'quoted'", "don't", "it's =1")
    assert [guarded(text) for text in texts] == [unguarded(text) for text in texts] == list(texts)


@given(st.lists(GUARDED | NUMBERS, min_size=1, max_size=3), st.booleans())
def test_any_text_comes_back_from_a_table_and_a_safe_one_calculates_nothing(
    cells: list[str], formula_safe: bool
) -> None:
    body = (csv_line(["a", "b", "c"][: len(cells)]) + csv_line(cells, formula_safe=formula_safe)).encode()
    faults = Faults()
    assert [row.cells for row in Table(body, faults, guarded=True).rows(faults)] == [cells]
    (written,) = list(csv.reader(io.StringIO(body.decode(), newline="")))[1:]
    if formula_safe:
        assert [cell for cell in written if cell.startswith(tuple(FORMULA_STARTS))] == []
    else:
        assert [cell for cell in cells if not cell.startswith("'")] == [
            cell for cell, given in zip(written, cells, strict=True) if not given.startswith("'")
        ]


def test_a_semicolon_parts_nothing() -> None:
    assert csv_line(["a;=1", "b"]) == '"a;=1",b\r\n'
