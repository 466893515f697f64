"""Where documents come in from."""

from knowledge.ingestion.connectors.files import FoundFile, find_files
from knowledge.ingestion.connectors.items import Item, read_item
from knowledge.ingestion.connectors.mailboxes import is_mailbox
from knowledge.ingestion.connectors.memory import ListingMark, PageMark, PageMemory
from knowledge.ingestion.connectors.pages import FoundPage, PageReader
from knowledge.ingestion.connectors.reading import FileReading, read_file
from knowledge.ingestion.connectors.remarks import Count, Remark
from knowledge.ingestion.connectors.tables import check_mapping, is_table
from knowledge.ingestion.connectors.web import Listing, PageFinder

__all__ = [
    "Count",
    "FileReading",
    "FoundFile",
    "FoundPage",
    "Item",
    "Listing",
    "ListingMark",
    "PageFinder",
    "PageMark",
    "PageMemory",
    "PageReader",
    "Remark",
    "check_mapping",
    "find_files",
    "is_mailbox",
    "is_table",
    "read_file",
    "read_item",
]
