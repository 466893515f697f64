"""Text of files: `extract_file` reads one file of any kind and never raises for a bad one."""

from pathlib import Path

from knowledge.ingestion.extract.limits import ExtractionLimits
from knowledge.ingestion.extract.pool import POOL
from knowledge.ingestion.extract.record import extraction_record
from knowledge.ingestion.types import Extraction

__all__ = ["ExtractionLimits", "extract_file", "extraction_record"]

_DEFAULT_LIMITS = ExtractionLimits()


def extract_file(
    path: Path, limits: ExtractionLimits = _DEFAULT_LIMITS, *, as_page: bool = False
) -> Extraction:
    """Read a file in a separate process under `limits`; of a page on the web, its main text.

    The status is `ok`, `no_text` or `refused`; the last two carry a reason a curator can act on.
    """
    return POOL.extract(path.absolute(), limits, as_page=as_page)
