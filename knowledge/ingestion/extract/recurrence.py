"""How often an entry of a calendar comes again, in words."""

import re

_UNITS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year", "HOURLY": "hour"}
_DAYS = {
    "MO": "Monday", "TU": "Tuesday", "WE": "Wednesday", "TH": "Thursday",
    "FR": "Friday", "SA": "Saturday", "SU": "Sunday",
}  # fmt: skip
_PLACES = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", -1: "last"}
_DAY = re.compile(r"([+-]?\d{1,2})?([A-Z]{2})")
_UNTIL = re.compile(r"(\d{4})(\d\d)(\d\d).*")


def describe_rule(rule: str) -> str:
    """Return a recurrence rule as words; one of an unusual kind as it is written."""
    parts = dict(part.partition("=")[::2] for part in rule.upper().split(";"))
    unit = _UNITS.get(parts.get("FREQ", ""))
    if unit is None:
        return rule
    interval = parts.get("INTERVAL", "1")
    words = [f"every {unit}" if interval == "1" else f"every {interval} {unit}s"]
    days = [_day(day) for day in parts.get("BYDAY", "").split(",") if day]
    if days:
        words.append(f"on {', '.join(days)}")
    if parts.get("BYMONTHDAY"):
        words.append(f"on day {parts['BYMONTHDAY'].replace(',', ', ')} of the month")
    until = _UNTIL.fullmatch(parts.get("UNTIL", ""))
    if until:
        words.append(f"until {until[1]}-{until[2]}-{until[3]}")
    if parts.get("COUNT"):
        words.append(f"{parts['COUNT']} times")
    return " ".join(words)


def _day(written: str) -> str:
    match = _DAY.fullmatch(written)
    if match is None or match[2] not in _DAYS:
        return written
    place = _PLACES.get(int(match[1])) if match[1] else ""
    return f"the {place} {_DAYS[match[2]]}" if place else _DAYS[match[2]]
