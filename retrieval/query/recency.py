"""Finds out whether a question asks for the newest state of things. Pure."""

import re
from dataclasses import dataclass

# Words that ask for one thing, the newest of its kind.
_NEWEST = (
    r"(?:very )?latest|newest|most recent(?:ly)?|most up[- ]to[- ]date|up[- ]to[- ]date"
    r"|as of (?:now|today)|right now|at the moment|these days"
    r"|last (?:\w+ )?(?:call|chat|contact|conversation|e-?mail|interaction|invoice|letter|meeting"
    r"|message|note|order|ticket|update|visit)|did (?:we|you|they|i|he|she) last"
)
# Words that only prefer the present: a sentence about anything may hold them.
_PRESENT = r"current(?:ly)?|at present|now(?:adays)?|today|recent(?:ly)?"
# The same words with another meaning.
_OTHERWISE = r"current (?:account|accounts|assets|liabilities|ratio)|until now|by now|now that"
_QUOTED = r"\"[^\"]*\"|“[^“”]*”|(?<!\w)'[^']*'(?!\w)|(?<!\w)\u2018[^\u2018\u2019]*\u2019(?!\w)"
_CUES = re.compile(
    rf"(?P<not>{_QUOTED}|\b(?:{_OTHERWISE})\b)"
    rf"|\b(?P<newest>{_NEWEST})\b|\b(?P<present>{_PRESENT})\b",
    re.IGNORECASE,
)

PRESENT_STRENGTH = 0.4
# In a longer question the words stand for a smaller part of what is asked.
WORDS_IN_FULL = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Recency:
    """How much a question asks for the newest, 0..1, and by which words.

    `topic` is the question without the words that say no more than that.
    """

    words: tuple[str, ...]
    strength: float
    topic: str


def find_recency(question: str) -> Recency | None:
    """Return what the question says of recency; quotations and names ("Latest News") say nothing.

    A question of which nothing else would be left is its own topic.
    """
    cues = [match for match in _CUES.finditer(question) if _is_cue(match)]
    if not cues:
        return None
    is_newest = any(match["newest"] for match in cues)
    length = len(question.split())
    strength = (1.0 if is_newest else PRESENT_STRENGTH) * min(1.0, WORDS_IN_FULL / length)
    return Recency(
        words=tuple(match[0] for match in cues),
        strength=round(strength, 3),
        topic=_without(question, [match for match in cues if _is_empty(match)]),
    )


def _is_cue(match: re.Match[str]) -> bool:
    if match["not"]:
        return False
    # A capital within a sentence makes a name of it; a question all in capitals has none.
    is_name = match[0][0].isupper() and match.start() > 0 and not match.string.isupper()
    return not is_name


def _is_empty(match: re.Match[str]) -> bool:
    """Whether the words say nothing of the topic; "last meeting" does."""
    return bool(match["newest"]) and "last" not in match[0].casefold().split()


def _without(question: str, matches: list[re.Match[str]]) -> str:
    kept, start = [], 0
    for match in matches:
        kept.append(question[start : match.start()])
        start = match.end()
    kept.append(question[start:])
    topic = " ".join(" ".join(kept).split())
    return topic if any(character.isalnum() for character in topic) else question
