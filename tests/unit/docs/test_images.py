"""Pictures of the documentation: small, and none that no page shows."""

from pathlib import Path

DOCS = Path(__file__).resolve().parents[3] / "docs"
MOST_BYTES = 150_000


def test_images__are_small_and_shown():
    pages = "".join(page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))
    images = sorted((DOCS / "images").iterdir())

    assert images != []
    assert [image.name for image in images if image.stat().st_size > MOST_BYTES] == []
    assert [image.name for image in images if f"images/{image.name}" not in pages] == []
