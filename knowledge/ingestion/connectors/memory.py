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


class PageMemory(Protocol):
    """Remembers pages."""

    def recall(self, url: str) -> PageMark | None:
        """Return the version that was read last, None if the page is new.

        Without validators and change, where its document is not there whole.
        """
        ...

    def has_document(self, external_id: str) -> bool:
        """Tell whether something of that id is searched already."""
        ...
