import os

import pytest

from knowledge.ingestion.extract.limits import ExtractionLimits
from knowledge.ingestion.extract.reader import read_file
from tests.unit.knowledge.ingestion.extract.documents import STATED, read, zipped


def test_read_content__empty_file():
    extraction = read("zero.txt", b"")

    assert (extraction.status, extraction.reason) == ("no_text", "The file is empty")


@pytest.mark.parametrize("content", ["   \n\t", "\u200b\ufeff", "\x00\x00\x00", "--- | ---"])
def test_read_content__nothing_to_read(content):
    extraction = read("blank.txt", content)

    assert (extraction.status, extraction.reason) == ("no_text", "The file holds no text")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.txt", b"MZ\x90\x00\x03" + bytes(50), "This is a program, not a document"),
        (
            "a.pdf",
            b"<html><h1>404 Not Found</h1></html>",
            "The file is named .pdf but holds a web page: get it again from where it came from",
        ),
        (
            "a.msg",
            b"plain words",
            "The file is named .msg but holds something else: get it again from where it came from",
        ),
        (
            "a.docx",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
            "The file is protected by a password: save it without one",
        ),
        (
            "a.pdf",
            b"%PDF-1.7\n" + bytes(range(256)) * 4,
            "The file is damaged and cannot be read: open it, save it anew and try again",
        ),
    ],
)
def test_read_content__refused(name, content, reason):
    extraction = read(name, content)

    assert (extraction.status, extraction.reason) == ("refused", reason)


def test_read_content__picture():
    extraction = read("scan.png", b"\x89PNG\r\n\x1a\n" + bytes(20))

    assert (extraction.status, extraction.reason) == (
        "no_text",
        "This is a picture: its text cannot be read without OCR",
    )


def test_read_content__page_without_the_right_name():
    extraction = read("saved.txt", "<!DOCTYPE html><html><body><h1>Offer</h1></body></html>")

    assert (extraction.text.strip(), extraction.mime_type) == ("# Offer", "text/html")


def test_read_content__table_stays_as_written():
    source = 'id,name\r\n1,"Line one\nline two"\r\n'

    extraction = read("a.csv", source.encode("utf-8-sig"))

    assert (extraction.text, extraction.encoding) == (source, "utf-8-sig")


def test_read_content__long_text_is_cut_and_flagged():
    extraction = read("a.txt", "x" * 100, max_characters=10)

    assert extraction.text == "x" * 10
    assert extraction.warnings == ("Only the first 10 characters were taken",)


def test_read_file__size_limit(tmp_path):
    (tmp_path / "big.txt").write_bytes(b"x" * 2_000_001)

    extraction = read_file(tmp_path / "big.txt", ExtractionLimits(max_file_bytes=1_000_000))

    assert extraction.reason == "The file has 2 MB, more than the 1 MB allowed: split it"


def test_read_file__paths_that_are_no_files(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    paths = (tmp_path / "absent.txt", tmp_path, tmp_path / "pipe", tmp_path / "a\x00b")

    assert [read_file(path, ExtractionLimits()).reason for path in paths] == [
        "There is no file at this path",
        "This is a folder, not a file",
        "This is a device or a pipe, not a file",
        "The file cannot be opened: embedded null byte",
    ]


def test_read_content__comments_in_markdown_are_counted():
    extraction = read("a.md", "# Grail\n\n<!-- one -->\ntext <!-- two -->")

    assert "one" in extraction.text
    assert extraction.warnings == ("2 comments that the rendered page does not show, kept",)


def chapter(title, body):
    shown = f"<head><title>{title}</title></head><body><h1>{title}</h1>{body}</body>"
    return f'<html xmlns="http://www.w3.org/1999/xhtml">{shown}</html>'


def test_read_content__book_in_the_order_of_its_spine():
    said = (
        "<dc:title>Plan</dc:title><dc:creator>Ana Brandt</dc:creator>"
        "<dc:language>de-DE</dc:language><dc:date>2029-03-04T10:00:00Z</dc:date>"
    )
    files = (("a", "one.xhtml"), ("b", "two.xhtml"), ("n", "nav.xhtml"))
    manifest = "".join(
        f'<item id="{name}" href="{path}" media-type="application/xhtml+xml"/>'
        for name, path in files
    )
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        f'<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">{said}</metadata>'
        f'<manifest>{manifest}</manifest><spine><itemref idref="b"/><itemref idref="a"/></spine>'
        "</package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/>'
        "</rootfiles></container>"
    )
    book = zipped(
        ("mimetype", "application/epub+zip"),
        ("META-INF/container.xml", container),
        ("OPS/book.opf", package),
        ("OPS/one.xhtml", chapter("Winter", "<h2>Ice</h2><p>Skates</p>")),
        ("OPS/two.xhtml", chapter("Autumn", "<p>Boots</p><script>track()</script>")),
        ("OPS/nav.xhtml", chapter("Contents", "<p>Not in the spine</p>")),
    )

    extraction = read("a.epub", book)

    assert extraction.text == "# Autumn\n\nBoots\n\n# Winter\n\n## Ice\n\nSkates"
    assert extraction.metadata == STATED
