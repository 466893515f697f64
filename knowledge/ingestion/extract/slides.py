"""The order in which a presentation shows its slides, which their file names need not follow."""

import re
import zipfile
from io import BytesIO

from knowledge.ingestion.extract.archive import open_zip
from knowledge.ingestion.extract.office import local_name, parse_optional_part

_PRESENTATION = "ppt/presentation.xml"
_RELATIONS = "ppt/_rels/presentation.xml.rels"
_SLIDE = re.compile(r"ppt/slides/(?:_rels/)?(slide\d+)\.xml(?:\.rels)?")
_TARGET = re.compile(rb"slides/(slide\d+)\.xml")


def in_shown_order(content: bytes) -> bytes:
    """Return the package with its slides named in the order they are shown.

    The engine reads slides by the number in their name, which is that of their making.
    """
    with open_zip(content) as archive:
        names = _renamed(_shown_slides(archive))
        if not names:
            return content
        repacked = BytesIO()
        with zipfile.ZipFile(repacked, "w") as ordered:
            for entry in archive.infolist():
                part = archive.read(entry)
                if entry.filename == _RELATIONS:
                    part = _TARGET.sub(lambda match: _target(match[1].decode(), names), part)
                ordered.writestr(_new_name(entry.filename, names), part)
    return repacked.getvalue()


def _shown_slides(archive: zipfile.ZipFile) -> list[str]:
    presentation = parse_optional_part(archive, _PRESENTATION)
    relations = parse_optional_part(archive, _RELATIONS)
    if presentation is None or relations is None:
        return []
    targets = {each.get("Id", ""): each.get("Target", "") for each in relations}
    shown = []
    for element in presentation.iter():
        if local_name(element) == "sldId":
            identity = next((v for k, v in element.attrib.items() if k.endswith("}id")), "")
            match = re.search(r"(slide\d+)\.xml$", targets.get(identity, ""))
            shown += [match[1]] if match else []
    return shown


def _renamed(shown: list[str]) -> dict[str, str]:
    """Return the new names of the slides; none where the order is right or slides repeat."""
    in_file_order = sorted(shown, key=lambda name: int(name.removeprefix("slide")))
    if shown == in_file_order or len(set(shown)) < len(shown):
        return {}
    return dict(zip(shown, in_file_order, strict=True))


def _new_name(name: str, names: dict[str, str]) -> str:
    match = _SLIDE.fullmatch(name)
    return name.replace(match[1], names.get(match[1], match[1])) if match else name


def _target(slide: str, names: dict[str, str]) -> bytes:
    return f"slides/{names.get(slide, slide)}.xml".encode()
