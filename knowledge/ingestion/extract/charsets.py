"""Which legacy code page turns these bytes into plausible writing.

A decoded text is scored letter by letter: +1 for a letter that the assumed language uses in a
sensible place, less for symbols inside words, letters of other scripts and unlikely capitals.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from knowledge.ingestion.extract.alphabets import (
    ALL_WESTERN,
    EVERYDAY,
    EVERYDAY_LEVEL,
    FREQUENT,
    MIXED_WESTERN_WEIGHT,
    MULTI_BYTE,
    PUNCTUATION,
    SINGLE_BYTE,
    WESTERN,
)

_APOSTROPHE = "\u2019"


@dataclass(frozen=True, slots=True, kw_only=True)
class CharsetGuess:
    """A code page and how plausible its reading is: 1 is perfect, below 0 is noise."""

    encoding: str
    score: float


def rank_charsets(sample: bytes) -> list[CharsetGuess]:
    """Order the code pages that can decode `sample`, most plausible first."""
    high_bytes = sum(byte >= 0x80 for byte in sample)  # noqa: PLR2004 - end of ASCII
    if not high_bytes:
        return []
    guesses = [
        CharsetGuess(encoding=encoding, score=total / high_bytes)
        for encoding, total in (*_score_multi_byte(sample), *_score_single_byte(sample))
    ]
    return sorted(guesses, key=lambda guess: -guess.score)


def _score_multi_byte(sample: bytes) -> Iterator[tuple[str, float]]:
    for name, codec, language in MULTI_BYTE:
        text = _decode_sample(sample, codec)
        if text is not None:
            score_letter = _multi_byte_scorer(language)
            yield (
                name if _is_encodable(text, name) else codec,
                sum(score_letter(letter) for letter in text if letter > "\x7f"),
            )


def _is_encodable(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _multi_byte_scorer(language: str) -> Callable[[str], float]:
    everyday = set(EVERYDAY[language])
    standard, first, last = EVERYDAY_LEVEL[language]

    def score_letter(letter: str) -> float:
        if "\uff61" <= letter <= "\uff9f":  # half-width katakana: one byte, and rare
            return -0.6
        if "\u3040" <= letter <= "\u30ff":
            return 2.2 if language == "ja" else -0.5
        if letter in everyday:
            return 2.4
        if "\u3000" <= letter <= "\u3020" or "\uff01" <= letter <= "\uff5e":
            return 1.6
        try:
            lead = letter.encode(standard)[0]
        except UnicodeEncodeError:
            return -1.5
        return 1.3 if first <= lead <= last else -0.8

    return score_letter


def _score_single_byte(sample: bytes) -> Iterator[tuple[str, float]]:
    for encoding, languages, prior in SINGLE_BYTE:
        text = _decode_sample(sample, encoding)
        if text is None:
            continue
        best = max(_score_writing(text, letters) for letters in languages.values())
        if languages is WESTERN:
            best = max(best, MIXED_WESTERN_WEIGHT * _score_writing(text, ALL_WESTERN))
        yield encoding, best * prior


def _score_writing(text: str, letters: str) -> float:
    alphabet = set(letters) | set(letters.upper())
    script = _is_latin(letters[0])
    total = 0.0
    before = " "
    for place, letter in enumerate(text):
        if letter > "\x7f":
            after = text[place + 1] if place + 1 < len(text) else " "
            total += _score_letter(letter, before, after, alphabet, is_latin=script)
        before = letter
    return total


def _score_letter(
    letter: str, before: str, after: str, alphabet: set[str], *, is_latin: bool
) -> float:
    if letter in PUNCTUATION:
        return -0.8 if before.isalpha() and after.isalpha() and letter != _APOSTROPHE else 0.9
    if letter not in alphabet:
        return -0.3 if letter.isalpha() else -1.0
    if letter.isupper() and before.isalpha() and before.islower():
        return -1.0
    neighbours = (before, after)
    if not is_latin and any(near.isascii() and near.isalpha() for near in neighbours):
        return -0.5
    if is_latin:
        return 1.0
    return 1.15 if letter.lower() in FREQUENT else 0.85


def _is_latin(letter: str) -> bool:
    return letter < "\u0370"


def _decode_sample(sample: bytes, encoding: str) -> str | None:
    try:
        return sample.decode(encoding)
    except UnicodeDecodeError:
        return None
