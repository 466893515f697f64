"""Text of scans and pictures, where a setting asks for it and the data of Tesseract are there."""

import os
import re
from pathlib import Path

from knowledge.ingestion.extract.engine import recognise_text
from knowledge.ingestion.extract.errors import NoTextError
from knowledge.ingestion.extract.reading import RawFile, Reading

# Where packages of Tesseract put their data; TESSDATA_PREFIX goes before.
_FOLDERS = (
    "/usr/share/tesseract-ocr/*/tessdata",
    "/usr/share/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
)
_LANGUAGE = re.compile(r"[A-Za-z_]{3,30}")
RECOGNISED = "The text was recognised from pictures (OCR): it may hold errors"


def read_scan(file: RawFile, mime_type: str, *, otherwise: str) -> Reading:
    """Recognise the text of a picture or of a PDF of pictures.

    Raises NoTextError, with `otherwise` as its reason where no setting asks for OCR.
    """
    languages = file.limits.ocr_languages
    if not languages:
        raise NoTextError(otherwise)
    folder = find_language_data(languages)
    if folder is None:
        message = (
            f"{otherwise}. OCR_LANGUAGES asks for it, but the data of Tesseract for"
            f" {languages!r} are not installed"
        )
        raise NoTextError(message)
    engine = recognise_text(file.content, mime_type, languages=languages, data_folder=folder)
    return Reading(
        text=engine.text,
        metadata=engine.metadata,
        warnings=(RECOGNISED,),
        if_blank="It is a scan or a picture in which OCR found no text",
    )


def find_language_data(languages: str) -> Path | None:
    """Return the folder that holds the data of all languages, such as `eng+deu`."""
    names = languages.split("+")
    if not all(map(_LANGUAGE.fullmatch, names)):
        return None
    named = os.environ.get("TESSDATA_PREFIX")
    folders = [Path(named)] if named else []
    for pattern in _FOLDERS:
        folders += sorted(Path("/").glob(pattern.lstrip("/")), reverse=True)
    for folder in folders:
        if all((folder / f"{name}.traineddata").is_file() for name in names):
            return folder
    return None
