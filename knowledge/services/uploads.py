"""Takes in files that a curator uploads and text that one pastes: kept first, read by a run."""

import json
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Self

import yaml
from django.conf import settings
from django.db import transaction
from django.utils.text import slugify

from crmind.exceptions import CRMindError, InvalidInputError
from knowledge.conf import knowledge_settings
from knowledge.ingestion.extract.formats import FileFormat, detect_format
from knowledge.ingestion.naming import shown_name
from knowledge.models import Connector, IngestionRun, RunKind, RunStatus, RunTrigger, Source
from knowledge.services.ingest import (
    IngestPlan,
    Progress,
    Tools,
    ingest_paths,
    plan_ingestion,
)
from knowledge.services.runs import create_run, fail_run
from knowledge.services.validation import checked_access_tags

MAX_FILES = 50
KEPT_DAYS = 30
UPLOADABLE = (Connector.UPLOAD, Connector.PUSH)

_OPTIONS = ".options.json"
_MAX_NAME_BYTES = 200
_BEGINNING_BYTES = 4_096
_WITHOUT_TEXT = {
    FileFormat.IMAGE: "a picture",
    FileFormat.RECORDING: "a recording",
    FileFormat.PROGRAM: "a program",
    FileFormat.ARCHIVE: "an archive",
}
_GONE = "The uploaded files are no longer kept. Upload them again."


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadedFile:
    """A file as it arrives: `pieces` is its content, piece by piece."""

    name: str
    size: int
    beginning: bytes
    pieces: Callable[[], Iterable[bytes]]


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadOptions:
    """What holds for every document of an upload that does not say it itself.

    `entities` are names, external ids or ids.
    """

    entities: tuple[str, ...] = ()
    access_tags: tuple[str, ...] = ()
    published_at: datetime | None = None
    valid_until: datetime | None = None

    def as_json(self) -> str:
        """Return it as text that `read` understands."""
        return json.dumps(asdict(self), default=datetime.isoformat)

    @classmethod
    def read(cls, written: str) -> Self:
        """Return what `as_json` wrote, also that of an earlier release."""
        values = json.loads(written)
        moments = {
            name: datetime.fromisoformat(values[name]) if values.get(name) else None
            for name in ("published_at", "valid_until")
        }
        return cls(
            entities=tuple(values["entities"]), access_tags=tuple(values["access_tags"]), **moments
        )


def check_file(file: UploadedFile) -> None:
    """Refuse what cannot be read at once. Raises InvalidInputError for the field `files`."""
    largest = knowledge_settings().max_file_bytes
    kind = detect_format(file.name, file.beginning[:_BEGINNING_BYTES])
    if file.size > largest:
        reason = f"is larger than {largest // 1024**2} MB. Split it, or take out its pictures."
    elif not file.size:
        reason = "is empty."
    elif kind in _WITHOUT_TEXT:
        reason = f"is {_WITHOUT_TEXT[kind]}, which holds no text to search."
    elif len(file.name.encode()) > _MAX_NAME_BYTES:
        reason = "has too long a name. Give it a shorter one."
    else:
        return
    message = f"“{file.name[:100]}” {reason}"
    raise InvalidInputError(message, field="files")


def pasted_file(*, title: str, text: str) -> UploadedFile:
    """Return pasted text as a file that carries its title."""
    head = yaml.safe_dump({"title": title}, allow_unicode=True, width=10_000)
    content = f"---\n{head}---\n{text}".encode()
    name = f"{slugify(title, allow_unicode=True)[:60] or 'text'}.md"
    return UploadedFile(
        name=name, size=len(content), beginning=content, pieces=lambda: iter((content,))
    )


@transaction.atomic
def keep_upload(
    *, source: Source, files: Sequence[UploadedFile], options: UploadOptions, user_id: Any = None
) -> IngestionRun:
    """Keep the files until a run has read them; return that run, which waits.

    Raises InvalidInputError naming the field; then nothing is kept.
    """
    if source.connector not in UPLOADABLE:
        message = "Documents of this source come from elsewhere: its next check would undo this."
        raise InvalidInputError(message, field="source")
    _check_all(files)
    if options.access_tags:
        checked_access_tags(options.access_tags)
    run = create_run(
        source=source,
        trigger=RunTrigger.ADMIN,
        user_id=user_id,
        expected=len(files),
        kind=RunKind.UPLOAD,
    )
    # A run that tries the failed files again reads them where this one keeps them.
    run.arguments = {"upload": run.pk}
    run.save(update_fields=["arguments"])
    folder = folder_of(run)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for file in files:
        with (folder / _visible(file.name)).open("wb") as target:
            target.writelines(file.pieces())
    (folder / _OPTIONS).write_text(options.as_json(), encoding="utf-8")
    return run


def take_in_upload(
    *, run: IngestionRun, tools: Tools, on_progress: Callable[[Progress], None]
) -> None:
    """Store the kept files of a run; those that failed or were not read yet are kept on."""
    folder = folder_of(run)
    try:
        plan = _plan(folder)
        source = Source.objects.select_related("source_type").get(runs=run)
    except FileNotFoundError:
        fail_run(run=run, reason=_GONE, now=tools.now)
        return
    except CRMindError as error:
        fail_run(run=run, reason=error.message, now=tools.now)
        return
    summary = ingest_paths(source=source, plan=plan, run=run, tools=tools, on_progress=on_progress)
    failed = {report.path for report in summary.failed}
    read = {report.path for report in summary.documents}
    for path in read - failed - {""}:
        Path(path).unlink(missing_ok=True)
    run.refresh_from_db(fields=["status"])
    # One that was cancelled, or waits to be tried again, has files left to read.
    if run.status == RunStatus.DONE and not failed:
        shutil.rmtree(folder, ignore_errors=True)


def purge_uploads(*, now: datetime) -> int:
    """Delete files that could not be read and were kept for KEPT_DAYS; return how many uploads."""
    oldest = (now - timedelta(days=KEPT_DAYS)).timestamp()
    root = _root()
    stale = (
        [each for each in root.iterdir() if each.stat().st_mtime < oldest] if root.is_dir() else []
    )
    for folder in stale:
        shutil.rmtree(folder, ignore_errors=True)
    return len(stale)


def _plan(folder: Path) -> IngestPlan:
    options = UploadOptions.read((folder / _OPTIONS).read_text(encoding="utf-8"))
    plan = plan_ingestion(
        paths=[folder], mapping={}, entities=options.entities, access_tags=options.access_tags
    )
    return replace(plan, published_at=options.published_at, valid_until=options.valid_until)


def folder_of(run: IngestionRun) -> Path:
    """Return where the files of a run are kept."""
    return _root() / str(run.arguments.get("upload", run.pk))


def _root() -> Path:
    return Path(settings.MEDIA_ROOT) / "uploads"


def _check_all(files: Sequence[UploadedFile]) -> None:
    if not files:
        message = "Choose at least one file, or paste a text."
        raise InvalidInputError(message, field="files")
    if len(files) > MAX_FILES:
        message = f"These are {len(files)} files; at most {MAX_FILES} can be uploaded at once."
        raise InvalidInputError(message, field="files")
    names: set[str] = set()
    for file in files:
        check_file(file)
        name = _visible(file.name)
        if name in names:
            message = f"Two files are called “{name}”. Rename one, or upload them one by one."
            raise InvalidInputError(message, field="files")
        names.add(name)


def _visible(name: str) -> str:
    """Return the name without what would hide the file, is not seen, or leads out of the folder."""
    return shown_name(name.replace("/", "_").replace("\\", "_")).lstrip(".") or "file"
