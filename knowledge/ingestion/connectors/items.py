"""Reads what was found, file or page, as the documents it holds."""

from collections.abc import Iterator, Mapping

from knowledge.ingestion.connectors.files import FoundFile, leads_out
from knowledge.ingestion.connectors.mailboxes import is_mailbox, read_mailbox, read_message
from knowledge.ingestion.connectors.pages import FoundPage, PageReader
from knowledge.ingestion.connectors.reading import read_file
from knowledge.ingestion.connectors.remarks import Count, Remark
from knowledge.ingestion.types import Incoming

Item = FoundFile | FoundPage


def read_item(
    item: Item, *, mapping: Mapping[str, str], pages: PageReader
) -> Iterator[Incoming | Remark | Count]:
    """Yield the documents of a file or page in order, with remarks on it as a whole.

    How many they are comes first where that is known.
    """
    if isinstance(item, FoundPage):
        yield from pages.read(item)
        return
    is_readable = not item.reason and not leads_out(item)
    if is_readable and item.is_message:
        yield from read_message(item)
    elif is_readable and is_mailbox(item.path):
        yield from read_mailbox(item)
    else:
        yield from _read_file(item, mapping)


def _read_file(file: FoundFile, mapping: Mapping[str, str]) -> Iterator[Incoming | Remark | Count]:
    reading = read_file(file, mapping=mapping)
    yield Count(reading.count)
    for warning in reading.warnings:
        yield Remark(f"{file.external_id}: {warning}")
    yield from reading.documents
    if reading.gap:
        yield Remark(reading.gap, is_gap=True)
    if reading.doubt:
        yield Remark(reading.doubt, is_doubt=True)
