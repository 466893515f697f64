"""What a change would do, told before it is made."""

from dataclasses import replace
from time import perf_counter

import pytest
from django.db import connection
from django.utils import timezone

from crmind.exceptions import UnavailableError
from knowledge.models import Document, Source, SourceType
from knowledge.services import update_source, update_source_type
from retrieval.evaluation.golden import load_cases
from retrieval.evaluation.recent import load_recent, typed_case
from retrieval.evaluation.what_if import Proposal, shift, what_if
from retrieval.models import SearchLog
from retrieval.services import AskedQuestion, get_profile, grade_document

QUESTION = "Who keeps the bridge?"
EVERYONE = frozenset({"everyone"})


@pytest.fixture
def rivals(library):
    """Give two sources that say nearly the same, and a third that speaks of something else."""
    library.add("right.txt", "The bridge is kept by the keeper.", source="Chronicle")
    library.add("wrong.txt", "The bridge is kept by a rabbit.", source="Rumours")
    library.add("other.txt", "Swallows carry coconuts.", source="Birds", type_slug="email")
    update_source(source=source("Chronicle"), trust=0.2)
    return library


def source(name):
    return Source.objects.get(name=name)


def document(external_id):
    return Document.objects.get(external_id=external_id)


def judge(text, external_id):
    asked = AskedQuestion(text=text)
    grade_document(asked=asked, document=document(external_id), grade=3, user=None)


def of_source(name, **values):
    profile, row = get_profile(), source(name)
    return Proposal(
        before=profile,
        after=profile,
        model=Source,
        rows={row.pk: values},
        touched_sources={row.pk: row.name},
    )


def titles(order):
    return [Document.objects.get(pk=each.document_id).external_id for each in order]


def ask(library, proposal, *texts):
    now = timezone.now()
    cases = list(load_cases(now=now).cases)
    cases += [
        replace(typed_case(text, tags=EVERYONE, now=now), key=f"typed-{number}")
        for number, text in enumerate(texts)
    ]
    return what_if(proposal, cases, embedder=library.embedder)


def test_what_if__foretells_exactly_what_saving_does(rivals):
    found = rivals.found(QUESTION)

    outcome = ask(rivals, of_source("Chronicle", trust=1.0), QUESTION)

    (effect,) = outcome.effects
    assert titles(effect.before) == found[:3]
    assert titles(effect.before)[:2] == ["wrong.txt", "right.txt"]
    assert titles(effect.after)[:2] == ["right.txt", "wrong.txt"]
    assert [each.other_rank for each in effect.after][:2] == [2, 1]
    assert effect.shift == pytest.approx(1.0)  # each of the two moves from 1/2 to 1 or back

    # Nothing was changed by looking.
    assert source("Chronicle").trust == 0.2
    assert rivals.found(QUESTION) == found

    update_source(source=source("Chronicle"), trust=1.0)
    assert rivals.found(QUESTION)[:3] == titles(effect.after)


def test_what_if__tells_the_change_of_golden_set_quality(rivals):
    judge(QUESTION, "right.txt")
    judge("What do swallows carry?", "other.txt")

    outcome = ask(rivals, of_source("Chronicle", trust=1.0))

    assert outcome.judged_count == 2
    # The first goes from place 2 (nDCG 1 / log2(3) = 0.631) to 1, the second stays at 1.
    assert outcome.ndcg_before == pytest.approx((0.6309 + 1) / 2, abs=1e-3)
    assert outcome.ndcg_after == 1.0
    assert [effect.case.text for effect in outcome.changed] == [QUESTION]


def test_what_if__a_kind_of_source(rivals):
    update_source_type(source_type=SourceType.objects.get(slug="email"), half_life_days=30.0)
    kind = SourceType.objects.get(slug="blog_post")
    profile = get_profile()
    proposal = Proposal(
        before=profile,
        after=profile,
        model=SourceType,
        rows={kind.pk: {"authority": 0.0}},
        touched_sources=dict(Source.objects.filter(source_type=kind).values_list("pk", "name")),
    )

    question = "Is the bridge by coconuts?"
    found = rivals.found(question)

    outcome = ask(rivals, proposal, question)

    (effect,) = outcome.changed
    assert titles(effect.before) == found
    update_source_type(source_type=kind, authority=0.0)
    assert titles(effect.after) == rivals.found(question) != found
    assert outcome.judged_count == 0


def test_what_if__a_profile(rivals):
    profile = get_profile()
    proposal = Proposal(before=profile, after=replace(profile, trust_weight=0.0))
    outcome = ask(rivals, proposal, QUESTION)

    assert titles(outcome.effects[0].before)[0] == "wrong.txt"
    assert outcome.effects[0].after != ()


def test_what_if__questions_without_its_documents_are_asked_once(rivals):
    judge("What do swallows carry?", "other.txt")
    proposal = of_source("Birds", trust=0.0)
    update_source(source=source("Birds"), enabled=False)

    outcome = ask(rivals, proposal, QUESTION)

    assert outcome.changed == []
    assert len(outcome.effects) == 2


def test_what_if__what_does_not_fit_into_the_time_is_counted(rivals, settings):
    settings.CRMIND_RETRIEVAL = {"WHAT_IF_SECONDS": 0.0}
    outcome = ask(rivals, of_source("Chronicle", trust=1.0), QUESTION, "And who else?")
    assert (outcome.effects, outcome.left_out) == ((), 2)

    settings.CRMIND_RETRIEVAL = {"WHAT_IF_SECONDS": 20.0}
    late = perf_counter() - 21.0
    proposal, now = of_source("Chronicle", trust=1.0), timezone.now()
    case = typed_case(QUESTION, tags=EVERYONE, now=now)
    assert what_if(proposal, [case], embedder=rivals.embedder, began=late).left_out == 1


@pytest.mark.django_db(transaction=True)
def test_what_if__a_row_that_somebody_holds_is_told(rivals, monkeypatch):
    monkeypatch.setattr("retrieval.evaluation.what_if.LOCK_WAIT_MS", 50)
    other = connection.copy()
    other.set_autocommit(False)
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT id FROM knowledge_source WHERE name = 'Chronicle' FOR UPDATE")
        with pytest.raises(UnavailableError, match="Try again in a moment"):
            ask(rivals, of_source("Chronicle", trust=1.0), QUESTION)
    finally:
        other.rollback()
        other.close()
    assert ask(rivals, of_source("Chronicle", trust=1.0), QUESTION).changed


def test_load_recent__the_latest_different_questions_as_they_were_asked(rivals):
    rivals.add("secret.txt", "The bridge is closed.", access_tags=("sales",))
    rivals.search(QUESTION)
    rivals.search(QUESTION.upper())
    rivals.search(QUESTION, tags=frozenset({"everyone", "sales"}))
    rivals.search("What do swallows carry?", types=("email",))
    SearchLog.objects.create(
        question="", question_hash="0" * 64, profile_slug="x", verdict="none", origin="api"
    )

    cases = load_recent(limit=10, now=timezone.now(), reads_everything=True)

    assert [(case.text, case.query.filters.access_tags) for case in cases] == [
        ("What do swallows carry?", EVERYONE),
        (QUESTION, frozenset({"everyone", "sales"})),
        (QUESTION.upper(), EVERYONE),
    ]
    assert cases[0].query.filters.source_type_ids
    assert len(load_recent(limit=1, now=timezone.now(), reads_everything=True)) == 1
    limited = load_recent(limit=10, now=timezone.now(), reads_everything=False)
    assert {case.query.filters.access_tags for case in limited} == {EVERYONE}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([1, 2, 3], [1, 2, 3], 0.0),
        ([1, 2], [2, 1], 1.0),  # |1 - 1/2| twice
        ([1], [2], 2.0),  # 1 leaves the first place, 2 takes it
        ([], [], 0.0),
        ([1, 2, 3], [1, 3, 2], 1 / 3),  # |1/2 - 1/3| twice
    ],
)
def test_shift__weighs_the_first_places_most(before, after, expected):
    assert shift(before, after) == pytest.approx(expected)
