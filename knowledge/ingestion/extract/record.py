"""The JSON line that `manage.py extract --json` prints for a file."""

from pathlib import Path
from typing import TypedDict

from knowledge.ingestion.types import Extraction


class ExtractionRecord(TypedDict):
    """Names that other programs rely on."""

    path: str
    status: str
    reason: str
    encoding: str
    warnings: list[str]
    characters: int
    text: str


def extraction_record(path: Path, extraction: Extraction) -> ExtractionRecord:
    """Describe the extraction of one file as plain JSON values."""
    return {
        "path": str(path).encode("utf-8", "replace").decode(),
        "status": extraction.status.value,
        "reason": extraction.reason,
        "encoding": extraction.encoding,
        "warnings": list(extraction.warnings),
        "characters": len(extraction.full_text),
        "text": extraction.full_text,
    }
