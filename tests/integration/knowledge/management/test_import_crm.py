"""The command that takes the exports of a CRM in."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from knowledge.models import Entity
from tests.factories.knowledge import EntityFactory

pytestmark = pytest.mark.django_db

HUBSPOT = {
    "companies.csv": "Record ID,Company name,Company Domain Name,Industry\n"
    "101,Hollis Provisions,https://www.hollis.example/en,Food\n"
    "102,Marlow Freight,marlow.example,Transport\n",
    "contacts.csv": "Record ID,First Name,Last Name,Email,Associated Company IDs,"
    "Associated Company\n"
    "201,Dana,Lee,dana@hollis.example,101;102,Hollis Provisions\n"
    "202,Sam,Moss,sam@nowhere.example,,Nowhere Ltd\n",
    "deals.csv": "Record ID,Deal Name,Deal Stage,Associated Company\n"
    "301,Hollis renewal 2027,Negotiation,Hollis Provisions\n",
}
SALESFORCE = {
    "Account.csv": "ID,NAME,WEBSITE,PARENTID\n"
    "001A,Hollis Group,hollis-group.example,\n001B,Hollis Provisions,,001A\n",
    "Contact.csv": "ID,ACCOUNTID,FIRSTNAME,LASTNAME,EMAIL\n"
    "003A,001B,Dana,Lee,dana@hollis.example\n",
    "Opportunity.csv": "ID,ACCOUNTID,NAME,STAGENAME\n006A,001B,Renewal,Closed Won\n",
}


def write(folder, files):
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    # The worst order: what belongs to an account comes before it.
    return [folder / name for name in reversed(list(files))]


def run(*paths, **options):
    """Return the exit code and what was printed."""
    output = io.StringIO()
    try:
        call_command("import_crm", *map(str, paths), stdout=output, **options)
    except SystemExit as ended:
        return ended.code, output.getvalue()
    return 0, output.getvalue()


def known():
    """Return every entity as (kind, name, id in the CRM, account, aliases, domains)."""
    rows = Entity.objects.select_related("parent").order_by("external_id", "name")
    return [
        (
            entity.kind,
            entity.name,
            entity.external_id,
            entity.parent.name if entity.parent else "",
            entity.aliases,
            entity.domains,
        )
        for entity in rows
    ]


def test_import_crm__hubspot(tmp_path):
    paths = write(tmp_path, HUBSPOT)

    code, output = run(*paths, dry_run=True)
    assert code == 0
    assert "5 would be imported, 0 need attention (5 added, 0 updated, 0 unchanged)" in output
    assert known() == []

    code, output = run(*paths)
    assert code == 0
    assert "line 3, Sam Moss: There is no one account 'Nowhere Ltd'; import accounts" in output
    assert known() == [
        ("company", "Hollis Provisions", "101", "", [], ["hollis.example"]),
        ("company", "Marlow Freight", "102", "", [], ["marlow.example"]),
        ("person", "Dana Lee", "201", "Hollis Provisions", ["dana@hollis.example"], []),
        ("person", "Sam Moss", "202", "", ["sam@nowhere.example"], []),
        ("deal", "Hollis renewal 2027", "301", "Hollis Provisions", [], []),
    ]

    _, output = run(*paths)
    assert "5 imported, 0 need attention (0 added, 0 updated, 5 unchanged)" in output


def test_import_crm__salesforce(tmp_path):
    run(*write(tmp_path, SALESFORCE))

    assert known() == [
        ("company", "Hollis Group", "001A", "", [], ["hollis-group.example"]),
        ("company", "Hollis Provisions", "001B", "Hollis Group", [], []),
        ("person", "Dana Lee", "003A", "Hollis Provisions", ["dana@hollis.example"], []),
        ("deal", "Renewal", "006A", "Hollis Provisions", [], []),
    ]


def test_import_crm__what_was_added_by_hand_stays_and_takes_the_id(tmp_path):
    EntityFactory(
        name="hollis provisions", kind="company", aliases=["Hollis"], domains=["hollis.example"]
    )
    run(*write(tmp_path, {"companies.csv": HUBSPOT["companies.csv"]}))

    assert known()[0] == (
        "company",
        "Hollis Provisions",
        "101",
        "",
        ["Hollis"],
        ["hollis.example"],
    )


def test_import_crm__a_bad_line_never_stops_the_rest(tmp_path):
    text = f"Record ID,Company name\n1,\n{'2' * 201},Long Ltd\n3,Good Ltd\n4,{'x' * 301}\n"
    paths = write(tmp_path, {"companies.csv": text})

    code, output = run(*paths, json=True)

    record = json.loads(output)
    assert code == 3
    assert (record["added"], record["failed"]) == (2, 2)
    assert [(line["line"], line["reason"][:30], line["warnings"]) for line in record["lines"]] == [
        (2, "it has no name.", []),
        (3, "external_id: Ensure this value", []),
        (5, "", ["The name has 301 characters and was cut."]),
    ]
    assert [row[1] for row in known()] == ["Good Ltd", "x" * 300]
    assert run(*paths, allow_failures=True)[0] == 0


def test_import_crm__other_headers(tmp_path):
    text = '{"symbol": "MMM", "security": "3M"}\n{"symbol": "AOS", "security": "A. O. Smith"}\n'
    (path,) = write(tmp_path, {"list.jsonl": text})

    with pytest.raises(CommandError, match="these columns do not tell; name one of company"):
        run(path)
    with pytest.raises(CommandError, match="no column holds the name; the columns are symbol"):
        run(path, kind="company")
    with pytest.raises(CommandError, match="no column 'Name'; the columns are symbol, security"):
        run(path, kind="company", map=["name=Name"])
    with pytest.raises(CommandError, match="'title=symbol' is not FIELD=COLUMN"):
        run(path, kind="company", map=["title=symbol"])
    run(path, kind="company", map=["name=security", "external_id=symbol", "aliases=symbol"])

    assert [row[:3] for row in known()] == [
        ("company", "A. O. Smith", "AOS"),
        ("company", "3M", "MMM"),
    ]


def test_import_crm__no_file(tmp_path):
    with pytest.raises(CommandError, match=r"none\.csv: The file cannot be read"):
        run(tmp_path / "none.csv")
    with pytest.raises(CommandError, match=r"a\.pdf: give a file of \.csv"):
        run(tmp_path / "a.pdf")
