from pathlib import Path

from knowledge.ingestion.extract.record import extraction_record
from knowledge.ingestion.types import Extraction, ExtractionStatus


def test_extraction_record__whole():
    extraction = Extraction(
        status=ExtractionStatus.OK, text="Malmö", encoding="cp1252", warnings=("checked",)
    )

    assert extraction_record(Path("in/a.txt"), extraction) == {
        "path": "in/a.txt",
        "status": "ok",
        "reason": "",
        "encoding": "cp1252",
        "warnings": ["checked"],
        "characters": 5,
        "text": "Malmö",
    }
