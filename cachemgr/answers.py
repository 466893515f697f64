"""Judges whether an answer is worth keeping, and reads which evidence it cites."""

import re
from collections.abc import Callable

from cachemgr.vocabulary.refusals import REFUSALS

_MARK = re.compile(r"\[\s*(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\s*\]")
_OPENING_CHARACTERS = 240
_REFUSAL = re.compile(
    "|".join(pattern.replace(" ", r"\s+") for each in REFUSALS.values() for pattern in each),
    re.IGNORECASE,
)
_FAILURE = re.compile(
    r"""
    ^\W*(?:error|exception|traceback|fatal)\b
    | ^\W*[45]\d\d\W*$
    | ^\W*(?:(?:http(?:/\d(?:\.\d)?)?|status|code)\W+){1,4}[45]\d\d\b
    | \b(?:rate\ limit|too\ many\ requests|internal\ server\ error|service\ unavailable)\b
    | \b(?:bad\ gateway|gateway\ time-?out|quota\ exceeded|request\ timed\ out)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_UNFINISHED = re.compile(
    r"(?:[,;:(\[{\u2013\u2014-]|\.{3}|…|\b(?:and|or|the|a|an|of|to|with|is|are|for|from|by))$",
    re.IGNORECASE,
)
_FENCE = "```"


def marked_numbers(answer: str) -> tuple[int, ...]:
    """Return the numbers of the marks like [1] or [2, 3] in an answer, each once, ascending."""
    marked = {
        int(number) for marks in _MARK.findall(answer) for number in re.split(r"\s*[,;]\s*", marks)
    }
    return tuple(sorted(marked))


def find_fault(answer: str, *, max_bytes: int) -> str:
    """Return in words why an answer must not be served again; "" when nothing speaks against it."""
    text = answer.strip()
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        return f"The answer has {size:,} bytes; at most {max_bytes:,} are kept."
    return next((fault for fault, is_found in _FAULTS.items() if is_found(text)), "")


def _opening(text: str) -> str:
    return _MARK.sub("", text[:_OPENING_CHARACTERS]).replace("\u2019", "'")


def _is_unstorable(text: str) -> bool:
    return any(character == "\0" or "\ud800" <= character <= "\udfff" for character in text)


def _breaks_off(text: str) -> bool:
    return bool(_UNFINISHED.search(text)) or text.count(_FENCE) % 2 == 1


_FAULTS: dict[str, Callable[[str], bool]] = {
    "The answer is empty.": lambda text: not text,
    "The answer holds NUL or half of a character (a lone surrogate).": _is_unstorable,
    "The answer is an error message.": lambda text: bool(_FAILURE.search(_opening(text))),
    "The answer says that there is no answer.": lambda text: bool(_REFUSAL.search(_opening(text))),
    "The answer breaks off.": _breaks_off,
}
