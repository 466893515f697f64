"""Judges whether an answer is worth keeping, and reads which evidence it cites."""

import re
from collections.abc import Callable

_MARK = re.compile(r"\[\s*(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\s*\]")
_OPENING_CHARACTERS = 240
_REFUSAL = re.compile(
    r"""
    \b(?: i | we )\s+(?:do\ not|don't|did\ not|didn't)\s+(?:know|have|find|see|understand)\b
    | \b(?: i | we )(?:\ am|'m|\ are|'re|\ was|\ were)\s+
        (?:sorry|afraid|unable|not\ (?:able|sure))\b
    | \b(?: i | we )\s+(?:cannot|can't|can\ not|could\ not|couldn't|won't)\b
    | \b(?:unable|not\ able)\s+to\s+(?:answer|help|find|determine|provide|assist)\b
    | \b(?:not\ enough|insufficient|no(?:\ relevant)?)\s+(?:information|evidence|context|data)\b
    | \b(?:context|documents?|evidence|passages?|sources?)\s+(?:do|does)\ not\s+
        (?:say|contain|mention|include|provide|answer|cover)\b
    | \bas\ an\ ai\b | \bno\ (?:answer|results?)\ (?:was|were)?\s*(?:found|available)\b
    | ^\W*sorry\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FAILURE = re.compile(
    r"""
    ^\W*(?:error|exception|traceback|fatal)\b
    | ^\W*(?:(?:http\S*|status|code)\s+)*[45]\d\d\W*$
    | ^\W*(?:http\S*|status|code)\W+[45]\d\d\b
    | \b(?:rate\ limit|too\ many\ requests|internal\ server\ error|service\ unavailable)\b
    | \b(?:bad\ gateway|gateway\ time-?out|quota\ exceeded|request\ timed\ out)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_UNFINISHED = re.compile(
    r"(?:[,;:(\[{\u2013\u2014-]|\.{3}|…|\b(?:and|or|the|a|an|of|to|with))$", re.IGNORECASE
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
    return text[:_OPENING_CHARACTERS].replace("\u2019", "'")


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
