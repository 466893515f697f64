"""Reads the outline of a text: headings, table rows, paragraphs and sentences."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

import regex

MAX_HEADING_LENGTH = 200
MAX_RULED_HEADING_LENGTH = 80

_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_HASHES = re.compile(r" {0,3}(#{1,6})[ \t]+(?=\S)")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_RULE = re.compile(r"(?:={3,}|-{3,})\s*")
_TABLE_RULE_CHARACTERS = frozenset("|:- \t\n")
_BOUNDARY = re.compile(
    r"\n"
    r"|(?<![.!?…])[.!?…]+[\"'\u2019”»)\]]*(?=[ \t]+[^\sa-z])"
    r"|[。！？｡]+[」』）”\u2019\"]*"  # noqa: RUF001 - the signs of Chinese and Japanese
)
_ENDS_SENTENCE = frozenset(".!?:;…。！？｡")  # noqa: RUF001 - as above
_LIST_MARK = re.compile(r"[ \t]*(?:[-*+•–]|\d{1,3}[.)])[ \t]")  # noqa: RUF001 - a dash as a bullet
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[])(?:[A-Za-z]|dr|mr|mrs|ms|prof|st|vs|no|nr|fig|al|cf|approx|e\.g|i\.e|z\.b)$",
    re.IGNORECASE,
)
_ABBREVIATION_WINDOW = 8
_CLUSTER = regex.compile(r"\X")


class Break(IntEnum):
    """How well a text may be cut at a place; higher is better."""

    NONE = 0
    WORD = 1
    LINE = 2
    SENTENCE = 3
    PARAGRAPH = 4
    HEADING = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A Markdown table by the span of its header line; the span is empty where there is none."""

    header_start: int
    header_end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A stretch of text that is not cut unless it is too long; only white space lies between two.

    `table` is set on the rows below the header of a table.
    """

    start: int
    end: int
    break_before: Break
    heading_path: tuple[str, ...] = ()
    table: Table | None = None
    is_heading: bool = False


def find_segments(text: str) -> list[Segment]:
    """Return the headings, table lines and sentences of `text` in order."""
    return list(_Reader(text).segments())


def cuts_cluster(text: str, position: int) -> bool:
    """Tell whether a cut after white space or a sign would take marks from the letter they sit on.

    Looks back one character only, which is enough there.
    """
    if not 0 < position < len(text) or text[position].isascii():
        return False
    match = _CLUSTER.match(text, position - 1)
    return match is not None and match.end() > position


def last_cluster_boundary(text: str, start: int, limit: int) -> int:
    """Return the last place in `start`..`limit` that cuts no user-perceived character.

    `start` itself must be such a place; it is returned where one character fills the whole range.
    """
    boundary = start
    for match in _CLUSTER.finditer(text, start):
        if match.end() > limit:
            break
        boundary = match.end()
    return boundary


class _Reader:
    """Goes through the lines of one text once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = [match.span() for match in _LINE.finditer(text)]
        self._headings: list[tuple[int, str]] = []
        self._path: tuple[str, ...] = ()
        self._break = Break.PARAGRAPH
        self._is_below_heading = False

    def segments(self) -> Iterator[Segment]:
        number = 0
        while number < len(self._lines):
            start, end = self._lines[number]
            line = self._text[start:end]
            if not line.strip():
                # A heading stays with what it is a heading of.
                if not self._is_below_heading:
                    self._break = Break.PARAGRAPH
                number += 1
            elif _FENCE.match(line):
                last = self._end_of_fence(number)
                yield from self._prose(number, last)
                number = last
            elif heading := self._heading(number):
                level, title, length = heading
                yield self._heading_segment(number, level=level, title=title, length=length)
                number += length
            elif self._begins_table(number):
                last = self._end_of_table(number)
                yield from self._table(number, last)
                number = last
            else:
                last = self._end_of_paragraph(number)
                yield from self._prose(number, last)
                number = last

    def _line(self, number: int) -> str:
        if number >= len(self._lines):
            return ""
        start, end = self._lines[number]
        return self._text[start:end]

    def _heading(self, number: int) -> tuple[int, str, int] | None:
        """Return level, title and number of lines of the heading at this line."""
        line = self._line(number)
        match = _HASHES.match(line)
        if match:
            title = line[match.end() :].strip().rstrip("#").strip()
            if title and len(title) <= MAX_HEADING_LENGTH:
                return len(match[1]), title, 1
            return None
        title = line.strip()
        rule = self._line(number + 1)
        if (
            len(title) <= MAX_RULED_HEADING_LENGTH
            and _RULE.fullmatch(rule)
            and (rule[0] == "=" or title[-1] not in _ENDS_SENTENCE)
            and not _RULE.fullmatch(line)
            and not _is_table_line(line)
        ):
            return 1 if rule[0] == "=" else 2, title, 2
        return None

    def _heading_segment(self, number: int, *, level: int, title: str, length: int) -> Segment:
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        self._headings.append((level, title))
        self._path = tuple(title for _, title in self._headings)
        segment = Segment(
            start=self._lines[number][0],
            end=self._lines[number + length - 1][1],
            break_before=Break.HEADING,
            heading_path=self._path,
            is_heading=True,
        )
        self._break = Break.NONE
        self._is_below_heading = True
        return segment

    def _begins_table(self, number: int) -> bool:
        return _is_table_line(self._line(number)) or (
            "|" in self._line(number) and _is_table_rule(self._line(number + 1))
        )

    def _end_of_table(self, number: int) -> int:
        while "|" in self._line(number):
            number += 1
        return number

    def _table(self, first: int, last: int) -> Iterator[Segment]:
        has_header = last - first > 1 and _is_table_rule(self._line(first + 1))
        header_start = self._lines[first][0]
        header_end = header_start + len(self._line(first).rstrip()) if has_header else header_start
        table = Table(header_start=header_start, header_end=header_end)
        for number in range(first, last):
            is_below_header = not has_header or number > first + 1
            start, end = self._lines[number]
            yield Segment(
                start=start,
                end=end,
                break_before=self._break,
                heading_path=self._path,
                table=table if is_below_header else None,
            )
            self._break = Break.SENTENCE if is_below_header else Break.NONE
        self._break = Break.SENTENCE
        self._is_below_heading = False

    def _end_of_fence(self, number: int) -> int:
        fence = _FENCE.match(self._line(number))
        number += 1
        while number < len(self._lines):
            closing = _FENCE.match(self._line(number))
            number += 1
            if closing and fence and closing[1] == fence[1]:
                break
        return number

    def _end_of_paragraph(self, number: int) -> int:
        number += 1
        while number < len(self._lines):
            line = self._line(number)
            if not line.strip() or _FENCE.match(line) or _HASHES.match(line):
                break
            if self._begins_table(number):
                break
            number += 1
        return number

    def _prose(self, first: int, last: int) -> Iterator[Segment]:
        start, end = self._lines[first][0], self._lines[last - 1][1]
        for match in _BOUNDARY.finditer(self._text, start, end):
            cut = match.end()
            if not self._is_sentence_end(match) or cuts_cluster(self._text, cut):
                continue
            if self._text[start:cut].strip():
                yield self._sentence(start, cut)
            start = cut
            self._break = max(self._break, self._break_at(match))
        if self._text[start:end].strip():
            yield self._sentence(start, end)

    def _sentence(self, start: int, end: int) -> Segment:
        segment = Segment(start=start, end=end, break_before=self._break, heading_path=self._path)
        self._break = Break.NONE
        self._is_below_heading = False
        return segment

    def _is_sentence_end(self, match: re.Match[str]) -> bool:
        if match[0] != ".":
            return True
        before = self._text[max(0, match.start() - _ABBREVIATION_WINDOW) : match.start()]
        return not _ABBREVIATION.search(before)

    def _break_at(self, match: re.Match[str]) -> Break:
        if match[0] != "\n":
            return Break.SENTENCE
        before = self._text[match.start() - 1]
        rest = self._text[match.end() : match.end() + MAX_HEADING_LENGTH]
        if not rest.split("\n", 1)[0].strip():
            return Break.PARAGRAPH
        if before in _ENDS_SENTENCE or _LIST_MARK.match(rest):
            return Break.SENTENCE
        return Break.LINE


def _is_table_line(line: str) -> bool:
    return line.lstrip().startswith("|")


def _is_table_rule(line: str) -> bool:
    return "-" in line and "|" in line and _TABLE_RULE_CHARACTERS.issuperset(line)
