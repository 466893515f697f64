from datetime import UTC, datetime

import pytest

from knowledge.exceptions import MappingError
from knowledge.ingestion.row_mapping import MappedRows, map_rows, parse_mapping, resolve_mapping
from knowledge.ingestion.rows import read_rows
from knowledge.ingestion.types import ParsedDocument, UnreadableDocument

TICKETS = (
    "Ticket ID,Subject,Description,Created,Account,Tier\n"
    "INC-98765,Pump stops,It stops at -20 degrees,2031-07-20,Northwind,VIP\n"
    "INC-98766,Pump leaks,,2031-07-21,Fabrikam,\n"
)


def test_parse_mapping__reads_each_field():
    assert parse_mapping(["text=subject + body", "external_id=id"]) == {
        "text": "subject + body",
        "external_id": "id",
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["text"], "map: 'text' is not FIELD=COLUMN, such as text=body"),
        (["text="], "map: 'text=' is not FIELD=COLUMN, such as text=body"),
        (
            ["body=text"],
            (
                "map: 'body' is no field; the fields are external_id, text, title, url, type,"
                " published_at, entities, tags, trust, valid_from, valid_until, supersedes,"
                " language"
            ),
        ),
        (
            ["url=a", "url=b"],
            "map: 'url' is given twice; join columns of text and entities with +",
        ),
    ],
)
def test_parse_mapping__wrong_argument(arguments, message):
    with pytest.raises(MappingError) as raised:
        parse_mapping(arguments)

    assert raised.value.message == message


@pytest.mark.parametrize("mapping", [{"text": "Subject+body"}, {"url": "body"}])
def test_resolve_mapping__unknown_column_is_named_with_those_that_exist(mapping):
    field = next(iter(mapping))

    with pytest.raises(MappingError) as raised:
        resolve_mapping(read_rows(TICKETS, "csv"), mapping)

    assert raised.value.message == (
        f"map: {field}: no column 'body';"
        " the columns are Ticket ID, Subject, Description, Created, Account, Tier"
    )


def test_map_rows__guesses_by_the_names_of_the_columns():
    mapped = map_rows(read_rows(TICKETS, "csv"), {})

    assert mapped == MappedRows(
        documents=(
            ParsedDocument(
                external_id="INC-98765",
                title="Pump stops",
                text=(
                    "It stops at -20 degrees\n\nTicket ID: INC-98765\nAccount: Northwind\nTier: VIP"
                ),
                published_at=datetime(2031, 7, 20, tzinfo=UTC),
                metadata={"Account": "Northwind", "Tier": "VIP"},
            ),
            ParsedDocument(
                external_id="INC-98766",
                title="Pump leaks",
                text="Ticket ID: INC-98766\nAccount: Fabrikam",
                published_at=datetime(2031, 7, 21, tzinfo=UTC),
                metadata={"Account": "Fabrikam"},
            ),
        )
    )


def test_map_rows__mapped_text_is_those_columns_alone():
    mapping = {"text": "Subject+description", "entities": "Account", "trust": "Tier"}
    first, second = map_rows(read_rows(TICKETS, "csv"), mapping).documents

    assert first == ParsedDocument(
        external_id="INC-98765",
        text="Pump stops\n\nIt stops at -20 degrees",
        published_at=datetime(2031, 7, 20, tzinfo=UTC),
        entities=("Northwind",),
        warnings=("trust: 'VIP' is not a number from 0 to 1; ignored",),
    )
    assert isinstance(second, ParsedDocument)
    assert second.text == "Pump leaks"


def test_map_rows__entities_of_several_columns():
    rows = 'id,note,account,contact\n1,a,"Hollis, Inc.",Dana Lee; Sam Moss\n2,b,,Dana Lee\n'
    mapping = {"text": "note", "entities": "account+contact"}

    documents = map_rows(read_rows(rows, "csv"), mapping).documents

    assert [document.entities for document in documents] == [
        ("Hollis, Inc.", "Dana Lee", "Sam Moss"),
        ("Dana Lee",),
    ]


def test_map_rows__column_whose_name_holds_a_plus():
    documents = map_rows(read_rows("a+b,c\nyes,no\n", "csv"), {"text": "a+b"}).documents

    assert [document.text for document in documents] == ["yes"]


def test_map_rows__id_that_is_not_unique_is_no_guess_but_may_be_mapped():
    table = read_rows("id,body\n1,first\n1,second\n", "csv")

    guessed = map_rows(table, {})
    mapped = map_rows(table, {"external_id": "id"})

    assert [document.text for document in guessed.documents] == [
        "first\n\nid: 1",
        "second\n\nid: 1",
    ]
    assert [document.text for document in mapped.documents] == ["second\n\nid: 1"]
    assert mapped.warnings == ("line 3: replaces an earlier row '1'",)


def test_map_rows__derived_id_follows_the_content_not_the_place():
    first = map_rows(read_rows("body,by\none,Ada\ntwo,Ken\n", "csv"), {}).documents
    second = map_rows(read_rows("by,body\nKen,two\nAda,one\n", "csv"), {}).documents

    assert [d.external_id for d in first] == [d.external_id for d in reversed(second)]
    assert all(document.external_id.startswith("row-") for document in first)


def test_map_rows__row_without_text():
    table = read_rows("id,body,city\n7,,Malmö\n", "csv")

    assert map_rows(table, {"text": "body"}).documents == (
        UnreadableDocument(external_id="7", reason="line 2 has no text"),
    )
