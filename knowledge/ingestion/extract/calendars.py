"""iCalendar files: entries as a person would note them down, in the time of the installation."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import repeat
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from knowledge.ingestion.extract.reading import Reading
from knowledge.ingestion.extract.recurrence import describe_rule

_ENTRIES = frozenset({"VEVENT", "VTODO", "VJOURNAL"})
_FOLD = re.compile(r"\r?\n[ \t]")
_ESCAPE = re.compile(r"\\([nN,;\\:])")
_LINE = re.compile(r"([A-Za-z0-9-]+)((?:;[\w-]+=(?:\"[^\"]*\"|[^;:\"]*)(?:,\"[^\"]*\")*)*):(.*)")
_PARAMETER = re.compile(r";([\w-]+)=(\"[^\"]*\"|[^;:]*)")
_DURATION = re.compile(r"P(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,4})M)?)?")
_DATE = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?")
_FIELDS = (
    ("Where", "LOCATION"),
    ("Organizer", "ORGANIZER"),
    ("Participants", "ATTENDEE"),
    ("Status", "STATUS"),
    ("Categories", "CATEGORIES"),
    ("Link", "URL"),
)
_PEOPLE = frozenset({"ORGANIZER", "ATTENDEE"})
_STAMPS = ("LAST-MODIFIED", "DTSTAMP", "CREATED")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Property:
    name: str
    value: str
    parameters: dict[str, str]


@dataclass(slots=True)
class _Entry:
    """The properties of a calendar or of one entry in it, without what is nested in it."""

    properties: list[_Property] = field(default_factory=list)

    def all(self, name: str) -> list[_Property]:
        return [each for each in self.properties if each.name == name]

    def first(self, name: str) -> _Property | None:
        return next(iter(self.all(name)), None)

    def text(self, name: str) -> str:
        found = self.first(name)
        return _unescape(found.value).strip() if found else ""


def read_calendar(text: str, zone: tzinfo | None = None) -> Reading:
    """Read events, tasks and notes; times are told in `zone`, that of the service by default."""
    calendar, entries = _parse(text)
    if not entries:
        return Reading(text=_unescape(_FOLD.sub("", text)))
    zone = zone or local_zone()
    name = calendar.text("X-WR-CALNAME")
    blocks = [f"# {name}"] if name else []
    blocks += ["\n".join(_describe(entry, zone)) for entry in entries]
    return Reading(text="\n\n".join(blocks), metadata=_metadata(name, entries, zone))


def local_zone() -> tzinfo:
    """Return the time zone of the service, which Django hands on to its processes."""
    return _zone_named(os.environ.get("TZ", "")) or UTC


def _parse(text: str) -> tuple[_Entry, list[_Entry]]:
    calendar, entries = _Entry(), []
    current, depth = calendar, 0
    for line in _FOLD.sub("", text).splitlines():
        match = _LINE.fullmatch(line)
        if match is None:
            continue
        name, value = match[1].upper(), match[3]
        if name == "BEGIN":
            if value.upper() in _ENTRIES and depth == 0:
                current = _Entry()
                entries.append(current)
            depth += value.upper() != "VCALENDAR"
        elif name == "END":
            depth = max(0, depth - (value.upper() != "VCALENDAR"))
            current = current if depth else calendar
        elif depth == (current is not calendar):
            current.properties.append(
                _Property(name=name, value=value, parameters=_parameters(match[2]))
            )
    return calendar, entries


def _parameters(written: str) -> dict[str, str]:
    return {match[1].upper(): match[2].strip('"') for match in _PARAMETER.finditer(written)}


def _describe(entry: _Entry, zone: tzinfo) -> Iterator[str]:
    yield f"## {entry.text('SUMMARY') or 'Without a title'}"
    yield ""
    period = _period(entry, zone)
    if period:
        yield f"When: {period}"
    due = _moment(entry.first("DUE"), zone)
    if due:
        yield f"Due: {_tell(due)}"
    rule = entry.text("RRULE")
    if rule:
        yield f"Repeats: {describe_rule(rule)}"
    for label, name in _FIELDS:
        values = [_person(each) if name in _PEOPLE else _value(each) for each in entry.all(name)]
        if any(values):
            yield f"{label}: {', '.join(filter(None, values))}"
    for name in ("DESCRIPTION", "COMMENT"):
        if entry.text(name):
            yield f"\n{entry.text(name)}"


def _period(entry: _Entry, zone: tzinfo) -> str:
    start = _moment(entry.first("DTSTART"), zone)
    if start is None:
        return ""
    end = _moment(entry.first("DTEND"), zone) or _after(start, entry.text("DURATION"))
    if not isinstance(start, datetime):
        # The last day is the one before the end that is written.
        is_day = end is not None and not isinstance(end, datetime)
        last = end - timedelta(days=1) if end and is_day else start
        return f"{_tell(start)}, all day" if last <= start else f"{_tell(start)} to {_tell(last)}"
    told = _tell(start)
    if isinstance(end, datetime) and end != start:
        same_day = end.date() == start.date()
        told += f" to {end:%H:%M}" if same_day else f" to {_tell(end)}"
    return f"{told} ({_zone_of(entry.first('DTSTART'), start)})"


def _moment(found: _Property | None, zone: tzinfo) -> date | None:
    """Return a day or a moment; a time whose zone is unknown stays as it is written."""
    match = _DATE.fullmatch(found.value.strip()) if found else None
    if match is None or found is None:
        return None
    try:
        if match[4] is None:
            return date(int(match[1]), int(match[2]), int(match[3]))
        numbers = [int(match[group]) for group in range(1, 6)]
        written = datetime(*numbers)  # type: ignore[arg-type]  # noqa: DTZ001 - its zone follows
        origin = UTC if match[7] else _zone_named(found.parameters.get("TZID", ""))
        return written.replace(tzinfo=origin).astimezone(zone) if origin else written
    except (ValueError, OverflowError):
        return None


def _after(start: date, duration: str) -> date | None:
    match = _DURATION.fullmatch(duration) if duration else None
    if match is None:
        return None
    weeks, days, hours, minutes = (int(number or 0) for number in match.groups())
    try:
        return start + timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes)
    except OverflowError:
        return None


def _zone_named(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _zone_of(found: _Property | None, moment: datetime) -> str:
    if moment.tzinfo is not None:
        return str(moment.tzinfo)
    return (found.parameters.get("TZID") if found else "") or "local time"


def _tell(moment: date) -> str:
    day = f"{moment:%A} {moment.day} {moment:%B %Y} ({moment:%Y-%m-%d})"
    return f"{day}, {moment:%H:%M}" if isinstance(moment, datetime) else day


def _person(found: _Property) -> str:
    address = re.sub("^mailto:", "", found.value.strip(), flags=re.IGNORECASE)
    name = found.parameters.get("CN", "")
    return f"{name} <{address}>" if name and name != address else address


def _value(found: _Property) -> str:
    return _unescape(found.value).strip()


def _unescape(value: str) -> str:
    return _ESCAPE.sub(lambda match: "\n" if match[1] in "nN" else match[1], value)


def _metadata(name: str, entries: Sequence[_Entry], zone: tzinfo) -> dict[str, str]:
    alone = entries[0] if len(entries) == 1 else _Entry()
    organizer = alone.first("ORGANIZER")
    stamps = [
        stamp.isoformat()
        for entry in entries
        for stamp in map(_moment, map(entry.first, _STAMPS), repeat(zone))
        if isinstance(stamp, datetime)
    ]
    languages = [
        each.parameters.get("LANGUAGE", "") for entry in entries for each in entry.properties
    ]
    described = {
        "title": name or alone.text("SUMMARY"),
        "author": _person(organizer) if organizer else "",
        "published_at": max(stamps, default=""),
        "language": next(filter(None, languages), ""),
    }
    return {key: value for key, value in described.items() if value}
