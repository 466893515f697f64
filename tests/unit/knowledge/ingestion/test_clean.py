import pytest
from hypothesis import given

from knowledge.exceptions import InvalidDocumentError
from knowledge.ingestion.clean import (
    MAX_METADATA_DEPTH,
    CharacterCounts,
    clean_metadata,
    clean_text,
    describe_counts,
)
from tests.strategies import broken_text, document_text


def test_clean_text__counts_nul_characters_together_with_metadata():
    text = clean_text("Invoice 88-104\x00 total 19.90\x00 EUR\x0b")
    metadata = clean_metadata({"tier": "VIP\u0000"})

    assert text.text == "Invoice 88-104 total 19.90 EUR\n"
    assert metadata.metadata == {"tier": "VIP"}
    assert describe_counts(text.counts + metadata.counts) == ("3 NUL characters removed",)


@pytest.mark.parametrize(
    ("written", "cleaned", "warnings"),
    [
        ("plain", "plain", ()),
        ("a\r\nb\rc\x0cd\u2028e", "a\nb\nc\nd\ne", ()),
        ("\ufeffname", "name", ()),
        ("a\tb\u00a0c\u00ad ﬁ ＫＸ", "a\tb\u00a0c\u00ad ﬁ ＫＸ", ()),
        ("a\x00b", "ab", ("1 NUL character removed",)),
        ("a\x01\x1b[31m\x9f", "a[31m", ("3 control characters removed",)),
        ("\ud83d\ude00", "😀", ()),
        ("a\ud83d", "a\ufffd", ("1 broken character replaced by \ufffd",)),
        ("\u202efdp.exe", "fdp.exe", ("1 bidirectional control character removed",)),
        ("a\u2066b\u2069\u200f", "ab", ("3 bidirectional control characters removed",)),
        ("re\u200bfund\u2060s", "refunds", ("2 invisible characters removed",)),
        ("re\u200dfund", "refund", ("1 invisible character removed",)),
        ("a\U000e0041\U000e0042", "a", ("2 invisible characters removed",)),
        ("می\u200cخواهم 👩\u200d👧", "می\u200cخواهم 👩\u200d👧", ()),
        (
            "\U0001f3f4\U000e0067\U000e0062\U000e007f",
            "\U0001f3f4\U000e0067\U000e0062\U000e007f",
            (),
        ),
        ("a\n\n\nb", "a\n\n\nb", ()),
        ("a\n \n\t\n\n\n\nb", "a\n\n\nb", ()),
    ],
)
def test_clean_text__of_each_kind(written, cleaned, warnings):
    result = clean_text(written)

    assert (result.text, result.warnings) == (cleaned, warnings)


@given(broken_text | document_text)
def test_clean_text__is_idempotent_and_storable(text):
    once = clean_text(text)
    twice = clean_text(once.text)

    assert twice.text == once.text
    assert twice.counts == CharacterCounts()
    assert "\x00" not in once.text
    once.text.encode("utf-8")


@given(document_text)
def test_clean_text__keeps_everything_a_reader_sees(text):
    def visible(text):
        return [c for c in text if c.isprintable() and not c.isspace()]

    assert visible(clean_text(text).text) == visible(text)


def test_clean_metadata__cleans_keys_and_nested_values():
    cleaned = clean_metadata({"a\x00": [{"b": "c\x00"}, 1, None], "d": {"e": ("f\x02",)}})

    assert cleaned.metadata == {"a": [{"b": "c"}, 1, None], "d": {"e": ["f"]}}
    assert cleaned.warnings == ("2 NUL characters removed", "1 control character removed")


def test_clean_metadata__nested_too_deeply():
    nested: object = "end"
    for _ in range(MAX_METADATA_DEPTH):
        nested = [nested]

    with pytest.raises(InvalidDocumentError, match="metadata: nested deeper than 20 levels"):
        clean_metadata({"a": nested})
