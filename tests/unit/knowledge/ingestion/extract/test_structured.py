import pytest

from knowledge.ingestion.extract.structured import (
    read_json,
    read_json_lines,
    read_notebook,
    read_xml,
)
from tests.unit.knowledge.ingestion.extract.documents import read


def test_read_json__readable_lines():
    reading = read_json(
        '{"name": "Acme", "seats": 1.50, "tags": ["a", "b"], "owner": {"id": null}}'
    )

    assert reading.text == "name: Acme\nseats: 1.50\ntags:\n  - a\n  - b\nowner:\n  id: "


def test_read_json__escapes_and_surrogates():
    assert read_json(r'{"a": "caf\u00e9", "b": "x\ud83d", "c": "n\u0000"}').text == (
        "a: café\nb: x\ufffd\nc: n\x00"
    )


def test_read_json__broken_is_plain_text():
    reading = read_json('{"name": "Acme", ')

    assert reading.text == '{"name": "Acme", '
    assert reading.warnings == ("The file is not valid JSON: taken as plain text",)


@pytest.mark.parametrize("content", ["[" * 10_000 + "]" * 10_000, '{"a":' * 500 + "1" + "}" * 500])
def test_read_json__nested_beyond_reason(content):
    extraction = read("deep.json", content)

    assert extraction.reason == "The file is nested too deeply to be read"


def test_read_json_lines__bad_line_is_skipped_and_named():
    reading = read_json_lines('{"id": 1}\n{"id": \n\n{"id": 3}\n')

    assert reading.text == "id: 1\n\nid: 3"
    assert reading.warnings == ("Line 2 is not valid JSON and was skipped",)


def test_read_notebook__cells():
    reading = read_notebook(
        '{"cells": [{"cell_type": "markdown", "source": ["# Plan"]},'
        ' {"cell_type": "code", "source": "print(1)", "outputs": [{"text": ["1"]}]}]}'
    )

    assert reading.text == "# Plan\n\n```\nprint(1)\n```\n\n1"


def test_read_xml__elements_attributes_and_mixed_text():
    reading = read_xml(
        '<crm><name>Acme &amp; Co</name><contact mail="a@x.example"/>'
        "<p>Due <b>now</b> please</p></crm>"
    )

    assert reading.text == "name: Acme & Co\ncontact: a@x.example\np: Due now please"


def test_read_xml__entities_are_not_expanded():
    levels = "".join(
        f'<!ENTITY {name} "{f"&{before};" * 10}">'
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    )

    reading = read_xml(f'<!DOCTYPE l [<!ENTITY a "ha">{levels}]><l>before &i; after</l>')

    assert reading.text == "l: before after"
    assert reading.warnings == ("The file declares XML entities: they were not expanded",)


@pytest.mark.parametrize("name", ["feed.rss", "drawing.svg", "export.xml"])
def test_read_xml__external_entity_is_not_fetched(name, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("top secret")
    document = (
        f'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
        "<d><text>before &x; after</text></d>"
    )

    assert read(name, document).text == "text: before after"


def test_read_xml__not_well_formed():
    reading = read_xml("<a>first<b>second</a>")

    assert reading.text.split() == ["first", "second"]
    assert reading.warnings == (
        "The XML is not well-formed (line 1): only its plain text was taken",
    )
