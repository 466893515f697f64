"""What is embedded for a chunk: its text below the title and the headings it stands under."""

from collections.abc import Sequence

DEFAULT_MAX_TOKENS = 256
# Share of the token limit that title and headings may take. A token is at least one letter of
# ASCII, or a third of another character, so their width bounds their tokens.
LEAD_SHARE = 0.6
MIN_MAX_TOKENS_WITH_LEAD = 32
HEADINGS_SHARE = 0.4
OTHER_CHARACTER_WIDTH = 3


def passage_text(
    *,
    title: str,
    heading_path: Sequence[str],
    prefix: str,
    text: str,
    max_tokens: int = DEFAULT_MAX_TOKENS,
) -> str:
    """Join title, headings, prefix and text; `max_tokens` bounds title and headings to a share.

    What the text itself begins with, or the title repeats, is not said twice.
    """
    lead = lead_text(title=title, heading_path=heading_path, text=text, max_tokens=max_tokens)
    return "\n".join(filter(None, (lead, prefix, text)))


def lead_text(*, title: str, heading_path: Sequence[str], text: str, max_tokens: int) -> str:
    """Return the lines above the text: the title, and the headings joined by `>`."""
    if max_tokens < MIN_MAX_TOKENS_WITH_LEAD:
        return ""
    width = int(max_tokens * LEAD_SHARE)
    said = _headings_said(text)
    title = " ".join(title.split())
    headings = [heading for heading in heading_path if _key(heading) not in {*said, _key(title)}]
    heading_line = _heading_line(headings, int(width * HEADINGS_SHARE))
    if _key(title) in said:
        return heading_line
    title_line = _cut(title, width - _width(heading_line))
    return "\n".join(filter(None, (title_line, heading_line)))


def _heading_line(headings: Sequence[str], width: int) -> str:
    """Join as many headings as fit; the nearest says most, so the outer ones go first."""
    line = ""
    for heading in reversed(headings):
        longer = f"{heading} > {line}" if line else _cut(heading, width)
        if _width(longer) > width:
            break
        line = longer
    return line


def _headings_said(text: str) -> set[str]:
    """Return the headings that open `text`."""
    said: set[str] = set()
    for line in text.split("\n", 8)[:8]:
        if line.startswith("#"):
            said.add(_key(line.strip("# \t")))
        elif line.strip():
            break
    return said


def _key(words: str) -> str:
    return " ".join(words.split()).casefold()


def _width(line: str) -> int:
    if line.isascii():
        return len(line)
    return sum(1 if character.isascii() else OTHER_CHARACTER_WIDTH for character in line)


def _cut(line: str, width: int) -> str:
    """Return the words of `line` that fit, or the letters where not even one word does."""
    if _width(line) <= width:
        return line
    end = 0
    used = 0
    for end, character in enumerate(line):  # noqa: B007 - the place reached is the result
        used += 1 if character.isascii() else OTHER_CHARACTER_WIDTH
        if used > width:
            break
    return line[:end].rpartition(" ")[0] or line[:end]
