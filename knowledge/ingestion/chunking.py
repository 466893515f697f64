"""Cuts a document into passages that the embedding model reads whole.

Cuts fall where the outline of the text offers them: between sections, paragraphs, table rows,
sentences. The text is tokenized once to plan the cuts; then each passage is counted as it will be
embedded, and one that is too long after all is cut again.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from knowledge.embedding.base import Tokenizer
from knowledge.exceptions import ChunkingError
from knowledge.ingestion.cuts import cut_evenly, overlap_start, trimmed
from knowledge.ingestion.passages import DEFAULT_MAX_TOKENS, lead_text, passage_text
from knowledge.ingestion.structure import Break, Segment, Table, find_segments
from knowledge.ingestion.token_index import TokenIndex
from knowledge.ingestion.types import TextChunk

MIN_MAX_TOKENS = 16
# Blank or unknown text takes few tokens; a chunk is bounded for the reader and the index as well.
MAX_CHARACTERS_PER_TOKEN = 16
SMALL_SHARE = 0.3
MAX_PREFIX_SHARE = 0.25
MIN_FILL_WITH_PREFIX = 64
MIN_FILL = 0.5
_BREAK_WORTH = {
    Break.NONE: -1.0,
    Break.WORD: 0.0,
    Break.LINE: 0.1,
    Break.SENTENCE: 0.2,
    Break.PARAGRAPH: 0.4,
    Break.HEADING: 0.6,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkingSettings:
    """Sizes in tokens of whole passages, special tokens included.

    Passages are filled up to `target_tokens` and never exceed `max_tokens`.
    """

    max_tokens: int = DEFAULT_MAX_TOKENS
    target_tokens: int = 220
    overlap_tokens: int = 0

    def __post_init__(self) -> None:
        if self.max_tokens < MIN_MAX_TOKENS:
            message = f"max_tokens: {self.max_tokens} is too small; at least {MIN_MAX_TOKENS}"
            raise ChunkingError(message, field="max_tokens")
        if self.target_tokens < 1:
            message = f"target_tokens: {self.target_tokens} is not a size"
            raise ChunkingError(message, field="target_tokens")
        if not 0 <= self.overlap_tokens < self.fill_tokens:
            message = (
                f"overlap_tokens: {self.overlap_tokens} must be at least 0 and less than the"
                f" size of a chunk, {self.fill_tokens}"
            )
            raise ChunkingError(message, field="overlap_tokens")

    @property
    def fill_tokens(self) -> int:
        """How full a passage is made."""
        return min(self.target_tokens, self.max_tokens)

    @property
    def max_characters(self) -> int:
        return self.max_tokens * MAX_CHARACTERS_PER_TOKEN


def split_into_chunks(
    text: str, *, title: str, tokenizer: Tokenizer, settings: ChunkingSettings
) -> list[TextChunk]:
    """Cut `text` into passages of at most `settings.max_tokens`; blank text gives none.

    Without overlap only white space lies between the spans of two chunks. A table row is cut only
    if it does not fit into a chunk of its own, a user-perceived character only if it alone exceeds
    the limit.
    """
    return list(_Chunker(text, title=title, tokenizer=tokenizer, settings=settings).chunks())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """A planned chunk; it may overlap with the chunk before inside one run of sentences."""

    start: int
    end: int
    token_count: int
    heading_path: tuple[str, ...]
    table: Table | None = None
    may_overlap: bool = False


class _Chunker:
    def __init__(
        self, text: str, *, title: str, tokenizer: Tokenizer, settings: ChunkingSettings
    ) -> None:
        self._text = text
        self._title = title
        self._tokenizer = tokenizer
        self._settings = settings
        self._special_tokens = tokenizer.count("")
        self._budgets: dict[tuple[tuple[str, ...], Table | None], int] = {}
        self._prefixes: dict[Table, str] = {}

    @cached_property
    def _tokens(self) -> TokenIndex:
        return TokenIndex(self._text, self._tokenizer)

    def chunks(self) -> Iterator[TextChunk]:
        position = 0
        previous_start = -1
        segments = find_segments(self._text)
        for piece in self._pieces(segments):
            for chunk in self._fitting(piece, position, previous_start):
                yield chunk
                position += 1
                previous_start = chunk.start

    def _pieces(self, segments: list[Segment]) -> list[_Piece]:
        whole = self._whole(segments)
        if whole:
            return [whole]
        pieces: list[_Piece] = []
        for section in _sections(segments):
            pieces.extend(self._pack(self._short_segments(section)))
        return self._merge_small(pieces)

    def _whole(self, segments: list[Segment]) -> _Piece | None:
        """Return the piece of a text that needs no cut."""
        if not segments or len(self._text) > self._settings.max_characters:
            return None
        path = _common_path([segment.heading_path for segment in segments])
        count = self._tokens.count(0, len(self._text))
        if count > self._budget(path, None):
            return None
        return _Piece(start=0, end=len(self._text), token_count=count, heading_path=path)

    def _budget(self, path: tuple[str, ...], table: Table | None) -> int:
        """Return how many tokens of text fit below the headings and the header of the table."""
        key = (path, table)
        if key not in self._budgets:
            settings = self._settings
            lead = lead_text(
                title=self._title, heading_path=path, text="", max_tokens=settings.max_tokens
            )
            taken = self._tokenizer.count(lead)
            if table:
                taken += self._tokenizer.count(self._prefix(table)) - self._special_tokens
            fill = settings.fill_tokens
            # Under a long title a small target would leave no room for text.
            least = min(fill // 2, settings.max_tokens - taken)
            self._budgets[key] = max(fill - settings.overlap_tokens - taken, least, 1)
        return self._budgets[key]

    def _prefix(self, table: Table) -> str:
        """Return the header line of the table, cut where it would crowd out the rows."""
        if table not in self._prefixes:
            header = self._text[table.header_start : table.header_end].strip()
            fill = self._settings.fill_tokens
            limit = int(fill * MAX_PREFIX_SHARE) if fill >= MIN_FILL_WITH_PREFIX else 0
            offsets = self._tokenizer.offsets(header)
            if len(offsets) > limit:
                header = header[: offsets[limit][0]].rpartition("|")[0]
            self._prefixes[table] = header
        return self._prefixes[table]

    def _short_segments(self, section: Sequence[Segment]) -> list[Segment]:
        """Cut the segments that do not fit into a chunk of their own."""
        counts = self._tokens.before_each([s.start for s in section] + [section[-1].end])
        path = section[-1].heading_path
        short: list[Segment] = []
        for number, segment in enumerate(section):
            budget = self._budget(path, segment.table)
            length = segment.end - segment.start
            count = counts[number + 1] - counts[number]
            if count <= budget and length <= self._settings.max_characters:
                short.append(segment)
                continue
            spans = cut_evenly(
                self._text,
                (segment.start, segment.end),
                tokens=self._tokens,
                max_tokens=budget,
                max_characters=self._settings.max_characters,
            )
            short.extend(_segment_parts(segment, spans))
        return short

    def _pack(self, segments: Sequence[Segment]) -> Iterator[_Piece]:
        """Fill chunks evenly with the segments of one section, and cut at the best break near."""
        starts = [segment.start for segment in segments] + [segments[-1].end]
        counts = self._tokens.before_each(starts)
        path = segments[-1].heading_path
        first = 0
        may_overlap = False
        while first < len(segments):
            segment = segments[first]
            budget = self._budget(path, segment.table)
            last = self._last_fitting(starts, counts, first=first, budget=budget)
            if last < len(segments):
                last = _best_cut(segments, counts, first=first, last=last, budget=budget)
            yield _Piece(
                start=segment.start,
                end=segments[last - 1].end,
                token_count=counts[last] - counts[first],
                heading_path=path,
                table=segment.table,
                may_overlap=may_overlap,
            )
            may_overlap = not any(segment.table for segment in segments[last - 1 : last + 1])
            first = last

    def _last_fitting(
        self, starts: Sequence[int], counts: Sequence[int], *, first: int, budget: int
    ) -> int:
        """Return the end of the longest run of segments from `first` that fits, at least one."""
        by_tokens = bisect_right(counts, counts[first] + budget) - 1
        by_length = bisect_right(starts, starts[first] + self._settings.max_characters) - 1
        return max(min(by_tokens, by_length, len(starts) - 1), first + 1)

    def _merge_small(self, pieces: Sequence[_Piece]) -> list[_Piece]:
        """Join a small piece to its neighbour under one heading where both fit into a chunk."""
        merged: list[_Piece] = []
        for piece in pieces:
            joined = self._joined(merged[-1], piece) if merged else None
            if joined:
                merged[-1] = joined
            else:
                merged.append(piece)
        return merged

    def _joined(self, first: _Piece, second: _Piece) -> _Piece | None:
        path = _common_path([first.heading_path, second.heading_path])
        is_under_one_heading = path or not first.heading_path or not second.heading_path
        budget = self._budget(path, first.table)
        count = self._tokens.count(first.start, second.end)
        small = SMALL_SHARE * self._settings.fill_tokens
        if (
            is_under_one_heading
            and min(first.token_count, second.token_count) < small
            and count <= budget
            and second.end - first.start <= self._settings.max_characters
        ):
            return _Piece(
                start=first.start,
                end=second.end,
                token_count=count,
                heading_path=path,
                table=first.table,
                may_overlap=first.may_overlap,
            )
        return None

    def _fitting(self, piece: _Piece, position: int, previous_start: int) -> Iterator[TextChunk]:
        """Yield the piece, or its halves if its passage is too long after all."""
        start, end = trimmed(self._text, piece.start, piece.end)
        if start == end:
            return
        prefix = self._prefix(piece.table) if piece.table else ""
        earlier = self._overlap_start(piece, start, previous_start)
        for begin in dict.fromkeys((earlier, start)):
            chunk = self._chunk((begin, end), piece.heading_path, prefix, position)
            if chunk.token_count <= self._settings.max_tokens:
                yield chunk
                return
        for part in self._halves(piece, start, end):
            for part_chunk in self._fitting(part, position, previous_start):
                yield part_chunk
                position += 1

    def _overlap_start(self, piece: _Piece, start: int, previous_start: int) -> int:
        if not piece.may_overlap or not self._settings.overlap_tokens:
            return start
        earliest = self._tokens.start_before(start, self._settings.overlap_tokens)
        return overlap_start(self._text, start, earliest=max(earliest, previous_start + 1))

    def _halves(self, piece: _Piece, start: int, end: int) -> Iterator[_Piece]:
        if end - start == 1:
            message = f"max_tokens: {self._settings.max_tokens} do not hold a single character"
            raise ChunkingError(message, field="max_tokens")
        tokens = TokenIndex(self._text[start:end], self._tokenizer)
        total = tokens.count(0, end - start)
        spans = cut_evenly(
            self._text[start:end],
            (0, end - start),
            tokens=tokens,
            max_tokens=max(total // 2, 1),
            max_characters=max((end - start) // 2, 1),
        )
        for part_start, part_end in spans:
            yield _Piece(
                start=start + part_start,
                end=start + part_end,
                token_count=0,
                heading_path=piece.heading_path,
                table=piece.table,
            )

    def _chunk(
        self, span: tuple[int, int], path: tuple[str, ...], prefix: str, position: int
    ) -> TextChunk:
        start, end = span
        text = self._text[start:end]
        return TextChunk(
            position=position,
            text=text,
            start=start,
            end=end,
            token_count=self._tokenizer.count(self._passage(text, path, prefix=prefix)),
            heading_path=path,
            prefix=prefix,
        )

    def _passage(self, text: str, path: tuple[str, ...], *, prefix: str) -> str:
        return passage_text(
            title=self._title,
            heading_path=path,
            prefix=prefix,
            text=text,
            max_tokens=self._settings.max_tokens,
        )


def _sections(segments: Sequence[Segment]) -> Iterator[Sequence[Segment]]:
    """Yield the runs of segments under one heading; a heading without text joins the next run."""
    first = 0
    for number in range(1, len(segments) + 1):
        is_end = number == len(segments)
        if is_end or (segments[number].is_heading and not segments[number - 1].is_heading):
            yield segments[first:number]
            first = number


def _segment_parts(segment: Segment, spans: Iterable[tuple[int, int]]) -> Iterator[Segment]:
    for number, (start, end) in enumerate(spans):
        yield Segment(
            start=start,
            end=end,
            break_before=Break.WORD if number else segment.break_before,
            heading_path=segment.heading_path,
            table=segment.table,
        )


def _best_cut(
    segments: Sequence[Segment], counts: Sequence[int], *, first: int, last: int, budget: int
) -> int:
    """Return the segment to cut before: near an even share of what is left, at a good break."""
    left = counts[-1] - counts[first]
    share = left / -(-left // budget) if left else 1.0

    def worth(number: int) -> tuple[float, int]:
        filled = counts[number] - counts[first]
        break_worth = _BREAK_WORTH[segments[number].break_before]
        return break_worth - abs(filled - share) / share, number

    earliest = bisect_right(counts, counts[first] + int(share * MIN_FILL), first + 1, last)
    return max(range(min(earliest, last), last + 1), key=worth)


def _common_path(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    shortest, longest = min(paths), max(paths)
    for depth, heading in enumerate(shortest):
        if longest[depth : depth + 1] != (heading,):
            return shortest[:depth]
    return shortest
