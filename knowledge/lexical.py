"""Normalised text and extra search terms: what lets part of a code, mail or CJK word match.

PostgreSQL's stock parser keeps `dana.lee@northwind.example` whole, reads the hyphen of `KX-4471-B`
as a sign and a Japanese sentence as one word. The same functions run over documents and over
questions, so both sides yield the same terms. Every term is one lexeme of the `simple`
configuration: lower case, letters and digits only.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import groupby, islice, pairwise

from knowledge.function_words import FUNCTION_WORDS

MAX_TERMS = 512
MAX_TERM_LENGTH = 64
MAX_JOINED_PARTS = 6
MAX_PIECES_PER_PART = 4
MIN_PHONE_DIGITS = 7
MAX_PHONE_DIGITS = 15

_INVISIBLE = dict.fromkeys(
    [
        0x00AD,  # soft hyphen
        0x034F,  # combining grapheme joiner
        0x061C,  # Arabic letter mark
        0x115F,  # Hangul fillers
        0x1160,
        0x3164,
        0xFFA0,
        0x17B4,  # Khmer inherent vowels
        0x17B5,
        *range(0x180B, 0x1810),  # Mongolian variation selectors and vowel separator
        *range(0x200B, 0x2010),  # zero width space, joiners, direction marks
        *range(0x202A, 0x202F),  # bidirectional embeddings and overrides
        *range(0x2060, 0x2070),  # word joiner, invisible operators, isolates
        *range(0xFE00, 0xFE10),  # variation selectors
        0xFEFF,  # byte order mark
        *range(0xE0000, 0xE01F0),  # tags, supplementary variation selectors
    ]
)
_HYPHENS = dict.fromkeys([0x2010, 0x2011, 0x2212], "-")
_REPLACED = {**_INVISIBLE, **_HYPHENS}

# Scripts written without spaces between words, and Hangul, whose particles stick to the word.
_UNSPACED = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\u1100-\u11ff\uac00-\ud7a3"
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e80-\u0ecf\u0edc-\u0edf\u1000-\u103f\u1780-\u17d3"
)
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")

# Letters whose base letter Unicode does not name, so that decomposition leaves them alone.
_BASE_LETTERS = str.maketrans(
    {
        "ß": "ss",
        "æ": "ae",
        "œ": "oe",
        "ø": "o",
        "đ": "d",
        "ð": "d",
        "ł": "l",
        "\u0131": "i",
        "þ": "th",
        "ħ": "h",
    }
)
# Only alphabets whose marks are accents: in Indic scripts the marks are the vowels.
_ACCENTED = re.compile("[\u00c0-\u024f\u0370-\u06ff\u1e00-\u1fff]")
_ACCENT = re.compile("[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]")

_LETTER_OR_DIGIT = "(?:[0-9a-z]|(?=[^\\W_])[\u00aa-\u06ff\u1e00-\u1fff])"
_PART = re.compile(f"{_LETTER_OR_DIGIT}+")
_PIECE = re.compile(r"[0-9]+|[^0-9]+")
_COMPOUND = re.compile(f"{_LETTER_OR_DIGIT}+(?:[-\u2013_/.@\\\\&]+{_LETTER_OR_DIGIT}+)*")
_TOKEN = re.compile(r"\S+")
_EDGE_PUNCTUATION = ".,;:!?()[]{}\"'“”\u2018\u2019«»…*`<>|"
_PLUS_OR_SHARP = re.compile(r"(?<![^\W_])([a-z][0-9a-z]{0,15})(\+\+|#)(?![#+])")
_DOT_NAME = re.compile(r"(?<![^\W_.])\.([a-z]{2,16})(?![^\W_])")
_NEGATIVE = re.compile(r"(?<![^\s(\[=:<>~|,;])-([0-9]+(?:[.,][0-9]+)?)(?![0-9])")
_THOUSANDS = re.compile(r"(?<![0-9.,])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])")
_NAME_PREFIX = re.compile(r"(?<![^\W_])([a-z]{1,2})['\u2019]([a-z]{3,})")
_PHONE = re.compile(
    r"(?<![0-9a-z])\+?\(?[0-9]{1,5}\)?(?:[ ./-]{1,2}\(?[0-9]{2,5}\)?){1,6}(?![0-9a-z])"
)
_DIGITS = re.compile(r"[0-9]+")
_SCIENTIFIC = re.compile(r"[0-9]+e[0-9]")
_CLUSTER_EXTENDERS = frozenset({"Mn", "Mc", "Me"})
_WORD_SEPARATORS = frozenset("-\u2013&")


def normalise_text(text: str) -> str:
    """Fold compatibility forms and drop invisible characters; line ends and tabs stay."""
    if text.isascii():
        return text
    composed = unicodedata.normalize("NFKC", text.translate(_REPLACED))
    return unicodedata.normalize("NFKC", composed.translate(_REPLACED))


def fold_accents(text: str) -> str:
    """Return `text` in lower case, without accents, with ASCII digits."""
    lowered = text.lower()
    if lowered.isascii():
        return lowered
    lowered = _ACCENTED.sub(_without_accent, lowered.translate(_BASE_LETTERS))
    return "".join(map(_ascii_digit, _ACCENT.sub("", lowered)))


def identifier_terms(text: str) -> list[str]:
    """Return the extra search terms of codes, addresses, numbers and words without spaces.

    Ordered by place, each once, at most MAX_TERMS. A plain unaccented word yields nothing: the
    language configuration already indexes it.
    """
    normalised = normalise_text(text)
    return [] if _is_plain(normalised) else _bounded(_terms(normalised))


def question_terms(text: str) -> list[str]:
    """Return `identifier_terms` of a question and its plain words, unstemmed.

    A word of a question may be part of an identifier or an accented word of a document, and those
    parts are indexed as they stand.
    """
    normalised = normalise_text(text)
    folded = fold_accents(_UNSPACED_RUN.sub(" ", normalised))
    return _bounded([*_terms(normalised), *_PART.findall(folded)])


def _is_plain(normalised: str) -> bool:
    """Tell at a glance of most questions that there is nothing but ordinary words in them."""
    if not (normalised.isascii() and normalised.islower()):
        return False
    words = normalised.split(" ")
    return all(map(str.isalpha, words)) and not FUNCTION_WORDS.issuperset(words)


def _bounded(terms: Iterable[str]) -> list[str]:
    fitting = (_as_lexeme(term) for term in terms if len(term) <= MAX_TERM_LENGTH)
    return list(islice(dict.fromkeys(fitting), MAX_TERMS))


def _terms(normalised: str) -> Iterator[str]:
    spaced = _UNSPACED_RUN.sub(" \\g<0> ", normalised)
    for match in _TOKEN.finditer(spaced):
        token = match[0]
        if _UNSPACED_RUN.match(token):
            yield from _bigrams(token)
            continue
        bare = token.strip(_EDGE_PUNCTUATION)
        if token[0] == "." or not (bare.isascii() and bare.isalpha()):
            yield from _token_terms(token)
    yield from _phone_terms(fold_accents(spaced))
    for line in normalised.splitlines():
        yield from _little_word_terms(line)


def _little_word_terms(line: str) -> Iterator[str]:
    """Yield terms of names made of little words, which language configurations drop.

    `The Who` is `thewho`, a line of nothing else its neighbours in pairs, the department `IT` `it`.
    """
    words = [word for token in line.split() if (word := token.strip(_EDGE_PUNCTUATION))]
    is_all_little = all(word.lower() in FUNCTION_WORDS for word in words)
    for is_name, run in groupby(words, key=lambda word: is_all_little or _is_little_name(word)):
        if is_name:
            yield from (f"{first}{second}".lower() for first, second in pairwise(run))
    around = ["", *words, ""]
    for before, word, after in zip(around, words, around[2:], strict=False):
        is_alone = _is_acronym(word) and not (_is_acronym(before) or _is_acronym(after))
        if is_alone and word.lower() in FUNCTION_WORDS | {"us"} and not line.isupper():
            yield word.lower()


def _is_little_name(word: str) -> bool:
    return word[0].isupper() and not _is_acronym(word) and word.lower() in FUNCTION_WORDS


def _is_acronym(word: str) -> bool:
    return len(word) > 1 and word.isalpha() and word.isupper()


def _bigrams(run: str) -> Iterator[str]:
    """Yield pairs of neighbouring letters; a letter keeps its marks, so no term starts with one."""
    letters: list[str] = []
    for character in run:
        if letters and unicodedata.category(character) in _CLUSTER_EXTENDERS:
            letters[-1] += character
        else:
            letters.append(character)
    letters = [letter for letter in letters if letter[0].isalnum()]
    if len(letters) == 1:
        yield letters[0]
    for first, second in pairwise(letters):
        yield first + second


def _token_terms(token: str) -> Iterator[str]:
    folded = fold_accents(token)
    for name, sign in _PLUS_OR_SHARP.findall(folded):
        yield name + ("plusplus" if sign == "++" else "sharp")
    for name in _DOT_NAME.findall(folded):
        yield f"dot{name}"
    for number in _NEGATIVE.findall(folded):
        yield "neg" + re.sub("[.,]", "d", number)
    for number in _THOUSANDS.findall(folded):
        yield number.replace(",", "")
    for before, after in _NAME_PREFIX.findall(folded):
        yield before + after
    is_folded = folded != token.lower()
    for match in _COMPOUND.finditer(folded):
        yield from _compound_terms(match[0])
        if is_folded:
            yield from (part for part in _PART.findall(match[0]) if len(part) > 1)


def _compound_terms(compound: str) -> Iterator[str]:
    parts = _PART.findall(compound)
    if len(parts) == 1 and compound.isalpha():
        return
    separators = set(_PART.sub("", compound))
    if separators <= _WORD_SEPARATORS and not any(map(str.isdecimal, compound)):
        # The language configuration reads the words of `e-mail` itself, but not `email`.
        yield "".join(parts)
        return
    if "@" not in compound and len(parts) <= MAX_JOINED_PARTS:
        yield from _segment_terms(compound)
        return
    for segment in re.split(r"[/\\@]+", compound):
        yield from _segment_terms(segment)
    yield "".join(parts)


def _segment_terms(segment: str) -> Iterator[str]:
    parts = _PART.findall(segment)
    yield from (part for part in parts if len(part) > 1)
    pieces = list(_pieces(segment))
    longest = len(pieces) if len(pieces) <= MAX_JOINED_PARTS else 2
    for length in range(1, longest + 1):
        for start in range(len(pieces) - length + 1):
            term = "".join(pieces[start : start + length]).removeprefix(".").replace(".", "d")
            if len(term) > 1:
                yield term


def _pieces(segment: str) -> Iterator[str]:
    """Yield runs of letters and runs of digits; a number after `number.` starts with the dot.

    The dot between two numbers stays visible in a join: 2.10.3 is not 21.0.3.
    """
    end = 0
    for match in _PART.finditer(segment):
        pieces = _PIECE.findall(match[0])
        if len(pieces) > MAX_PIECES_PER_PART:
            pieces = [match[0]]
        is_decimal = segment[end : match.start()] == "." and segment[end - 1].isdecimal()
        if is_decimal and pieces[0][0].isdecimal():
            pieces[0] = f".{pieces[0]}"
        end = match.end()
        yield from pieces


def _phone_terms(folded: str) -> Iterator[str]:
    for match in _PHONE.finditer(folded):
        groups = _DIGITS.findall(match[0])
        if MIN_PHONE_DIGITS <= sum(map(len, groups)) <= MAX_PHONE_DIGITS:
            for start in range(len(groups)):
                for end in range(start + 2, len(groups) + 1):
                    yield "".join(groups[start:end])


def _as_lexeme(term: str) -> str:
    # `12e5f` would be read as the number 12e5 and the word f.
    return f"x{term}" if _SCIENTIFIC.match(term) else term


def _without_accent(match: re.Match[str]) -> str:
    return _ACCENT.sub("", unicodedata.normalize("NFD", match[0]))


def _ascii_digit(character: str) -> str:
    if character.isascii() or not character.isdecimal():
        return character
    return str(unicodedata.decimal(character))
