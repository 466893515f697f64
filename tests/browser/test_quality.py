"""Quality as a curator keeps it: grades, the golden set, evaluations, what-if, profiles."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from retrieval.models import EvaluationRun, Judgement, RankingProfile
from retrieval.services import AskedQuestion, create_evaluation, grade_document
from retrieval.tasks import evaluate

QUESTION = "Where is the holy grail kept?"
ASKED = "?question=Where+is+the+holy+grail+kept%3F"


@pytest.fixture
def golden(stock):
    grade_document(asked=AskedQuestion(text=QUESTION), document=stock.castle, grade=3, user=None)
    return stock


def profile_page(slug="balanced"):
    row = RankingProfile.objects.get(slug=slug)
    return reverse("admin:retrieval_rankingprofile_change", args=[row.pk])


def test_grade__with_one_click_and_back(curator):
    curator.open(f"{reverse('preview')}{ASKED}")

    curator.press("3 answers it fully")
    curator.sees("Undo")
    curator.look("grade")
    judgement = Judgement.objects.get()
    assert (judgement.question.text, judgement.grade) == (QUESTION, 3)

    curator.press("Undo")
    expect(curator.page.locator("[aria-pressed=true]")).to_have_count(0)
    assert not Judgement.objects.exists()


def test_preview__two_profiles_side_by_side_narrowed_by_autocomplete(curator, stock):
    curator.open(f"{reverse('preview')}{ASKED}&against=legal")
    curator.sees("Ranked by the profile Legal")
    curator.look("side-by-side")

    curator.page.locator("#id_why_not + .select2-container").click()
    curator.page.locator(".select2-search__field").fill("Price")
    curator.page.get_by_role("option", name="Price list").click()
    curator.press("Ask", exact=False)

    curator.sees("Why not Price list?")


def test_evaluation__is_started_watched_and_compared(curator, golden):
    curator.open(reverse("admin:retrieval_evaluationrun_changelist"))
    curator.follow("Evaluate")
    curator.look("evaluate")
    curator.press("Evaluate", exact=False)
    curator.sees("Waiting for the queue worker")

    evaluate(EvaluationRun.objects.get().pk)

    # The page asks for itself every other second.
    curator.sees("1 of 1 question asked")
    curator.sees("Only 1 judged question")
    curator.look("evaluation")
    for slug in ("sales", "legal"):
        evaluate(create_evaluation(profile=RankingProfile.objects.get(slug=slug)).pk)
    curator.open(reverse("admin:retrieval_evaluationrun_changelist"))
    curator.page.locator("#action-toggle").check()
    curator.page.locator("select[name=action]").select_option("compare")
    curator.page.locator("button[name=index]").click()
    curator.sees("Questions where they differ, by nDCG@10")
    expect(curator.page.locator("canvas.chart")).to_be_visible()
    curator.look("compare")


def test_evaluation__is_stopped(curator, golden):
    run = create_evaluation(profile=RankingProfile.objects.get(slug="balanced"))
    curator.open(reverse("admin:retrieval_evaluationrun_change", args=[run.pk]))

    curator.press("Stop", exact=False)

    curator.sees("Cancelled")
    run.refresh_from_db()
    assert run.status == "cancelled"


def test_what_if__before_trust_is_changed_then_saved_and_taken_back(curator, golden):
    source = golden.chronicle
    page = reverse("admin:knowledge_source_change", args=[source.pk])
    curator.open(page)
    curator.page.locator("[name=trust]").fill("0.05")
    curator.press("What would this change?", exact=False)

    curator.sees("Quality on the golden set")
    curator.look("what-if")
    source.refresh_from_db()
    assert source.trust == 0.9

    curator.press("Save", exact=False)
    curator.sees("saved. It counts from the next question on.")
    curator.look("what-if-saved")
    source.refresh_from_db()
    assert source.trust == 0.05

    curator.press("Take it back", exact=False)
    curator.sees("taken back")
    source.refresh_from_db()
    assert source.trust == 0.9


def test_what_if__the_enter_key_in_a_form_still_saves(curator, stock):
    curator.open(reverse("admin:knowledge_source_change", args=[stock.rumours.pk]))
    curator.page.locator("[name=trust]").fill("0.25")
    curator.page.locator("[name=trust]").press("Enter")

    curator.sees("was changed successfully")
    stock.rumours.refresh_from_db()
    assert stock.rumours.trust == 0.25


def test_profile__what_is_wrong_is_told_at_the_field_and_nothing_is_lost(curator):
    curator.open(profile_page())
    curator.page.locator("[name=trust_weight]").fill("0.9")
    curator.page.locator("[name=keyword_weight]").fill("0")
    curator.press("Save", exact=True)

    curator.sees("as shares they have to add up to 1")
    curator.sees("nothing would be found by words any more")
    curator.look("profile")
    expect(curator.page.locator("[name=trust_weight]")).to_have_value("0.9")
    assert RankingProfile.objects.get(slug="balanced").trust_weight == 0.2


def test_profile__an_earlier_version_comes_back(curator):
    curator.open(profile_page())
    curator.page.locator("[name=bound]").fill("0.3")
    curator.press("Save and continue editing", exact=True)
    curator.sees("Bound was 0.5 and is 0.3")

    curator.follow("Go back to it")
    curator.sees("There is no question to ask: type one in above.")
    curator.press("Save", exact=False)

    curator.sees("saved. It counts from the next question on.")
    assert RankingProfile.objects.get(slug="balanced").bound == 0.5


def test_golden_set__is_imported_after_a_look(curator, stock):
    curator.open(reverse("admin:retrieval_judgement_changelist"))
    curator.look("judgements")
    curator.follow("Import")
    text = f"question,document,grade\n{QUESTION},castle.md,3\n{QUESTION},nowhere.md,2\n"
    curator.page.locator("[name=file]").set_input_files(
        {"name": "set.csv", "mimeType": "text/csv", "buffer": text.encode()}
    )
    curator.press("Look at it", exact=False)
    curator.sees("There is no document 'nowhere.md'.")
    curator.look("import")

    curator.press("Take in 1 line, leave out 1", exact=False)

    curator.sees("The file was taken in (new judgement: 1, cannot be taken in: 1).")
    assert Judgement.objects.get().document == stock.castle


def test_viewer__looks_without_grading(viewer):
    viewer.open(f"{reverse('preview')}{ASKED}")

    viewer.sees("The castle of Aaargh")
    expect(viewer.page.locator(".crmind-grade")).to_have_count(0)
