"""Finds files below the paths a person names, in the same order each time."""

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from crmind.exceptions import InvalidInputError
from knowledge.exceptions import ListingError
from knowledge.ingestion.naming import fitting_id, shown_name

# What a Maildir is known by: delivered messages, and those that were seen.
MAILDIR = frozenset({"cur", "new"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFile:
    """A file to read; `reason` says why it cannot be, for a folder that may not be listed.

    `root` is the folder that it must not lead out of.
    """

    path: Path
    external_id: str
    reason: str = ""
    root: Path | None = None
    is_message: bool = False

    @property
    def label(self) -> str:
        return shown_name(str(self.path))


def find_files(paths: Sequence[Path]) -> tuple[FoundFile, ...]:
    """Return the files named, and those below the folders named: hidden ones are left out.

    A file is known by its path below the folder that was named, or by its name. Links that lead out
    of their folder are not followed. Raises ListingError for a path that is no file or folder or
    holds nothing, InvalidInputError for two files that would be known by the same name.
    """
    found: dict[str, FoundFile] = {}
    for path in paths:
        for file in _files_at(path, is_folder=_is_folder(path)):
            known = found.setdefault(file.external_id, file)
            if not _is_same(known.path, file.path):
                message = (
                    f"paths: {known.path} and {file.path} would both be known as"
                    f" {file.external_id!r}. Name the folder that holds both."
                )
                raise InvalidInputError(message, field="paths")
    if not found:
        message = f"paths: there are no files in {', '.join(map(str, paths))}."
        raise ListingError(message, field="paths")
    return tuple(found.values())


def _is_folder(path: Path) -> bool:
    """Tell a folder from a file. Raises ListingError for anything else.

    What is named is remembered as the place of a source, so its own name has to be storable.
    """
    shown = shown_name(str(path.absolute()))
    if shown != str(path.absolute()):
        message = (
            f"paths: {shown} holds characters that cannot be stored or seen. Rename it, or name the"
            " folder above it: what lies below may have any name."
        )
        raise ListingError(message, field="paths")
    try:
        mode = path.stat().st_mode
    except FileNotFoundError as error:
        message = f"paths: there is no file or folder {path}."
        raise ListingError(message, field="paths") from error
    except (OSError, ValueError) as error:
        message = f"paths: {path} cannot be read ({error})."
        raise ListingError(message, field="paths") from error
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        message = f"paths: {path} is neither a file nor a folder."
        raise ListingError(message, field="paths")
    return stat.S_ISDIR(mode)


def _files_at(path: Path, *, is_folder: bool) -> Iterator[FoundFile]:
    if is_folder:
        yield from _files_below(path)
    else:
        yield FoundFile(path=path, external_id=shown_name(path.name))


def _files_below(root: Path) -> Iterator[FoundFile]:
    unlisted: list[OSError] = []
    for folder, subfolders, names in os.walk(root, onerror=unlisted.append):
        is_mailbox = MAILDIR.issubset(subfolders)
        subfolders[:] = sorted(filter(_is_followed(folder, is_mailbox=is_mailbox), subfolders))
        is_message = Path(folder).name in MAILDIR and _is_maildir(Path(folder).parent)
        # Beside its folders a Maildir keeps what mail programs need, and nothing to read.
        for name in () if is_mailbox else sorted(names):
            path = Path(folder, name)
            if not name.startswith(".") and _is_within(path, root):
                yield FoundFile(
                    path=path,
                    external_id=_name_below(path, root),
                    root=root,
                    is_message=is_message,
                )
    for error in unlisted:
        path = Path(error.filename)
        reason = f"The folder cannot be listed ({error.strerror})."
        yield FoundFile(path=path, external_id=_name_below(path, root), reason=reason)


def _is_followed(folder: str, *, is_mailbox: bool) -> Callable[[str], bool]:
    """Return which subfolders are read: hidden ones only where a Maildir keeps its folders so."""

    def is_followed(name: str) -> bool:
        if is_mailbox and name == "tmp":
            return False
        return not name.startswith(".") or (is_mailbox and _is_maildir(Path(folder, name)))

    return is_followed


def _is_maildir(folder: Path) -> bool:
    return all((folder / name).is_dir() for name in MAILDIR)


def _is_within(path: Path, root: Path) -> bool:
    """Tell whether it is a regular file that lies, links followed, below the root."""
    try:
        return path.is_file() and path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):
        return False


def leads_out(file: FoundFile) -> bool:
    """Tell whether a file has become a link out of its folder since it was found."""
    return file.root is not None and not _is_within(file.path, file.root)


def _is_same(one: Path, other: Path) -> bool:
    return one == other or one.resolve() == other.resolve()


def _name_below(path: Path, root: Path) -> str:
    return fitting_id(shown_name(path.relative_to(root).as_posix() or root.name))
