"""The page "What would this change?" for several rows of a list."""

import pytest
from django.contrib.admin.models import LogEntry

from knowledge.models import Document, Source, SourceType
from retrieval.services import AskedQuestion, grade_document
from tests.integration.retrieval.admin.grail import QUESTION, ask, document_id
from tests.integration.retrieval.admin.test_what_if import page, titles

LIST = "/admin/knowledge/source/"
SOURCES = "/admin/what-if/source/"


@pytest.fixture
def sources(corpus):
    document = Document.objects.get(pk=document_id("castle.txt"))
    grade_document(asked=AskedQuestion(text=QUESTION), document=document, grade=3, user=None)
    return {source.name: source for source in Source.objects.order_by("pk")}


def list_of(sources, **typed):
    """Return what the browser sends of the list, with what was typed over what was shown."""
    sent = {"form-TOTAL_FORMS": len(sources), "form-INITIAL_FORMS": len(sources)}
    for number, source in enumerate(sources.values()):
        shown = {"trust": source.trust, "authority_override": source.authority_override}
        form = f"form-{number}-"
        sent[f"{form}id"] = source.pk
        for name, value in shown.items():
            sent[form + name] = sent[f"initial-{form}{name}"] = "" if value is None else value
        sent |= {form + name: value for name, value in typed.get(source.name, {}).items()}
    return sent


def turned(sources):
    return list_of(
        sources,
        Rumours={"trust": "1.0", "authority_override": "1.0"},
        Chronicle={"trust": "0.1", "authority_override": "0"},
    )


def standing():
    return {
        each.name: (each.trust, each.authority_override)
        for each in Source.objects.filter(name__in=["Rumours", "Chronicle"])
    }


def test_list__offers_it_to_those_who_may_save(curator, sources):
    assert f'formaction="{SOURCES}"' in curator.get(LIST).content.decode()
    kinds = curator.get("/admin/knowledge/sourcetype/").content.decode()
    assert 'formaction="/admin/what-if/sourcetype/"' in kinds


def test_list__several_rows_are_tried_together_saved_and_taken_back(curator, sources):
    before, order = standing(), titles(ask(curator))

    shown = curator.post(SOURCES, turned(sources), follow=True)

    assert len(shown.context["trials"]) == 2
    (effect,) = shown.context["outcome"]["effects"]
    assert [each["title"] for each in effect["before"]] == order
    assert standing() == before
    saved = curator.post(
        SOURCES, {**shown.context["typed"], "seen": shown.context["seen"], "save": "1"}
    )
    assert standing() == {"Rumours": (1.0, 1.0), "Chronicle": (0.1, 0.0)}
    assert titles(ask(curator)) == [each["title"] for each in effect["after"]] != order
    assert LogEntry.objects.count() == 2
    for source in sources.values():
        record = source.history.latest()
        if source.name in before:
            assert "What would this change?" in record.history_change_reason

    back = curator.get(saved.url)
    assert "Saved. Taking it back would mean:" in back.content.decode()
    returned = {
        **back.context["typed"],
        "seen": back.context["seen"],
        "save": "1",
        "is_return": "1",
    }
    curator.post(SOURCES, {name: "" if v is None else v for name, v in returned.items()})
    assert standing() == before


def test_list__one_row_leads_to_its_own_page(curator, sources):
    response = curator.post(SOURCES, list_of(sources, Rumours={"trust": "0.9"}))
    assert response.url.startswith(f"{page(sources['Rumours'])}?trust=0.9&")
    assert response.url.endswith("show=1")


def test_list__what_somebody_else_changed_meanwhile_is_no_change_of_mine(curator, sources):
    sent = list_of(sources, Rumours={"trust": "0.9"})
    Source.objects.filter(name="Chronicle").update(trust=0.4)
    assert curator.post(SOURCES, sent).url.startswith(page(sources["Rumours"]))


def test_list__nothing_typed_leads_back_and_says_so(curator, sources):
    response = curator.post(SOURCES, list_of(sources), follow=True)
    assert response.redirect_chain == [(LIST, 302)]
    assert "Change a number in the list first" in response.content.decode()


def test_list__what_is_wrong_is_told_at_the_field_and_kept(curator, sources):
    sent = list_of(sources, Rumours={"trust": "1.5"}, Chronicle={"trust": "0.3"})
    before = standing()

    shown = curator.post(SOURCES, sent, follow=True)

    body = shown.content.decode()
    assert "less than or equal to 1.0" in body
    assert 'value="1.5"' in body
    assert shown.context["outcome"] is None
    typed = {**shown.context["typed"], "seen": shown.context["seen"], "save": "1"}
    typed = {name: "" if value is None else value for name, value in typed.items()}
    assert "less than or equal to 1.0" in curator.post(SOURCES, typed).content.decode()
    assert standing() == before


def test_save__of_what_somebody_changed_meanwhile_is_told_and_saves_none(curator, sources):
    shown = curator.post(SOURCES, turned(sources), follow=True)
    Source.objects.filter(name="Rumours").update(trust=0.5)
    before = standing()

    sent = {**shown.context["typed"], "seen": shown.context["seen"], "save": "1"}
    told = curator.post(SOURCES, sent, follow=True)

    assert "Somebody else changed one of them" in told.content.decode()
    assert told.context["typed"] == shown.context["typed"]
    assert standing() == before


def test_kinds_of_source__half_lives(curator, sources):
    kinds = list(SourceType.objects.filter(slug__in=["blog_post", "contract"]))
    sent = {f"{kind.pk}-half_life_days": "3" for kind in kinds}
    shown = curator.get("/admin/what-if/sourcetype/", {**sent, "show": "1"})
    assert shown.context["outcome"]["judged_count"] == 1
    assert [each["changes"][0]["then"] for each in shown.context["trials"]] == ["3.0", "3.0"]


def test_roles__only_those_who_may_save(viewer, sources):
    assert "/admin/what-if/" not in viewer.get(LIST).content.decode()
    assert viewer.get(SOURCES).status_code == 403
    assert viewer.post(SOURCES, turned(sources)).status_code == 403


def test_unknown__kinds_and_rows(curator, sources):
    assert curator.get("/admin/what-if/rankingprofile/").status_code == 404
    assert curator.get("/admin/what-if/user/").status_code == 404
    assert curator.get(SOURCES, {"0-trust": "0.5", "99999999999999999-trust": "1"}).url == LIST
