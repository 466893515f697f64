import time

import pytest
from hypothesis import given

from knowledge.ingestion.structure import Break, find_segments
from tests.strategies import broken_text, document_text


def outline(text):
    return [(text[s.start : s.end].strip(), s.heading_path) for s in find_segments(text)]


def test_find_segments__headings_make_a_path():
    text = "# Plans\nAll.\n## Gold\nFast.\n### Fees\nNone.\n## Silver ##\nSlow.\nOther\n"

    assert outline(text) == [
        ("# Plans", ("Plans",)),
        ("All.", ("Plans",)),
        ("## Gold", ("Plans", "Gold")),
        ("Fast.", ("Plans", "Gold")),
        ("### Fees", ("Plans", "Gold", "Fees")),
        ("None.", ("Plans", "Gold", "Fees")),
        ("## Silver ##", ("Plans", "Silver")),
        ("Slow.", ("Plans", "Silver")),
        ("Other", ("Plans", "Silver")),
    ]


def test_find_segments__ruled_headings():
    assert outline("Plans\n=====\nAll.\n\nGold\n----\nFast.\n\nTotal: 5.\n---\n") == [
        ("Plans\n=====", ("Plans",)),
        ("All.", ("Plans",)),
        ("Gold\n----", ("Plans", "Gold")),
        ("Fast.", ("Plans", "Gold")),
        ("Total: 5.", ("Plans", "Gold")),
        ("---", ("Plans", "Gold")),
    ]


def test_find_segments__no_heading_in_code_or_in_a_hashtag():
    assert outline("#tag\n```\n# comment\n```\nend") == [
        ("#tag", ()),
        ("```", ()),
        ("# comment", ()),
        ("```", ()),
        ("end", ()),
    ]


def test_find_segments__sentences():
    text = "Dr. Lee paid 2.5 EUR. See e.g. page 3! Done?  お客様。返品を。\nnext line"

    assert [part for part, _ in outline(text)] == [
        "Dr. Lee paid 2.5 EUR.",
        "See e.g. page 3!",
        "Done?",
        "お客様。",
        "返品を。",
        "next line",
    ]


def test_find_segments__table_rows_know_their_header():
    text = "Prices\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\nEnd"
    segments = find_segments(text)

    assert [(segment.table is not None, segment.break_before.name) for segment in segments] == [
        (False, "PARAGRAPH"),
        (False, "LINE"),
        (False, "NONE"),
        (True, "NONE"),
        (True, "SENTENCE"),
        (False, "PARAGRAPH"),
    ]
    table = segments[3].table
    assert table is not None
    assert text[table.header_start : table.header_end] == "| a | b |"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n\nb", Break.PARAGRAPH),
        ("a.\nb", Break.SENTENCE),
        ("a\n- b", Break.SENTENCE),
        ("a\nb", Break.LINE),
        ("a\n# b", Break.HEADING),
    ],
)
def test_find_segments__break(text, expected):
    assert find_segments(text)[1].break_before is expected


def test_find_segments__heading_stays_with_its_text():
    assert [s.break_before for s in find_segments("# a\n\nb")] == [Break.HEADING, Break.NONE]


@given(broken_text | document_text)
def test_find_segments__only_white_space_lies_between(text):
    end = 0
    for segment in find_segments(text):
        assert not text[end : segment.start].strip()
        assert text[segment.start : segment.end].strip()
        end = segment.end
    assert not text[end:].strip()


@pytest.mark.parametrize(
    "hostile", ["." * 300_000, ". " * 150_000, "# " * 150_000, "|-" * 150_000, "\n" * 300_000]
)
def test_find_segments__hostile_text_takes_linear_time(hostile):
    started = time.process_time()

    find_segments(hostile)

    assert time.process_time() - started < 2.0
