"""Files that came with a message: documents of their own, or part of what the message is in."""

from collections.abc import Iterable
from dataclasses import dataclass

from knowledge.ingestion.extract.errors import NoTextError, RefusedFileError
from knowledge.ingestion.extract.formats import FileFormat, detect_format
from knowledge.ingestion.extract.reading import EmbeddedReader, RawFile
from knowledge.ingestion.types import Attachment


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachedFile:
    """A file as it stands in a message; `attachment` is None where it could not be read.

    A picture names nothing worth searching: mails are full of logos.
    """

    name: str
    attachment: Attachment | None = None
    is_picture: bool = False
    warnings: tuple[str, ...] = ()


def read_attached(
    file: RawFile, name: str, content: bytes, read_embedded: EmbeddedReader
) -> AttachedFile:
    """Read a file found in the message `file`; what cannot be read is a warning."""
    name = " ".join(name.split())
    try:
        reading = read_embedded(file.embedded(name, content))
    except (RefusedFileError, NoTextError) as error:
        is_picture = detect_format(name, content) is FileFormat.IMAGE
        warning = f"Attachment {name} was not read: {error}"
        return AttachedFile(name=name, is_picture=is_picture, warnings=(warning,))
    attachment = Attachment(
        name=name,
        text=reading.text,
        mime_type=reading.mime_type or detect_format(name, content).value,
        warnings=reading.warnings,
        metadata=reading.metadata,
    )
    return AttachedFile(name=name, attachment=attachment)


def name_attached(files: Iterable[AttachedFile]) -> str:
    """Return the line of a message that names what was attached to it."""
    names = [file.name for file in files if not file.is_picture]
    return f"Attachments: {', '.join(names)}" if names else ""
