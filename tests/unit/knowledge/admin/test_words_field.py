"""Reading words with commas between them."""

import pytest
from django.core.exceptions import ValidationError

from knowledge.admin.words_field import words_field
from knowledge.models import Entity, Source

TAGS = words_field(Source._meta.get_field("access_tags"))
ALIASES = words_field(Entity._meta.get_field("aliases"))


def test_words_field__reads_each_word_once():
    assert TAGS.clean(" sales,everyone ,, sales") == ["sales", "everyone"]


def test_words_field__shows_what_it_reads():
    assert TAGS.prepare_value(["sales", "everyone"]) == "sales, everyone"


def test_words_field__names_the_wrong_word():
    message = "“Sales Team”: An access tag is made of lower-case letters"
    with pytest.raises(ValidationError, match=message):
        TAGS.clean("everyone, Sales Team")


def test_words_field__none_where_one_is_needed():
    with pytest.raises(ValidationError, match="This field is required"):
        TAGS.clean(" , ")
    assert ALIASES.clean(" , ") == []


def test_words_field__too_long_for_its_column():
    with pytest.raises(ValidationError, match="at most 300 characters"):
        ALIASES.clean("a" * 301)


@pytest.mark.parametrize(("given", "has_changed"), [("a, b", False), ("b, a", True), ("a", True)])
def test_words_field__has_changed(given, has_changed):
    assert ALIASES.has_changed(["a", "b"], given) is has_changed
