import pytest

from knowledge.ingestion.extract.decode import codec_name, decode_text, valid_unicode
from knowledge.ingestion.extract.errors import RefusedFileError
from tests.unit.knowledge.ingestion.extract.documents import read

GERMAN = "Müller GmbH verlängert den Vertrag für größere Büros in Köln"
POLISH = "Umowa została przedłużona, proszę o szybką płatność za usługę"
RUSSIAN = "Договор с клиентом продлён до конца года"
JAPANESE = "返品は三十日以内に受け付けます。佐藤太郎"
CHINESE = "客户要求退货，合同已续签三年"
ENCODINGS = [
    ("utf-8", GERMAN),
    ("utf-8-sig", JAPANESE),
    ("utf-16", RUSSIAN),
    ("utf-32", GERMAN),
    ("cp1252", GERMAN),
    ("cp1250", POLISH),
    ("cp1251", RUSSIAN),
    ("koi8-r", RUSSIAN),
    ("cp866", RUSSIAN),
    ("shift_jis", JAPANESE),
    ("euc_jp", JAPANESE),
    ("gb18030", CHINESE),
]
WRAPPERS = {
    "list.csv": "name,note\r\nAnna Smith,call back\r\nÜ,{}\r\n".replace("Ü", "B"),
    "note.txt": "Call with the customer\n{}\n",
    "page.html": "<html><head><title>Note</title></head><body><p>{}</p></body></html>",
    "letter.eml": "Subject: Note\nFrom: a@x.example\nContent-Type: text/plain\n\n{}\n",
}


@pytest.mark.parametrize("name", WRAPPERS)
@pytest.mark.parametrize(("encoding", "text"), ENCODINGS, ids=[code for code, _ in ENCODINGS])
def test_decode_text__twelve_encodings_without_declaration(encoding, text, name):
    extraction = read(name, WRAPPERS[name].format(text).encode(encoding))

    assert text in extraction.text
    assert "\ufffd" not in extraction.text
    assert extraction.warnings == ()


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_decode_text__wide_encoding_without_mark(encoding):
    decoded = decode_text("Harbour rota, page 2".encode(encoding))

    assert (decoded.text, decoded.encoding) == ("Harbour rota, page 2", encoding)


def test_decode_text__non_ascii_far_below_an_ascii_start():
    """Case B07: the first kilobytes say nothing about the rest."""
    source = "name,city,note\n" + "Anna Smith,Paris,call\n" * 300
    source += 'Zoë Lindqvist,Malmö,"prefers café visits — mornings"\n'

    decoded = decode_text(source.encode())

    assert (decoded.text, decoded.encoding) == (source, "utf-8")


def test_decode_text__ebcdic():
    decoded = decode_text("IntelliStation POWER, two units in stock".encode("cp500"))

    assert (decoded.text, decoded.encoding) == ("IntelliStation POWER, two units in stock", "cp500")


def test_decode_text__stateful_japanese():
    decoded = decode_text(JAPANESE.encode("iso2022_jp"))

    assert (decoded.text, decoded.encoding) == (JAPANESE, "iso2022_jp")


def test_decode_text__wrong_declaration_is_overruled():
    decoded = decode_text(GERMAN.encode("cp1252"), declared="utf-8")

    assert (decoded.text, decoded.encoding) == (GERMAN, "cp1252")


def test_decode_text__utf8_declared_as_something_else():
    decoded = decode_text(GERMAN.encode(), declared="iso-8859-1")

    assert (decoded.text, decoded.encoding) == (GERMAN, "utf-8")


def test_decode_text__declaration_settles_what_bytes_cannot():
    decoded = decode_text("Ħ".encode("iso8859-3"), declared="iso-8859-3")

    assert (decoded.text, decoded.encoding) == ("Ħ", "iso8859-3")


def test_decode_text__stray_bytes_in_utf8_are_repaired_and_flagged():
    decoded = decode_text((GERMAN * 5).encode() + b" caf\xe9")

    assert decoded.text == GERMAN * 5 + " café"
    assert decoded.warnings == ("1 bytes are not valid UTF-8 and were read as Windows-1252",)


def test_decode_text__nul_characters_are_kept():
    assert decode_text(b"Invoice 88-104\x00 total").text == "Invoice 88-104\x00 total"


def test_decode_text__noise():
    noise = bytes((place * 73 + place // 7) % 256 for place in range(4096))

    with pytest.raises(RefusedFileError, match="not a text file"):
        decode_text(noise)


def test_codec_name__unknown_and_binary_codecs():
    assert [codec_name(label) for label in ("latin1", "x-no-such", "base64", "a\x00b")] == [
        "iso8859-1",
        "",
        "",
        "",
    ]


def test_valid_unicode__surrogates():
    assert valid_unicode("a\ud83d b\ud83d\ude00") == "a\ufffd b😀"
