"""Keys: equal for equal questions and scopes, and for nothing else."""

from dataclasses import fields, replace
from datetime import UTC, date, datetime, timedelta, timezone
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachemgr.keys import Scope, normalise_question, question_key, scope_fingerprint
from retrieval.query.steps import Step
from retrieval.types import Filters

SCOPE = Scope(
    filters=Filters(access_tags=frozenset({"everyone", "sales"})),
    profile="default",
    profile_version=3,
    space_id=1,
)

moments = st.none() | st.datetimes(timezones=st.just(UTC))
words = st.text(alphabet="ab\"',[]{}:\\ ü1", max_size=4)
ids = st.lists(st.integers(0, 3), max_size=3).map(tuple)
scopes = st.builds(
    Scope,
    filters=st.builds(
        Filters,
        access_tags=st.frozensets(words, max_size=3),
        entity_ids=st.lists(st.integers(0, 3).map(lambda n: UUID(int=n)), max_size=3).map(tuple),
        source_ids=ids,
        source_type_ids=ids,
        since=moments,
        until=moments,
        known_by=moments,
    ),
    profile=words,
    profile_version=st.integers(1, 3),
    space_id=st.integers(1, 3),
    steps=st.frozensets(st.sampled_from(Step)),
    language=words,
    conversation_id=words,
    chat_model=words,
    asked_on=st.none() | st.dates(min_value=date(2030, 1, 1), max_value=date(2030, 1, 3)),
)


def meaning(scope):
    """Return a scope with what has no order in an order."""
    filters = scope.filters
    return replace(
        scope,
        filters=replace(
            filters,
            entity_ids=tuple(sorted(set(filters.entity_ids))),
            source_ids=tuple(sorted(set(filters.source_ids))),
            source_type_ids=tuple(sorted(set(filters.source_type_ids))),
        ),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is the refund period?", "what is the refund period"),
        ("  WHAT  is\tthe\nrefund period ?!. ", "what is the refund period"),
        ("What is the refund period？", "what is the refund period"),
        ("ＷＨＡＴ is the refund\u00a0period…", "what is the refund period"),
        ("Wie groß ist die Straße?", "wie gross ist die strasse"),
        ("cafe\u0301", "café"),
        ("re\u00adfund", "refund"),
        ("What is 5!", "what is 5!"),
        ("What is 10² m?", "what is 10² m"),
        ("Is it 5½ or 51/2?", "is it 5½ or 51/2"),
        ("What is C++?", "what is c++"),
        ("???", "???"),
        ("", ""),
    ],
)
def test_normalise_question(text, expected):
    assert normalise_question(text) == expected


@given(st.text())
def test_normalise_question__again_changes_nothing(text):
    once = normalise_question(text)
    assert normalise_question(once) == once


@given(st.text(max_size=8), st.text(max_size=8))
def test_question_key__equal_only_for_equal_questions(first, second):
    is_same = normalise_question(first) == normalise_question(second)
    assert (question_key(first) == question_key(second)) is is_same


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("What costs 10 m²?", "What costs 10 m2?"),
        ("Is it over 5?", "Is it over 5!"),
        ("Who wrote C?", "Who wrote C++?"),
        ("Is it -5?", "Is it 5?"),
    ],
)
def test_question_key__differs(first, second):
    assert question_key(first) != question_key(second)


@given(scopes, scopes)
def test_scope_fingerprint__equal_only_for_equal_scopes(first, second):
    is_same = meaning(first) == meaning(second)
    assert (scope_fingerprint(first) == scope_fingerprint(second)) is is_same


@given(scopes)
def test_scope_fingerprint__order_and_repetition_do_not_count(scope):
    filters = scope.filters
    reordered = replace(
        filters,
        entity_ids=filters.entity_ids[::-1],
        source_ids=filters.source_ids[::-1] * 2,
        source_type_ids=filters.source_type_ids[::-1],
    )
    assert scope_fingerprint(replace(scope, filters=reordered)) == scope_fingerprint(scope)


def test_scope_fingerprint__every_field_counts():
    changed = {
        "filters": Filters(access_tags=frozenset({"everyone"})),
        "profile": "other",
        "profile_version": 4,
        "space_id": 2,
        "steps": frozenset({Step.DATES}),
        "language": "german",
        "conversation_id": "c",
        "chat_model": "m",
        "asked_on": date(2031, 7, 20),
    }
    assert set(changed) == {field.name for field in fields(Scope)}
    prints = {scope_fingerprint(replace(SCOPE, **{name: to})) for name, to in changed.items()}
    assert len(prints | {scope_fingerprint(SCOPE)}) == len(changed) + 1


def test_scope_fingerprint__every_filter_counts():
    noon = datetime(2031, 7, 20, 12, tzinfo=UTC)
    changed = {
        "access_tags": frozenset({"everyone"}),
        "entity_ids": (UUID(int=1),),
        "source_ids": (1,),
        "source_type_ids": (1,),
        "since": noon,
        "until": noon,
        "known_by": noon,
    }
    assert set(changed) == {field.name for field in fields(Filters)}
    prints = {
        scope_fingerprint(replace(SCOPE, filters=replace(SCOPE.filters, **{name: to})))
        for name, to in changed.items()
    }
    assert len(prints | {scope_fingerprint(SCOPE)}) == len(changed) + 1


def test_scope_fingerprint__same_moment_in_another_zone():
    berlin = timezone(timedelta(hours=2))
    prints = {
        scope_fingerprint(replace(SCOPE, filters=replace(SCOPE.filters, since=since)))
        for since in (
            datetime(2031, 7, 20, 12, tzinfo=UTC),
            datetime(2031, 7, 20, 14, tzinfo=berlin),
        )
    }
    assert len(prints) == 1


def test_scope_fingerprint__does_not_depend_on_the_process():
    # Worked out once; a change of the canonical form makes every stored answer unreachable.
    assert scope_fingerprint(SCOPE) == FINGERPRINT


FINGERPRINT = "dd2a166eae5dc246b283644a098d96af2bdafddedbdbb1a06e0c7acd1f49faba"
