import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.ingestion.fields import DocumentFields
from knowledge.ingestion.front_matter import FrontMatter, split_front_matter


def test_split_front_matter__separates_fields_other_keys_and_body():
    text = "---\ntitle: Notice\nTrust: 7\nowner: Dana\nsteps: [1, no]\n---\n# Notice\n"

    assert split_front_matter(text) == FrontMatter(
        values=DocumentFields(title="Notice"),
        body="# Notice\n",
        other={"owner": "Dana", "steps": '["1", "no"]'},
        warnings=("trust: '7' is not a number from 0 to 1; ignored",),
    )


@pytest.mark.parametrize(
    "text",
    ["", "plain", "---", "---\nno end", "a\n---\ntitle: late\n---\n", "----\ntitle: x\n---\n"],
)
def test_split_front_matter__none(text):
    assert split_front_matter(text) == FrontMatter(values=DocumentFields(), body=text)


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        ("title: [1", "line 3: expected ',' or ']', but got '<stream end>'"),
        ("just words", "it is not made of 'key: value' lines"),
        ("a: &x 1\nb: *x", "aliases (*name) are not allowed"),
        ("a: " + "[" * 5_000, "nested deeper than 8 levels"),
        ("? [a]\n: b", "line 2: found unhashable key"),
    ],
)
def test_split_front_matter__broken_stays_in_the_text(head, reason):
    text = f"---\n{head}\n---\nbody"

    assert split_front_matter(text) == FrontMatter(
        values=DocumentFields(), body=text, warnings=(f"front matter kept as text: {reason}",)
    )


@pytest.mark.parametrize("text", ["---\r\ntitle: x\r\n---\r\nb", "\ufeff---\ntitle: x\n...\nb"])
def test_split_front_matter__line_ends_and_byte_order_mark(text):
    split = split_front_matter(text)

    assert (split.values.title, split.body) == ("x", "b")


def test_split_front_matter__empty():
    assert split_front_matter("---\n---\nbody") == FrontMatter(values=DocumentFields(), body="body")


def test_split_front_matter__alias_bomb_is_refused_at_once():
    levels = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 20))
    started = time.process_time()

    split = split_front_matter(f"---\na0: &a0 x\n{levels}\n---\nbody")

    assert split.warnings == ("front matter kept as text: aliases (*name) are not allowed",)
    assert time.process_time() - started < 1.0


@given(st.text(st.sampled_from("ab:- \n[]{}&*!|>'\"#?%@\t\x00é"), max_size=60))
def test_split_front_matter__loses_no_text(head):
    text = f"---\n{head}\n---\nbody"
    split = split_front_matter(text)

    assert split.body in {text, "body"} or text.endswith(split.body)
    assert split.body.endswith("body")
