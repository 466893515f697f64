"""Where documents come in from."""

from knowledge.ingestion.connectors.files import FoundFile, find_files
from knowledge.ingestion.connectors.reading import FileReading, read_file
from knowledge.ingestion.connectors.tables import check_mapping, is_table

__all__ = ["FileReading", "FoundFile", "check_mapping", "find_files", "is_table", "read_file"]
