"""Failed documents and runs are tried once more: where they came from, else from the text kept."""

import pytest

from knowledge.models import Document, DocumentBody, IngestionRun, RunKind
from knowledge.services.retrying import NothingToRetryError, plan_rerun, plan_retry
from tests.factories.knowledge import DocumentFactory, SourceFactory

pytestmark = pytest.mark.django_db


def failed(**values):
    return DocumentFactory(status="failed", status_reason="The PDF is locked.", **values)


def read_by(kind, source, **values):
    run = IngestionRun.objects.create(source=source, trigger="admin", kind=kind, **values)
    return failed(source=source, last_run=run)


def planned():
    runs = plan_retry(documents=Document.objects.all()).runs
    return [(run.kind, run.source, run.arguments) for run in runs]


def test_plan_retry__each_where_it_can_be_had():
    folder = SourceFactory(connector="folder", location="/srv/press")
    uploads, pushed = SourceFactory(connector="upload"), SourceFactory(connector="push")
    first = read_by(RunKind.UPLOAD, uploads, arguments={"upload": 7})
    second = failed(source=uploads, last_run=first.last_run)
    read_by(RunKind.REINDEX_SOURCE, folder)
    kept = failed(source=pushed)
    DocumentBody.objects.create(document=kept, text="grail")
    # An update failed, so what is kept is the text of the version before.
    lost = failed(source=pushed, chunk_count=3)
    DocumentBody.objects.create(document=lost, text="an older grail")
    Document.objects.update(attempts=3)

    retries = plan_retry(documents=Document.objects.all())

    assert [(run.kind, run.source, run.arguments) for run in retries.runs] == [
        (RunKind.UPLOAD, uploads, {"upload": 7, "only": [first.external_id, second.external_id]}),
        (RunKind.REFRESH, folder, {}),
        (RunKind.REINDEX_DOCUMENTS, None, {"document_ids": [kept.pk]}),
    ]
    assert retries.left_out == (lost.external_id,)
    assert f"The text of '{lost.external_id}' is not kept" in retries.refusal
    assert list(Document.objects.filter(attempts=3)) == [lost]


def test_plan_retry__nothing_can_be_had():
    failed(source__connector="push")

    with pytest.raises(NothingToRetryError, match="Send it once more"):
        planned()
    assert not IngestionRun.objects.exists()


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_plan_rerun__does_what_the_run_was_to_do(status):
    run = IngestionRun.objects.create(
        source=SourceFactory(),
        trigger="admin",
        status=status,
        status_reason="The disk is full.",
        kind=RunKind.UPLOAD,
        arguments={"upload": 7},
        expected=4,
    )

    again = plan_rerun(run=run)

    assert (again.kind, again.source, again.arguments) == (run.kind, run.source, {"upload": 7})
    assert (again.retry_of, again.expected, again.status) == (run, 4, "waiting")


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"status": "running", "kind": "refresh"}, "not over yet"),
        ({"status": "done", "kind": "refresh"}, "No document of this run failed"),
        ({"status": "cancelled"}, "Start it again where it was started"),
    ],
)
def test_plan_rerun__of_what_cannot_be_repeated(values, reason):
    run = IngestionRun.objects.create(source=SourceFactory(), trigger="admin", **values)

    with pytest.raises(NothingToRetryError, match=reason):
        plan_rerun(run=run)
