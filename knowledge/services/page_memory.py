"""Remembers which version of a page each document was made of, and of a sitemap or feed itself."""

import zlib
from collections.abc import Iterable
from datetime import datetime

from knowledge.fetching.types import Validators
from knowledge.ingestion.connectors import ListingMark, PageMark
from knowledge.models import Document, DocumentStatus, ListingVersion, PageVersion

# A larger one is fetched whole each time.
MOST_KEPT_BYTES = 4 * 1024 * 1024


class SourceMemory:
    """The pages of one source, as connectors ask for them."""

    def __init__(self, source_id: int | None) -> None:
        self._source_id = source_id

    def recall(self, url: str) -> PageMark | None:
        """Return the version that was read last.

        Where its document is not there whole, only what the document is called.
        """
        version = PageVersion.objects.filter(source=self._source_id, url=url).first()
        if version is None:
            return None
        if not self._is_whole(version.external_id):
            return PageMark(url=url, external_id=version.external_id)
        return PageMark(
            url=url,
            external_id=version.external_id,
            validators=Validators(etag=version.etag, last_modified=version.last_modified),
            listed_change=version.listed_change,
        )

    def recall_listing(self, url: str) -> ListingMark | None:
        """Return a sitemap or feed as it was read last, None if it is not known."""
        version = ListingVersion.objects.filter(source=self._source_id, url=url).first()
        if version is None:
            return None
        return ListingMark(
            url=url,
            validators=Validators(etag=version.etag, last_modified=version.last_modified),
            content=zlib.decompress(version.packed),
        )

    def has_document(self, external_id: str) -> bool:
        """Tell whether something of that id is searched already."""
        documents = Document.objects.filter(source=self._source_id, external_id=external_id)
        return bool(documents.filter(chunk_count__gt=0).exists())

    def _is_whole(self, external_id: str) -> bool:
        documents = Document.objects.filter(source=self._source_id, external_id=external_id)
        return bool(documents.filter(status=DocumentStatus.READY).exists())


def remember_page(*, source_id: int, mark: PageMark, now: datetime) -> None:
    """Keep the version that a document was made of, once the document is stored."""
    PageVersion.objects.update_or_create(
        source_id=source_id,
        url=mark.url,
        defaults={
            "external_id": mark.external_id,
            "etag": mark.validators.etag,
            "last_modified": mark.validators.last_modified,
            "listed_change": mark.listed_change,
            "read_at": now,
        },
    )


def remember_listings(*, source_id: int, marks: Iterable[ListingMark], now: datetime) -> None:
    """Keep sitemaps and feeds as they were read, for when the server sends them no more."""
    for mark in marks:
        packed = zlib.compress(mark.content)
        if len(packed) > MOST_KEPT_BYTES:
            ListingVersion.objects.filter(source_id=source_id, url=mark.url).delete()
            continue
        ListingVersion.objects.update_or_create(
            source_id=source_id,
            url=mark.url,
            defaults={
                "etag": mark.validators.etag,
                "last_modified": mark.validators.last_modified,
                "packed": packed,
                "read_at": now,
            },
        )
