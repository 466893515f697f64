"""The page "Try a question"."""

import re

import pytest
from django.urls import reverse

from knowledge.models import Source
from knowledge.services import create_source, update_source
from retrieval.models import RankingProfile, SearchLog
from retrieval.services.words import save_synonym
from tests.integration.retrieval.admin.grail import PAGE, QUESTION, ask, document_id, store


def titles(response):
    return [shown.title for shown in response.context["columns"][0].hits]


def test_preview__without_documents_says_what_to_do(curator):
    page = curator.get(PAGE).content.decode()

    assert "There are no documents yet." in page
    assert reverse("admin:knowledge_source_add") in page


def test_preview__hits_with_verdict_marks_and_parts(curator, corpus):
    response = ask(curator)
    page = response.content.decode()

    assert titles(response) == ["castle.txt", "Rabbit"]
    assert response.context["columns"][0].verdict in page
    assert "The <mark>holy</mark> <mark>grail</mark> is <mark>kept</mark> in the castle" in page
    assert "Chronicle · News article" in page
    assert re.search(r'class="crmind-part-relevance"\s+style="width: [0-9.]+%"', page)
    assert "By words: place 1," in page
    assert "1 November 2026, " in page


def test_preview__what_a_synonym_adds_is_told_and_marked(curator, corpus):
    save_synonym(synonym=None, changes={"terms": ["chalice", "grail"]})

    page = ask(curator, "Where is the chalice?").content.decode()

    assert "Also looked up: grail." in page
    assert "The holy <mark>grail</mark> is kept in the castle" in page


def test_preview__parts_of_each_bar_add_up_to_its_score(curator, corpus):
    for shown in ask(curator).context["columns"][0].hits:
        breakdown = shown.breakdown
        summands = [part.amount for part in (*breakdown.parts, *breakdown.deductions)]
        assert sum(summands) == pytest.approx(shown.hit.score)


def test_preview__shows_the_context_as_the_assistant_gets_it(curator, corpus):
    response = ask(curator)
    context = response.context["columns"][0].evidence
    page = response.content.decode()

    counted = f"{context.token_count} tokens of pieces-of-8-letters"
    assert f"What the assistant gets: {counted}, 2 cited passages" in page
    assert "&lt;evidence title=&quot;castle.txt&quot;" in page or "&lt;evidence" in page


def test_preview__a_change_of_trust_changes_the_order(curator, corpus):
    assert titles(ask(curator, "holy grail kept"))[0] == "castle.txt"

    update_source(source=Source.objects.get(name="Chronicle"), trust=0.0, authority_override=0.0)
    update_source(source=Source.objects.get(name="Rumours"), trust=1.0, authority_override=1.0)

    assert titles(ask(curator, "holy grail kept"))[0] == "Rabbit"


def test_preview__looking_changes_nothing(curator, corpus):
    ask(curator)

    assert not SearchLog.objects.exists()


def test_preview__posting_is_refused(curator):
    assert curator.post(PAGE, {"question": QUESTION}).status_code == 405


def test_preview__the_link_gives_the_same_page(curator, corpus):
    first = ask(curator, types="blog_post")

    again = curator.get(first.context["permalink"])

    assert "as_of=" in first.context["permalink"]
    assert titles(again) == titles(first) == ["Rabbit"]


def test_preview__narrowed_by_source_entity_and_date(curator, corpus):
    rumours = Source.objects.get(name="Rumours")

    assert titles(ask(curator, sources=rumours.pk)) == ["Rabbit"]
    assert titles(ask(curator, since="2026-11-02")) == []
    assert "Take away what the question is narrowed to" in (
        ask(curator, since="2026-11-02").content.decode()
    )


def test_preview__asked_by_a_reader_of_a_tag(curator, corpus):
    assert "price.txt" not in titles(ask(curator))
    assert "price.txt" in titles(ask(curator, access_tags="sales"))


def test_preview__viewers_ask_as_everyone_whatever_the_address_says(viewer, corpus):
    response = ask(viewer, access_tags="sales")

    assert "price.txt" not in titles(response)
    assert 'name="access_tags"' not in response.content.decode()


def test_preview__drafts_can_be_tried(curator, corpus):
    RankingProfile.objects.create(slug="draft", label="My draft")

    assert "Ranked by the profile My draft" in ask(curator, profile="draft").content.decode()


@pytest.mark.parametrize(
    ("parameters", "field", "words"),
    [
        ({"question": " "}, "question", "The question is empty. Ask something."),
        ({"question": "\u200b"}, "question", "The question is empty. Ask something."),
        ({"question": "a" * 4_097}, "question", "at most 4,096 are allowed"),
        ({"since": "yesterday"}, "since", "write a date like 2031-03-31"),
        ({"since": "2026-02-01", "until": "2026-01-01"}, "since", "exchange the two"),
        ({"as_of": "2026-13-45T00:00"}, "as_of", "write a date like 2031-03-31"),
        ({"entity": "nobody"}, "entity", "is not a valid UUID"),
        ({"sources": "abc"}, "sources", "Select a valid choice"),
        ({"sources": "99999999999999999999"}, "sources", "Select a valid choice"),
        ({"types": "nonsense"}, "types", "Select a valid choice"),
        ({"profile": "nonsense"}, "profile", "Select a valid choice"),
        ({"top_k": "101"}, "top_k", "less than or equal to 100"),
        ({"top_k": "many"}, "top_k", "Enter a whole number"),
    ],
)
def test_preview__what_is_wrong_is_told_beside_its_field(curator, corpus, parameters, field, words):
    response = ask(curator, **{"question": QUESTION, **parameters})

    assert words in " ".join(response.context["form"].errors[field])
    assert words in response.content.decode()
    assert "columns" not in response.context


def test_preview__stored_markup_stays_text(curator, corpus):
    store(
        create_source(name="<b>Evil</b>", type_slug="blog_post"),
        '"><b>x.txt',
        "refund <img src=x onerror=alert(1)> steps <svg/onload=alert(2)>",
        title="<script>alert(3)</script>Refund",
        url="javascript:alert(4)",
    )

    page = ask(curator, "refund <i>steps</i>").content.decode()

    assert "<mark>refund</mark> &lt;img src=x onerror=alert(1)&gt;" in page
    assert "javascript:alert(4)" in page
    assert 'href="javascript:' not in page
    for markup in ("<img src=x", "<svg/onload", "<script>alert", "<b>Evil", "<i>steps"):
        assert markup not in page
    assert set(re.findall(r"</?mark[^>]*>", page)) == {"<mark>", "</mark>"}


def test_preview__says_why_not_a_document(curator, corpus):
    response = ask(curator, why_not=document_id("price.txt"))
    assert response.context["columns"][0].absence.reasons == (
        "This reader may not see it: it is for sales, and the reader has everyone.",
    )
    assert "Why not price.txt?" in response.content.decode()
    response = ask(curator, why_not=document_id("castle.txt"))
    assert (
        response.context["columns"][0].absence.reasons[0]
        == "It stands at place 1, among those shown."
    )


def test_preview__viewers_learn_nothing_of_what_they_may_not_see(viewer, corpus):
    response = ask(viewer, why_not=document_id("price.txt"))
    assert set(response.context["form"].errors) == {"why_not"}
    assert "price.txt" not in response.content.decode()


def test_preview__two_profiles_stand_side_by_side(curator, corpus):
    update_source(source=Source.objects.get(name="Rumours"), trust=1.0, authority_override=1.0)
    update_source(source=Source.objects.get(name="Chronicle"), trust=0.1, authority_override=0.0)
    RankingProfile.objects.create(slug="blind", label="Blind", bound=0.0, status="published")

    response = ask(curator, "holy grail castle", profile="balanced", against="blind")

    first, second = response.context["columns"]
    assert [shown.title for shown in first.hits] == ["Rabbit", "castle.txt"]
    assert [shown.title for shown in second.hits] == ["castle.txt", "Rabbit"]
    assert [shown.move for shown in second.hits] == [
        "\u25b2 place 2 by Balanced",
        "\u25bc place 1 by Balanced",
    ]
    assert "against=blind" in response.context["permalink"]
    assert "profile=balanced" in response.context["permalink"]


def test_preview__copies_are_named_below_the_best(curator, corpus):
    text = "The holy grail is kept in the castle of Aaargh, behind the third door on the left."
    store(Source.objects.get(name="Chronicle"), "long.txt", text)
    store(Source.objects.get(name="Rumours"), "copy.txt", text, title="Hearsay")
    page = ask(curator).content.decode()
    assert "Also in 1 other document, in the same words: Hearsay (Rumours)" in page
