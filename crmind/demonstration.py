"""The question that shows a fresh installation at work, and how its answer is printed."""

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

SNIPPET_CHARACTERS = 160


def render_answer(body: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines that show a search response of the API."""
    judgment = body["judgment"]
    yield f"  verdict: {judgment['verdict']} ({' '.join(judgment['reasons'])})"
    for hit in body["hits"]:
        date = (hit["published_at"] or "undated")[:10]
        yield f"  {hit['rank']}. {hit['score']:.3f}  {hit['title']}"
        trust = hit["receipt"]["trust"]
        yield f"     {hit['source_name']}, {hit['source_type']}, {date}, trust {trust:.2f}"
        snippet = textwrap.shorten(hit["text"], SNIPPET_CHARACTERS, placeholder=" ...")
        yield f"     {snippet}"
