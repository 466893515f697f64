"""The golden set taken in from files and written to them."""

import io
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crmind.roles import VIEWER
from knowledge.models import Source
from retrieval.models import GoldenQuestion, Judgement
from tests.factories.knowledge import DocumentFactory
from tests.factories.staff import StaffFactory
from tests.integration.retrieval.admin.grail import QUESTION, store

PAGE = "/admin/golden-set/import/"
HEADER = "question,source,document,grade,answerable,access_tags\n"
LINES = (
    HEADER + f"{QUESTION},Chronicle,castle.txt,3,,\n"
    f"{QUESTION},,rabbit.txt,1,,\n"
    "What does it cost?,,price.txt,2,,sales\n"
    "How tall is Everest?,,,,no,\n"
)


def upload(client, text, name="file", **files):
    content = text.encode() if isinstance(text, str) else text
    return client.post(PAGE, {name: SimpleUploadedFile("set.csv", content), **files})


def confirm(client, response):
    return client.post(PAGE, {"kept": response.context["kept"]})


def stored():
    return sorted(
        (each.question.text, each.document.external_id, each.grade, each.question.access_tags)
        for each in Judgement.objects.select_related("question", "document")
    )


def effects(response):
    return [
        (row["line"].place, row["line"].effect, row["line"].message)
        for row in response.context["plan"]["rows"]
    ]


def test_import__first_a_dry_run_then_written(curator, corpus):
    shown = upload(curator, LINES)

    assert effects(shown) == [
        ("line 2", "new judgement", "of a new question"),
        ("line 3", "new judgement", "of a new question"),
        ("line 4", "new judgement", "of a new question"),
        ("line 5", "new question", ""),
    ]
    assert not GoldenQuestion.objects.exists()

    done = confirm(curator, shown)

    assert stored() == [
        ("What does it cost?", "price.txt", 2, ["sales"]),
        (QUESTION, "castle.txt", 3, []),
        (QUESTION, "rabbit.txt", 1, []),
    ]
    assert GoldenQuestion.objects.get(text="How tall is Everest?").is_answerable is False
    assert Judgement.objects.first().created_by == done.wsgi_request.user
    page = curator.get(done.url).content.decode()
    assert "The file was taken in (new question: 1, new judgement: 3)." in page

    again = upload(curator, LINES.replace("castle.txt,3", "castle.txt,2"))
    assert [effect for _, effect, _ in effects(again)] == [
        "changes the grade",
        "nothing new",
        "nothing new",
        "nothing new",
    ]
    confirm(curator, again)
    assert (QUESTION, "castle.txt", 2, []) in stored()
    assert GoldenQuestion.objects.count() == 3


def test_import__each_line_that_cannot_be_taken_in_is_told_first(curator, corpus):
    store(Source.objects.get(name="Chronicle"), "rabbit.txt", "Another rabbit.")
    text = (
        HEADER + f"{QUESTION},,castle.txt,3,,\n"
        f"{QUESTION},,nowhere.txt,3,,\n"
        f"{QUESTION},Rumours,castle.txt,3,,\n"
        f"{QUESTION},,rabbit.txt,3,,\n"
        f"{QUESTION.upper()},,castle.txt,1,,\n"
        f"{QUESTION},,Rumours/rabbit.txt,1,,\n"
        f"{QUESTION},,castle.txt,7,,\n"
    )

    shown = upload(curator, text)

    assert [
        (place, message) for place, effect, message in effects(shown) if "cannot" in effect
    ] == [
        ("line 3", "There is no document 'nowhere.txt'."),
        ("line 4", "There is no document 'castle.txt' in the source 'Rumours'."),
        ("line 5", "Several sources have a document 'rabbit.txt'; name the source too."),
        ("line 6", "The same question and document stand in an earlier line."),
        ("line 8", "grade is '7'; it may be 0, 1, 2 or 3."),
    ]
    assert "Take in 2 lines, leave out 5" in shown.content.decode()
    confirm(curator, shown)
    assert [(document, grade) for _, document, grade, _ in stored()] == [
        ("castle.txt", 3),
        ("rabbit.txt", 1),
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "The submitted file is empty."),
        ("question\nWo ist der Gräl?".encode("latin-1"), "The file is not UTF-8."),
        (b"question\nWh\0ere?", "holds NUL characters"),
        (b"text,document\nx,y\n", "has no column question"),
        (b"question\n" + b"x" * (10 * 1024 * 1024), "larger than 10 MB"),
    ],
)
def test_import__what_is_no_golden_set_is_told(curator, corpus, content, words):
    response = upload(curator, content)

    assert response.status_code == 200
    assert words in response.content.decode()
    assert "plan" not in response.context or response.context["plan"] is None


def test_import__without_a_file_says_so(curator, db):
    assert "Choose a file that is not empty." in curator.post(PAGE, {}).content.decode()


def test_import__beir_and_back(curator, corpus):
    queries = '{"_id": "1", "text": "Where is the holy grail kept?"}\n'
    qrels = "query-id\tcorpus-id\tscore\n1\tChronicle/castle.txt\t3\n1\trabbit.txt\t1\n"
    assert "goes together with qrels.tsv" in upload(curator, queries, "queries").content.decode()

    files = {"qrels": SimpleUploadedFile("qrels.tsv", qrels.encode())}
    confirm(curator, upload(curator, queries, "queries", **files))

    assert stored() == [(QUESTION, "castle.txt", 3, []), (QUESTION, "rabbit.txt", 1, [])]
    response = curator.get(reverse("golden-export", args=["beir"]))
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        names = archive.namelist()
        kept = {name: archive.read(name).decode() for name in names}
    assert names == ["queries.jsonl", "qrels.tsv"]
    assert kept["qrels.tsv"].splitlines()[1:] == [
        "q1\tChronicle/castle.txt\t3",
        "q1\tRumours/rabbit.txt\t1",
    ]
    again = {"qrels": SimpleUploadedFile("qrels.tsv", kept["qrels.tsv"].encode())}
    shown = upload(curator, kept["queries.jsonl"], "queries", **again)
    assert {effect for _, effect, _ in effects(shown)} == {"nothing new"}


def test_export__csv_goes_back_in_unchanged(curator, corpus):
    confirm(curator, upload(curator, LINES))

    response = curator.get(reverse("golden-export", args=["csv"]))

    assert response["Content-Disposition"] == 'attachment; filename="golden-set.csv"'
    shown = upload(curator, response.content)
    assert {effect for _, effect, _ in effects(shown)} == {"nothing new"}
    assert curator.post(reverse("golden-export", args=["csv"])).status_code == 405


def test_roles__viewers_export_what_they_may_read_and_import_nothing(client, curator, corpus):
    confirm(curator, upload(curator, LINES))
    client.force_login(StaffFactory(role=VIEWER))

    lines = client.get(reverse("golden-export", args=["csv"])).content.decode().splitlines()

    assert "castle.txt" in lines[1]
    assert not [line for line in lines if "price.txt" in line]
    assert client.get(PAGE).status_code == 403
    assert upload(client, LINES).status_code == 403
    client.force_login(StaffFactory())
    assert client.get(reverse("golden-export", args=["csv"])).status_code == 403


def test_stored_markup__stays_text(curator, corpus):
    evil = "<img src=x onerror=alert(1)>"
    page = upload(curator, HEADER + f"{evil},{evil},{evil},3,,\n").content.decode()
    assert "&lt;img src=x" in page
    assert "<img src=x" not in page


def test_import__asks_the_database_no_more_for_more_lines_and_keeps_who_did_it(curator, corpus):
    chronicle = Source.objects.get(name="Chronicle")
    DocumentFactory.create_batch(12, source=chronicle)
    names = [each.external_id for each in chronicle.documents.order_by("pk")]

    def file(grade, questions):
        lines = (
            f"Question {number}?,,{name},{grade},,\n"
            for number in range(questions)
            for name in names
        )
        return HEADER + "".join(lines)

    asked_of_database(curator, file(1, 1))
    few = asked_of_database(curator, file(2, 2))
    many = asked_of_database(curator, file(3, 20))

    assert few == many
    assert Judgement.objects.filter(grade=3).count() == 20 * len(names)
    changed = Judgement.history.filter(history_type="~")
    assert changed.count() == 3 * len(names)
    (change,) = changed.last().history_changes
    assert (change["old_words"], change["new_words"]) == ("1", "2")
    assert changed.last().history_name.startswith("Question 0? · ")
    made = Judgement.history.filter(history_type="+")
    assert made.count() == Judgement.objects.count()
    assert {each.history_by for each in [*made, *GoldenQuestion.history.all()]} == {
        Judgement.objects.first().created_by.username
    }


def asked_of_database(client, text):
    """Return how many statements looking at a file and taking it in take."""
    with CaptureQueriesContext(connection) as looking:
        shown = upload(client, text)
    with CaptureQueriesContext(connection) as writing:
        confirm(client, shown)
    assert not [row for row in shown.context["plan"]["rows"] if row["is_faulty"]]
    return len(looking), len(writing)


def test_import__what_a_file_says_of_a_known_question_is_no_new_question(curator, corpus):
    confirm(curator, upload(curator, LINES))
    text = (
        "question,document,grade,answerable,expected_answer\n"
        f"{QUESTION},castle.txt,3,,In the castle.\n"
        "How tall is Everest?,,,,\n"
        "Who asks?,,,no,\n"
    )

    shown = upload(curator, text)

    assert effects(shown) == [
        ("line 2", "changes the question", ""),
        ("line 3", "nothing new", ""),
        ("line 4", "new question", ""),
    ]
    confirm(curator, shown)
    assert GoldenQuestion.objects.get(text=QUESTION).expected_answer == "In the castle."
    assert not GoldenQuestion.objects.get(text="How tall is Everest?").is_answerable
    kept = GoldenQuestion.history.get(history_type="~")
    assert [change["field"] for change in kept.history_changes] == ["expected_answer"]
    assert {effect for _, effect, _ in effects(upload(curator, text))} == {"nothing new"}


def test_import__what_was_not_looked_at_is_not_taken_in(curator, corpus):
    response = curator.post(PAGE, {"kept": "forged"})

    assert "Choose the file again." in response.content.decode()
    assert not GoldenQuestion.objects.exists()


def test_import__json_that_holds_no_text_is_told_by_line(curator, corpus):
    queries = '{"_id": "1", "text": "Wh\\u0000ere?"}\n{"_id": "2", "text": "Wh\\ud800ere?"}\n'
    qrels = "query-id\tcorpus-id\tscore\n1\tcastle.txt\t3\n2\tcastle.txt\t3\n"
    files = {"qrels": SimpleUploadedFile("qrels.tsv", qrels.encode())}

    shown = upload(curator, queries, "queries", **files)

    (message,) = {message for _, _, message in effects(shown)}
    assert message == "question holds characters that are no text (NUL, or half of one)."
