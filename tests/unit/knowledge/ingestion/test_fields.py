from datetime import UTC, datetime

import pytest

from knowledge.ingestion.fields import DocumentFields, FieldReading, read_fields, read_names


def test_read_fields__reads_every_field():
    written = {
        "title": " Notice  of termination ",
        "url": "https://northwind.example/a",
        "type": "News article",
        "published_at": "2031-07-20",
        "entities": ["Northwind", "Dana Lee"],
        "tags": "board, Sales-EU",
        "trust": "0.4",
        "valid_from": "2031-07-01",
        "valid_until": "2031-07-31",
        "supersedes": "notice-1",
        "language": "de-AT",
        "owner": "not a field",
    }

    assert read_fields(written) == FieldReading(
        fields=DocumentFields(
            title="Notice of termination",
            url="https://northwind.example/a",
            source_type="news_article",
            published_at=datetime(2031, 7, 20, tzinfo=UTC),
            entities=("Northwind", "Dana Lee"),
            access_tags=("board", "sales-eu"),
            trust=0.4,
            valid_from=datetime(2031, 7, 1, tzinfo=UTC),
            valid_until=datetime(2031, 7, 31, 23, 59, 59, 999999, tzinfo=UTC),
            supersedes="notice-1",
            language="german",
        )
    )


@pytest.mark.parametrize(
    ("key", "value", "warning"),
    [
        ("trust", "7", "trust: '7' is not a number from 0 to 1; ignored"),
        ("trust", "nan", "trust: 'nan' is not a number from 0 to 1; ignored"),
        ("trust", True, "trust: 'True' is not a single value; ignored"),
        ("published_at", "soon", "published_at: 'soon' is not a date like 2031-07-20; ignored"),
        ("title", ["a"], "title: \"['a']\" is not a single value; ignored"),
        (
            "url",
            "javascript:alert(1)",
            "url: 'javascript:alert(1)' is not an address like https://example.com; ignored",
        ),
        ("type", "Ünïcode", "type: 'ünïcode' is not a source type like news_article; ignored"),
        ("tags", "a b", "tags: 'a b' is not a tag like board or sales-eu; ignored"),
        ("language", "xx", "language: 'xx' is not a language like english or en; ignored"),
    ],
)
def test_read_fields__unusable_value_is_named_and_ignored(key, value, warning):
    assert read_fields({key: value}) == FieldReading(fields=DocumentFields(), warnings=(warning,))


def test_read_fields__nothing_written():
    assert read_fields({"title": "", "tags": [], "trust": None}) == FieldReading(
        fields=DocumentFields()
    )


def test_read_fields__validity_that_ends_before_it_begins():
    reading = read_fields({"valid_from": "2031-07-20", "valid_until": "2031-07-19"})

    assert reading.warnings == ("valid_until: lies before valid_from",)


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("Northwind, Fabrikam", ("Northwind", "Fabrikam")),
        ("Northwind, Inc., Fabrikam", ("Northwind, Inc.", "Fabrikam")),
        ("Lee, Dana; Mori, Ken", ("Lee, Dana", "Mori, Ken")),
        ("a | b | a", ("a", "b")),
        (["Lee, Dana", " "], ("Lee, Dana",)),
        (4711, ("4711",)),
    ],
)
def test_read_names__separators(written, names):
    assert read_names(written) == names
