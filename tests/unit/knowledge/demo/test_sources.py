"""The documents of the demo: each is dated, readable, and of invented people."""

import csv
import email
import email.policy
import json
import re
import zipfile
from datetime import date, datetime, timedelta

import kreuzberg
import pytest

from knowledge.demo.catalogue import DEMO_ROOT, find_documents, load_catalogue
from knowledge.ingestion.front_matter import split_front_matter
from knowledge.ingestion.moments import read_moment

CATALOGUE = load_catalogue()
FILES = sorted(path for path in (DEMO_ROOT / "sources").rglob("*") if path.is_file())
EXPORTS = {source.path: source for source in CATALOGUE.sources if source.path.is_file()}
TEXT_FILES = [path for path in FILES if path.suffix in {".md", ".txt"}]
ENTITY_NAMES = {
    name.casefold()
    for entity in CATALOGUE.entities
    for name in (entity.name, entity.external_id, *entity.aliases)
}
DOMAIN = re.compile(r"\b[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|ai|eu|de|fr|dk|be|nl|uk|us)\b(?!\.)")
ADDRESS = re.compile(r"(?:https?://|[\w.+-]+@)([\w.-]+\w)")


def read_rows(path):
    with path.open(encoding="utf-8", newline="") as lines:
        if path.suffix == ".csv":
            return list(csv.DictReader(lines))
        return [json.loads(line) for line in lines]


def read_markup(path):
    """Everything a file says in plain characters; for packed formats what lies inside."""
    if path.suffix == ".docx":
        with zipfile.ZipFile(path) as package:
            parts = ("word/document.xml", "docProps/core.xml")
            return "\n".join(package.read(name).decode() for name in parts)
    if path.suffix == ".pdf":
        extracted = kreuzberg.extract_file_sync(str(path))
        return f"{extracted.metadata['created_at']}\n{extracted.content}"
    if path.suffix == ".eml":
        message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
        heads = [f"{name}: {value}" for name, value in message.items()]
        parts = [part.get_content() for part in message.walk() if not part.is_multipart()]
        return "\n".join([*heads, *parts])
    return path.read_text(encoding="utf-8")


def published_days(path):
    """The day of each document in a file, as its own format states it."""
    if path in EXPORTS:
        column = EXPORTS[path].mapping["published_at"]
        return [read_moment(row[column]).date() for row in read_rows(path)]
    markup = read_markup(path)
    if path.suffix in {".md", ".txt"}:
        return [split_front_matter(markup).values.published_at.date()]
    if path.suffix == ".eml":
        return [email.utils.parsedate_to_datetime(re.search(r"Date: (.*)", markup)[1]).date()]
    before = {".html": 'published_time" content="', ".docx": "<dcterms:created[^>]*>", ".pdf": "^"}
    return [date.fromisoformat(re.search(before[path.suffix] + r"([\d-]{10})", markup)[1])]


def test_documents__are_dated_over_two_years():
    days = [day for path in FILES for day in published_days(path)]
    assert len(days) == sum(len(find_documents(source)) for source in CATALOGUE.sources)
    assert date(2024, 11, 1) <= min(days) < date(2025, 1, 1)
    assert date(2026, 10, 1) < max(days) <= date(2026, 10, 31)
    assert timedelta(days=650) < max(days) - min(days) < timedelta(days=730)


@pytest.mark.parametrize("path", TEXT_FILES, ids=lambda path: path.name)
def test_front_matter__is_usable(path):
    parsed = split_front_matter(path.read_text(encoding="utf-8"))
    assert parsed.warnings == ()
    assert parsed.other == {}
    assert parsed.values.title
    assert isinstance(parsed.values.published_at, datetime)
    assert {name.casefold() for name in parsed.values.entities} <= ENTITY_NAMES
    assert not parsed.values.supersedes or (path.parent / parsed.values.supersedes).is_file()
    assert 100 <= len(parsed.body.split()) <= 1600


@pytest.mark.parametrize("path", EXPORTS, ids=lambda path: path.name)
def test_exports__fill_every_mapped_field(path):
    mapping = EXPORTS[path].mapping
    for row in read_rows(path):
        assert set(mapping.values()) <= set(row)
        assert len(row[mapping["text"]].split()) >= 40
        written = row[mapping["entities"]]
        names = written if isinstance(written, list) else written.split(";")
        assert {name.strip().casefold() for name in names} <= ENTITY_NAMES


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_documents__name_no_real_domain(path):
    markup = read_markup(path)
    markup = re.sub(r"http://(?:schemas\.|purl\.|www\.w3\.)[\w./-]*", "", markup)
    assert {host for host in ADDRESS.findall(markup) if not host.endswith(".example")} == set()
    assert DOMAIN.findall(markup) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_documents__are_small(path):
    assert path.stat().st_size < 60_000


@pytest.mark.parametrize(
    ("name", "title", "sentence"),
    [
        (
            "contracts/2026-09-brennecke-amendment-2.docx",
            "Amendment No. 2 to framework contract CF-2024-117 (Brennecke)",
            "the contract now ends on 31 December 2028",
        ),
        (
            "contracts/2024-12-brennecke-framework-cf-2024-117.pdf",
            "Framework contract CF-2024-117",
            "begins on 1 January 2025 and ends on 31 December 2026",
        ),
        (
            "product-library/kx-4471-b-data-sheet.pdf",
            "KX-4471-B data sheet, revision 5",
            "Below -40 °C the logger sends a warning",
        ),
        (
            "trade-press/2026-05-nordhavn-meridell.html",
            "Meridell Logistics buys Nordhavn Kølelager for €86 million",
            "took effect on 1 May 2026",
        ),
    ],
)
def test_documents__give_title_and_text(name, title, sentence):
    extracted = kreuzberg.extract_file_sync(str(DEMO_ROOT / "sources" / name))
    assert extracted.metadata["title"] == title
    assert sentence in " ".join(extracted.content.split())


def test_documents__hold_a_mail_that_quotes_another():
    path = DEMO_ROOT / "sources/account-mail/2026-07-08-hollis-four-questions.eml"
    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    assert message.get_content_type() == "multipart/alternative"
    assert [part.get_content_subtype() for part in message.iter_parts()] == ["plain", "html"]
    assert "> Jonah" in message.get_body(("plain",)).get_content()
