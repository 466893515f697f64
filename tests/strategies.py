"""Hypothesis strategies that several tests share."""

import os

from hypothesis import strategies as st

QUESTIONS_MADE_UP = int(os.environ.get("QUESTIONS_MADE_UP", "150"))
"""How many questions a test of any question asks a real database."""

_LETTERS = "abcxyzABZéßüñžßщЖλ٤返品三十คืน้환불👍🏽‍👩‍👧🇩🇪\u0301\u200b\u202e\ufeff"
_SIGNS = " \t\n\n.,;:!?#|-_/@&+()[]'\"。、0123456789"

any_text = st.text(max_size=400)
"""Any Unicode but lone surrogates."""

broken_text = st.text(
    st.characters(codec=None, categories=None) | st.sampled_from("\x00\x0b\r\n\ud800\udc00"),
    max_size=200,
)
"""Anything a Python string can hold."""

document_text = st.one_of(
    any_text,
    st.text(st.sampled_from(_LETTERS + _SIGNS), max_size=1500),
    st.lists(
        st.sampled_from(
            [
                "# One\n",
                "## Two\n",
                "Underlined\n==========\n",
                "\n\n",
                "A sentence of a few words. ",
                "Dr. Lee said so! ",
                "- a point\n",
                "| a | b |\n|---|---|\n",
                "| 1 | KX-4471-B |\n",
                "```\n# no heading\n```\n",
                "x" * 150,
                "お客様は返品を申請できます。",
                "👩‍👩‍👧‍👦" * 5,
                "e\u0301" * 7,
                " " * 40,
            ]
        ),
        max_size=60,
    ).map("".join),
)
"""Text with headings, tables, sentences, long words and marks on letters."""

codes = st.lists(
    st.from_regex(r"[A-Z]{1,4}|[0-9]{1,5}|[A-Z]{2}[0-9]{2}", fullmatch=True),
    min_size=2,
    max_size=5,
).filter(lambda parts: any(part[-1].isdecimal() for part in parts))
"""Parts of a code such as KX-4471-B; without a digit it would be hyphenated words."""
