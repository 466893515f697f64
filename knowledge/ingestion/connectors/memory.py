"""What was read of a page before, as connectors ask for it."""

from dataclasses import dataclass, field
from typing import Protocol

from knowledge.fetching.types import Validators


@dataclass(frozen=True, slots=True, kw_only=True)
class PageMark:
    """The version of a page that a document was made of.

    `listed_change` is what the sitemap or feed said of its last change, as written there.
    """

    url: str
    external_id: str
    validators: Validators = field(default_factory=Validators)
    listed_change: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListingMark:
    """A sitemap or feed as a server sent it, and what to ask it with for a newer one."""

    url: str
    validators: Validators
    content: bytes = field(repr=False)


class PageMemory(Protocol):
    """Remembers pages, and the lists they were found in."""

    def recall_listing(self, url: str) -> ListingMark | None:
        """Return a sitemap or feed as it was read last, None if it is not known."""
        ...

    def recall(self, url: str) -> PageMark | None:
        """Return the version that was read last, None if the page is new.

        Without validators and change, where its document is not there whole.
        """
        ...

    def has_document(self, external_id: str) -> bool:
        """Tell whether something of that id is searched already."""
        ...
