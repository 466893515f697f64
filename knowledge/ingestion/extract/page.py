"""Pages of the web: the main text, without navigation, banners and footers."""

import logging
from collections.abc import Mapping

from knowledge.ingestion.extract.engine import read_with_engine
from knowledge.ingestion.extract.markup import VisibleMarkup, keep_visible
from knowledge.ingestion.extract.reading import Reading

# Below this share of what a page shows, its main text was probably not found.
LEAST_SHARE = 0.1
LEAST_CHARACTERS = 80

logger = logging.getLogger(__name__)


def read_page(text: str) -> Reading:
    """Return the main text of a page as Markdown; all it shows where no main text is found."""
    visible = keep_visible(text)
    whole = read_with_engine(visible.markup.encode(), "text/html").text
    main = _main_text(visible)
    is_found = len(main) >= max(LEAST_CHARACTERS, LEAST_SHARE * len(whole))
    return Reading(
        text=main if is_found else whole,
        metadata={**_stated(text), **visible.metadata},
        warnings=visible.warnings,
        if_blank="The page shows no text",
    )


def _main_text(visible: VisibleMarkup) -> str:
    # Takes long to import, and only pages of the web need it.
    import trafilatura  # noqa: PLC0415

    try:
        found = trafilatura.extract(
            f"<html><body>{visible.markup}</body></html>",
            output_format="markdown",
            include_comments=False,
            include_tables=True,
            include_formatting=True,
            favor_recall=True,
        )
    except Exception:
        # The library knows no error of its own; the page is then read whole.
        logger.exception("the main text of a page could not be told")
        return ""
    return found or ""


def _stated(text: str) -> Mapping[str, str]:
    """Return what the head of the page and its data for search engines say of it."""
    import trafilatura  # noqa: PLC0415 # as above

    try:
        told = trafilatura.extract_metadata(text)
    except Exception:
        logger.exception("the metadata of a page could not be read")
        return {}
    stated = {
        "title": told.title,
        "author": told.author,
        "published_at": told.date,
        "canonical_url": told.url,
    }
    return {name: value for name, value in stated.items() if value}
