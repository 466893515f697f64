"""Documents that say the same, or nearly, wherever they came from."""

from dataclasses import dataclass

from django.db.models import Q

from knowledge.ingestion.sketch import similarity, sketch_text
from knowledge.models import Document, DocumentSketch, DocumentStatus

# Share of shingles in common from which two texts count as nearly the same.
ALIKE = 0.7
MOST_COMPARED = 100
MOST_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike:
    """A document like another one; `share` of what they say is the same, 1 for the same words."""

    document_id: int
    title: str
    source_name: str
    share: float
    is_exact: bool

    @property
    def percent(self) -> int:
        return round(100 * self.share)


def keep_sketch(document: Document, text: str) -> None:
    """Keep by what the text of a document is compared with others."""
    sketch = sketch_text(text)
    DocumentSketch.objects.bulk_create(
        [
            DocumentSketch(
                document=document,
                text_hash=sketch.text_hash,
                signature=list(sketch.signature),
                bands=list(sketch.bands),
            )
        ],
        update_conflicts=True,
        unique_fields=["document"],
        update_fields=["text_hash", "signature", "bands"],
    )


def find_alike(document: Document) -> tuple[Alike, ...]:
    """Return the documents that say the same or nearly, most alike first.

    Those with the same readers only, so that no title is told to who may not read it. Found by an
    index; a bounded number is compared.
    """
    own = DocumentSketch.objects.filter(document=document).first()
    if own is None or not own.signature:
        return ()
    candidates = (
        DocumentSketch.objects.filter(Q(text_hash=own.text_hash) | Q(bands__overlap=own.bands))
        .exclude(document=document)
        .exclude(document__status=DocumentStatus.RETIRED)
        .filter(document__access_tags=document.access_tags)
        .order_by("document_id")
        .values_list(
            *("document_id", "document__title", "document__external_id"),
            *("document__source__name", "text_hash", "signature"),
        )
    )
    found = [
        Alike(
            document_id=document_id,
            title=title or external_id,
            source_name=source_name,
            share=1.0 if text_hash == own.text_hash else similarity(signature, own.signature),
            is_exact=text_hash == own.text_hash,
        )
        for document_id, title, external_id, source_name, text_hash, signature in (
            candidates[:MOST_COMPARED]
        )
    ]
    alike = [each for each in found if each.share >= ALIKE]
    return tuple(sorted(alike, key=lambda each: (-each.share, each.document_id))[:MOST_SHOWN])
