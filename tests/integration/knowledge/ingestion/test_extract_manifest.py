"""The public collection of awkward files: how many are read, or refused, as they should be."""

import csv
import time
import unicodedata
from pathlib import Path

import pytest

from knowledge.ingestion.extract import extract_file

FILES = Path(__file__).resolve().parents[5] / "shared" / "data" / "files"
ACCEPTED = {
    "text": {"ok"},
    "no_text": {"no_text"},
    "refuse": {"refused"},
    "text_or_refuse": {"ok", "refused"},
    "safe": {"ok", "no_text", "refused"},
}
MUST_NOT_CONTAIN = {
    "synthetic/xxe.docx": Path("/etc/hostname"),
    "synthetic/billion_laughs.xml": "lollol",
    "synthetic/prompt_injection.html": "ignore all previous",
}


def squeeze(text):
    return "".join(unicodedata.normalize("NFKC", text).lower().split())


def is_right(row, extraction):
    if extraction.status.value not in ACCEPTED[row["expect"]]:
        return False
    if extraction.status != "ok":
        return bool(extraction.reason)
    parts = row["must_contain"].split(" && ") if row["must_contain"] != "-" else []
    text = squeeze(extraction.full_text)
    return all(squeeze(part) in text for part in parts) and is_free_of_outside_text(row, text)


def is_free_of_outside_text(row, text):
    forbidden = MUST_NOT_CONTAIN.get(row["file"], "")
    if isinstance(forbidden, Path):
        forbidden = forbidden.read_text() if forbidden.exists() else ""
    return not forbidden or squeeze(forbidden) not in text


@pytest.mark.shared_data
@pytest.mark.skipif(not FILES.exists(), reason="needs ../shared/data beside the checkout")
def test_extract_file__manifest():
    with (FILES / "manifest.tsv").open(encoding="utf-8", newline="") as manifest:
        rows = list(csv.DictReader(manifest, delimiter="\t"))
    started = time.monotonic()

    wrong = [row["file"] for row in rows if not is_right(row, extract_file(FILES / row["file"]))]

    assert len(rows) == 200
    assert len(wrong) <= 3, wrong
    assert time.monotonic() - started < 120
