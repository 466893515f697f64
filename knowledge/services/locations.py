"""Where curators and programs may say that a source lies."""

from pathlib import Path

from crmind.exceptions import InvalidInputError
from knowledge.conf import knowledge_settings
from knowledge.exceptions import ListingError
from knowledge.fetching.addresses import is_web_address, normalise_url
from knowledge.services.timetable import NOT_READ


def checked_location(*, connector: str, location: str) -> str:
    """Return a place that the service may be sent to read, as it is kept.

    Raises AddressRefusedError for what is no web address to fetch, InvalidInputError for a path
    that does not lie below a folder the operator named. Which addresses a name leads to is checked
    when it is fetched.
    """
    location = location.strip()
    if not location or connector in NOT_READ:
        return location
    if is_web_address(location):
        return normalise_url(location)
    return str(_checked_path(location))


def check_not_moved(location: str) -> None:
    """Refuse a path that has become a link to elsewhere since it was named. Raises ListingError.

    Paths are kept with all links followed: whoever may write below one must not lead out of it.
    """
    path = Path(location)
    try:
        target = path.resolve()
    except (OSError, ValueError, RuntimeError) as error:
        message = f"location: {location} cannot be read ({error})."
        raise ListingError(message, field="location") from error
    if target != path and not any(target.is_relative_to(root) for root in _roots()):
        message = (
            f"location: {location} has become a link to {target}. If that is meant, an operator can"
            " add that folder to INGEST_ROOTS."
        )
        raise ListingError(message, field="location")


def _roots() -> list[Path]:
    return [Path(root).resolve() for root in knowledge_settings().ingest_roots]


def _checked_path(location: str) -> Path:
    roots = _roots()
    try:
        path = Path(location).resolve()
    except (OSError, ValueError, RuntimeError) as error:
        message = f"location: {location!r} is no path."
        raise InvalidInputError(message, field="location") from error
    if any(path.is_relative_to(root) for root in roots):
        return path
    named = ", ".join(map(str, roots)) or "none so far"
    message = (
        f"location: files are read only below the folders that the operator has named ({named})."
        " Ask for the folder to be added to INGEST_ROOTS, or taken in by manage.py ingest."
    )
    raise InvalidInputError(message, field="location")
