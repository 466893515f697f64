import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.exceptions import InvalidDocumentError
from knowledge.ingestion.rows import (
    MAX_COLUMNS,
    Row,
    RowFormat,
    RowTable,
    UnboundedTableError,
    read_rows,
)
from tests.strategies import broken_text


def test_read_rows__csv_keeps_quoted_line_ends_and_counts_lines():
    table = read_rows('\ufeffid,note\r\n1,"two\nlines, one cell"\r\n\r\n2,last\r\n', "csv")

    assert table == RowTable(
        columns=("id", "note"),
        rows=(
            Row(line=2, values={"id": "1", "note": "two\nlines, one cell"}),
            Row(line=5, values={"id": "2", "note": "last"}),
        ),
    )


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_read_rows__csv_finds_the_delimiter_in_the_whole_file(delimiter):
    # The first record alone would let the other signs win.
    lines = ["id^note", *("1^a, b; c | d\te".replace(delimiter, " ") for _ in range(5))]
    table = read_rows("\n".join(lines).replace("^", delimiter), "csv")

    assert table.columns == ("id", "note")
    assert [row.values["id"] for row in table.rows] == ["1"] * 5


def test_read_rows__csv_of_one_column():
    table = read_rows("id\na1\nb2\n", "csv")

    assert table == RowTable(
        columns=("id",), rows=(Row(line=2, values={"id": "a1"}), Row(line=3, values={"id": "b2"}))
    )


def test_read_rows__csv_with_ragged_rows_and_repeated_headers():
    table = read_rows("name,name,\nAda,Lee\nKen,Mori,x,y,z\n", "csv")

    assert table == RowTable(
        columns=("name", "name (2)", "column 3", "column 4", "column 5"),
        rows=(
            Row(line=2, values={"name": "Ada", "name (2)": "Lee"}),
            Row(
                line=3,
                values={
                    "name": "Ken",
                    "name (2)": "Mori",
                    "column 3": "x",
                    "column 4": "y",
                    "column 5": "z",
                },
            ),
        ),
        warnings=(
            "column 'name' appears again; kept as 'name (2)'",
            "line 2: fewer cells than columns; the rest counts as empty",
            "line 3: more cells than columns; kept as column N",
        ),
    )


def test_read_rows__tsv_with_a_cell_above_the_usual_limit():
    table = read_rows(f"id\tnote\n1\t{'x' * 200_000}\n", "tsv")

    assert len(table.rows[0].values["note"]) == 200_000


def test_read_rows__as_many_columns_as_a_spreadsheet_has_and_no_more():
    """Row T30. Names that repeat are told apart without comparing each with all."""
    table = read_rows(f"{',' * (MAX_COLUMNS - 2)}a,a\n1\n", "csv")

    assert len(table.columns) == MAX_COLUMNS
    assert table.columns[-2:] == ("a", "a (2)")
    for text in (f"{',' * MAX_COLUMNS}a\n", f"a,b\n1{',' * 1_000_000}\n"):
        with pytest.raises(UnboundedTableError, match=r"a table may have 16384 columns\.$"):
            read_rows(text, "csv")


def test_read_rows__a_quotation_mark_that_is_never_closed():
    limit = csv.field_size_limit(1_000)
    try:
        with pytest.raises(UnboundedTableError, match=r"line 2 .* quotation mark left open"):
            read_rows('id,note\n1,"never closed\n' + "2,closed\n" * 200, "csv")
    finally:
        csv.field_size_limit(limit)


def test_read_rows__many_ragged_rows_are_one_warning():
    table = read_rows("a,b\n" + "1\n" * 8 + "1,2\n" * 20, "csv")

    assert table.warnings == (
        "lines 2, 3, 4, 5, 6 and 3 more: fewer cells than columns; the rest counts as empty",
    )


def test_read_rows__json_lines_report_what_they_leave_out():
    text = (
        '{"id": 1, "price": 19.90, "tags": ["a", "b"], "at": {"city": "Malmö"}, "gone": null}\n'
        "\n"
        "{broken\n"
        "[1]\n"
        f"{'[' * 100_000}\n"
        '{"id": "x\u2028y", "open": true}\n'
    )

    assert read_rows(text, "jsonl") == RowTable(
        columns=("id", "price", "tags", "at.city", "gone", "open"),
        rows=(
            Row(
                line=1,
                values={
                    "id": "1",
                    "price": "19.90",
                    "tags": "a; b",
                    "at.city": "Malmö",
                    "gone": "",
                },
            ),
            Row(line=6, values={"id": "x\u2028y", "open": "true"}),
        ),
        warnings=(
            "line 3 left out: Expecting property name enclosed in double quotes at column 2",
            "line 4 left out: not an object",
            "line 5 left out: nested too deeply",
        ),
        unreadable_count=3,
    )


@pytest.mark.parametrize("text", ['[{"id": "1"}, 2]', '{"tickets": [{"id": "1"}], "total": 1}'])
def test_read_rows__json_list_alone_or_in_an_object(text):
    assert read_rows(text, "json").rows == (Row(line=1, values={"id": "1"}),)


@pytest.mark.parametrize(
    ("text", "row_format", "message"),
    [
        ("[1", "json", "not a JSON list: Expecting ',' delimiter at column 3"),
        ('"text"', "json", "not a JSON list of objects"),
        ("a,b", "xlsx", "format 'xlsx' is none of csv, tsv, jsonl, json"),
    ],
)
def test_read_rows__refused(text, row_format, message):
    with pytest.raises(InvalidDocumentError) as raised:
        read_rows(text, row_format)

    assert raised.value.message == message


@pytest.mark.parametrize("row_format", ["csv", "tsv", "jsonl"])
@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff"])
def test_read_rows__nothing(text, row_format):
    assert read_rows(text, row_format) == RowTable(columns=(), rows=(), warnings=("no rows",))


@given(broken_text | st.text(st.sampled_from('a1,;\t|"\n\r\x00'), max_size=200))
def test_read_rows__any_text_is_read_or_refused(text):
    for row_format in RowFormat:
        try:
            table = read_rows(text, row_format)
        except InvalidDocumentError:
            assert row_format is RowFormat.JSON
            continue
        assert all(set(row.values) <= set(table.columns) for row in table.rows)
        assert len(set(table.columns)) == len(table.columns)
