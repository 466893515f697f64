import struct
import zlib
from pathlib import Path

import pytest

from knowledge.ingestion.extract.ocr import find_language_data
from tests.unit.knowledge.ingestion.extract.documents import read
from tests.unit.knowledge.ingestion.extract.test_pdf import pdf

# Rows of five for each letter.
LETTERS = {
    "H": "10001 10001 10001 11111 10001 10001 10001",
    "E": "11111 10000 10000 11110 10000 10000 11111",
    "L": "10000 10000 10000 10000 10000 10000 11111",
}
SCALE = 12


def picture(word):
    """Draw a word in black on white as a PNG."""
    margin = [0] * 8
    rows = [
        [*margin, *(int(bit) for letter in word for bit in LETTERS[letter].split()[row] + "00")]
        for row in range(7)
    ]
    width = len(rows[0]) + len(margin)
    blank = [0] * width
    lines = [blank] * 8 + [[*row, *margin] for row in rows] + [blank] * 8
    pixels = b"".join(
        (b"\x00" + bytes(255 * (1 - bit) for bit in line for _ in range(SCALE))) * SCALE
        for line in lines
    )
    header = struct.pack(">IIBBBBB", width * SCALE, len(lines) * SCALE, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(pixels)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in chunks
    )


@pytest.mark.parametrize("name", ["scan.png", "scan.pdf"])
def test_read_scan__only_where_a_setting_asks(name):
    content = pdf() if name == "scan.pdf" else picture("HEEL")

    extraction = read(name, content)

    assert extraction.status == "no_text"
    assert "OCR" in extraction.reason
    assert "OCR_LANGUAGES" not in extraction.reason


@pytest.mark.parametrize("languages", ["qqq", "../../etc/passwd"])
def test_read_scan__without_data_of_the_language(languages):
    extraction = read("scan.pdf", pdf(), ocr_languages=languages)

    assert extraction.status == "no_text"
    assert extraction.reason == (
        "The PDF has no text layer: it is a scan or pictures only, and needs OCR first."
        f" OCR_LANGUAGES asks for it, but the data of Tesseract for {languages!r}"
        " are not installed"
    )


def test_find_language_data__all_languages_in_one_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    for name in ("xxa", "xxb"):
        Path(tmp_path, f"{name}.traineddata").touch()

    assert find_language_data("xxa+xxb") == tmp_path
    assert find_language_data("xxa+xxc") is None


@pytest.mark.skipif(find_language_data("eng") is None, reason="needs Tesseract's English data")
def test_read_scan__nothing_recognised():
    extraction = read("scan.pdf", pdf(), ocr_languages="eng")

    assert (extraction.status, extraction.reason) == (
        "no_text",
        "It is a scan or a picture in which OCR found no text",
    )
