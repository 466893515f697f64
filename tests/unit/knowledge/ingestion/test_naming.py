"""Names of files as external ids."""

import os

import pytest

from knowledge.ingestion.naming import MAX_EXTERNAL_ID_LENGTH, fitting_id, shown_name
from knowledge.ingestion.pipeline import is_storable


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("plan.md", "plan.md"),
        ('Größe 👩\u200d🚀 – ‘so’ "x" `y` $(z).md', 'Größe 👩\u200d🚀 – ‘so’ "x" `y` $(z).md'),
        ("two\nlines\x1b[31m.md", r"two\nlines\x1b[31m.md"),
        ("invoice\u202efdp.exe", r"invoice\u202efdp.exe"),
        ("se\u200bcret\u200dly\U000e0041.md", r"se\u200bcret\u200dly\U000e0041.md"),
        (os.fsdecode(b"caf\xe9.md"), r"caf\xe9.md"),
    ],
)
def test_shown_name__escapes_what_is_not_seen(name, shown):
    assert shown_name(name) == shown
    assert is_storable(shown_name(name))


def test_fitting_id__long_ones_stay_apart():
    deep = "folder/" * 200
    ids = {fitting_id(deep + name) for name in ("a.md", "b.md", "a.md")}

    assert [len(each) for each in ids] == [MAX_EXTERNAL_ID_LENGTH] * 2
    assert fitting_id("a.md") == "a.md"
