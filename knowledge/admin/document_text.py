"""The text of a document as it was extracted, with the borders of its passages."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models.functions import Length, Substr

from knowledge.models import Chunk, Document, DocumentBody

SHOWN_CHUNKS = 50
SHOWN_CHARACTERS = 20_000
LONGEST_NUMBER = 7

FIELDS = (
    "pk",
    "position",
    "heading_path",
    "prefix",
    "token_count",
    "is_switched_off",
    "is_active",
    "start",
    "end",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A stretch of the text: a passage, or what lies between two and is not searched.

    `repeated` counts the characters at its beginning that the passage before holds too.
    """

    text: str
    passage: Mapping[str, Any] | None = None
    repeated: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentText:
    """One page of the text; `characters` counts the whole of it."""

    parts: Sequence[Part]
    characters: int
    page: int
    page_count: int
    is_cut: bool = False

    @property
    def pages(self) -> Sequence[int]:
        """The pages to offer: the first, the last and those nearby."""
        near = {1, self.page_count, *range(self.page - 2, self.page + 3)}
        return sorted(page for page in near if 1 <= page <= self.page_count)


def page_number(written: str) -> int:
    """Return the number of a page as it stands in an address; the first for anything else."""
    return int(written) if written.isdecimal() and len(written) <= LONGEST_NUMBER else 1


def read_text(document: Document, *, page: int) -> DocumentText:
    """Return the passages of a page with what lies between them; never the whole of a long text."""
    count = Chunk.objects.filter(document=document).count()
    page_count = max(1, -(-count // SHOWN_CHUNKS))
    page = min(max(1, page), page_count)
    passages = _passages(document, page)
    start = passages[0]["start"] if passages and page > 1 else 0
    end = passages[-1]["end"] if passages else SHOWN_CHARACTERS
    body = (
        DocumentBody.objects.filter(document=document)
        .annotate(stretch=Substr("text", start + 1, end - start), characters=Length("text"))
        .values("stretch", "characters")
        .first()
    ) or {"stretch": "", "characters": 0}
    parts = list(_parts(body["stretch"], passages, start=start))
    return DocumentText(
        parts=parts,
        characters=body["characters"],
        page=page,
        page_count=page_count,
        is_cut=not passages and body["characters"] > SHOWN_CHARACTERS,
    )


def _passages(document: Document, page: int) -> list[dict[str, Any]]:
    first = (page - 1) * SHOWN_CHUNKS
    chunks = Chunk.objects.filter(document=document).order_by("position").values(*FIELDS)
    return list(chunks[first : first + SHOWN_CHUNKS])


def _parts(stretch: str, passages: Sequence[Mapping[str, Any]], *, start: int) -> Iterator[Part]:
    done = start
    for passage in passages:
        between = stretch[done - start : passage["start"] - start]
        if between.strip():
            yield Part(text=between)
        text = stretch[passage["start"] - start : passage["end"] - start]
        repeated = max(0, min(done, passage["end"]) - passage["start"])
        yield Part(text=text, passage=passage, repeated=repeated)
        done = max(done, passage["end"])
    if not passages and stretch:
        yield Part(text=stretch)
