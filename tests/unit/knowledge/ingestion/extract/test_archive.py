import struct
import tracemalloc
import zipfile
import zlib

import pytest

from tests.unit.knowledge.ingestion.extract.documents import CONTENT_TYPES, read, word, zipped

ENTITY_DOCUMENT = (
    '<?xml version="1.0"?><!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/hostname">]><d>before &x;</d>'
)


def understate_size(archive, size):
    """Rewrite the size and checksum of the only entry, as a lying archive does."""
    lying = bytearray(archive)
    directory = lying.rindex(b"PK\x01\x02")
    checksum = struct.pack("<I", zlib.crc32(b"B" * size))
    for size_at, checksum_at in ((directory + 24, directory + 16), (22, 14)):
        lying[size_at : size_at + 4] = struct.pack("<I", size)
        lying[checksum_at : checksum_at + 4] = checksum
    return bytes(lying)


@pytest.mark.parametrize("name", ["bomb.docx", "bomb.xlsx", "bomb.pptx", "bomb.odt", "bomb.zip"])
def test_check_zip__bomb_is_refused_without_unpacking(name):
    bomb = zipped(CONTENT_TYPES, ("word/document.xml", b"A" * (40 << 20)))
    tracemalloc.start()

    extraction = read(name, bomb)

    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert extraction.status == "refused"
    assert "decompression bomb" in extraction.reason
    assert peak_bytes < 10 << 20


def test_check_zip__lying_size():
    lying = understate_size(zipped(("a.txt", b"B" * 100_000)), 100)

    assert read("a.zip", lying).reason == "The archive lies about the size of its files"


def test_check_zip__too_many_entries():
    many = zipped(*((f"{number}.txt", "") for number in range(11)), method=zipfile.ZIP_STORED)

    extraction = read("many.zip", many, max_entries=10)

    assert extraction.reason == "The archive holds 11 files, more than 10"


def test_check_zip__nested_archives():
    nested = b"text"
    for level in range(6):
        nested = zipped((f"{level}.zip" if level else "a.txt", nested))

    assert "too deep" in read("nested.zip", nested).reason


def test_check_zip__nested_archives_share_one_budget():
    inner = zipped(("a.txt", b"0" * 600_000))
    outer = zipped(("1.zip", inner), ("2.zip", inner))

    extraction = read("outer.zip", outer, max_unpacked_bytes=1_000_000)

    assert "unpacks to more than is allowed" in extraction.reason


def test_check_zip__encrypted_entry():
    locked = bytearray(zipped(("a.txt", "secret")))
    for mark, flag_at in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        locked[locked.index(mark) + flag_at] |= 1

    assert "protected by a password" in read("a.zip", bytes(locked)).reason


@pytest.mark.parametrize("name", ["cut.docx", "cut.xlsx", "cut.zip"])
def test_check_zip__truncated(name):
    whole = word("<w:p/>")

    assert "cut off or damaged" in read(name, whole[: len(whole) // 2]).reason


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
def test_check_zip__xml_entities(encoding):
    document = ENTITY_DOCUMENT.encode(encoding)

    extraction = read("x.docx", zipped(CONTENT_TYPES, ("word/document.xml", document)))

    assert extraction.status == "refused"
    assert "declares XML entities" in extraction.reason


def test_read_zip__texts_under_their_names():
    packed = zipped(
        ("notes/a.txt", "Harbour rota"),
        ("../../escape.md", "Blue lantern"),
        ("scan.png", b"\x89PNG\r\n\x1a\n"),
    )

    extraction = read("folder.zip", packed)

    assert extraction.text == "# notes/a.txt\n\nHarbour rota\n\n# ../../escape.md\n\nBlue lantern"
    assert extraction.warnings == (
        "scan.png was not read: This is a picture: its text cannot be read without OCR",
    )
