"""MBOX files and Maildirs, one document a message."""

import mailbox

import pytest
from django.core.management import CommandError

from knowledge.models import Document, IngestionRun, Source
from tests.integration.knowledge.management.test_ingest import ingest


def message(number, **headers):
    told = {
        "From": "robin@camelot.example",
        "Subject": f"Quest {number}",
        "Date": "Tue, 01 Jul 2031 09:00:00 +0200",
        "Message-ID": f"<{number}@camelot.example>",
        **headers,
    }
    head = "".join(f"{name}: {value}\n" for name, value in told.items() if value)
    return f"{head}\nRide to castle {number}.\n".encode()


@pytest.fixture
def mbox(tmp_path, seeded):
    path = tmp_path / "inbox.mbox"
    box = mailbox.mbox(path)
    for number in range(12):
        box.add(message(number))
    box.close()
    return path


def test_mbox__one_document_a_message(mbox):
    code, output = ingest(mbox, source="mail", type="email")

    assert code == 0, output
    assert Source.objects.get().connector == "mailbox"
    document = Document.objects.get(external_id="<3@camelot.example>")
    assert document.title == "Quest 3"
    assert document.mime_type == "message/rfc822"
    assert document.published_at.isoformat() == "2031-07-01T07:00:00+00:00"
    assert "Ride to castle 3." in document.body.text
    assert "12 unchanged" in ingest(mbox, source="mail")[1]


def test_mbox__a_message_that_was_deleted_is_taken_out(mbox):
    ingest(mbox, source="mail")
    box = mailbox.mbox(mbox)
    box.remove(0)
    box.close()

    output = ingest(mbox, source="mail")[1]

    assert "1 gone from the source, taken out" in output
    assert Document.objects.get(status="retired").external_id == "<0@camelot.example>"


@pytest.mark.parametrize("content", [b"", b"no mailbox at all"])
def test_mbox__damaged_takes_nothing_out(mbox, content):
    ingest(mbox, source="mail")
    mbox.write_bytes(content)

    with pytest.raises(CommandError, match="could not be told what the source holds"):
        ingest(mbox, source="mail")

    assert Document.objects.filter(status="ready").count() == 12
    assert IngestionRun.objects.first().status == "failed"


@pytest.mark.parametrize(
    ("added", "told"),
    [
        (b"From nobody\n\n" + b"word\n" * 300_000, "Message 13 of inbox.mbox is larger than 1 MB"),
        (b"From nobody\n\n" + b"x" * 1_100_000, "has a line of more than 1 MB"),
    ],
)
def test_mbox__no_more_is_held_than_a_file_may_have(mbox, settings, added, told):
    settings.CRMIND_KNOWLEDGE = {**settings.CRMIND_KNOWLEDGE, "MAX_FILE_BYTES": 1024 * 1024}
    mbox.write_bytes(mbox.read_bytes() + added)

    with pytest.raises(CommandError, match=told):
        ingest(mbox, source="mail")


def test_mbox__without_a_suffix_and_without_ids(tmp_path, seeded):
    path = tmp_path / "Sent"
    box = mailbox.mbox(path)
    box.add(message(1, **{"Message-ID": ""}))
    box.add(message(2, **{"Message-ID": "x" * 2000}))
    box.close()

    assert ingest(path, source="mail")[0] == 0
    assert "2 unchanged" in ingest(path, source="mail")[1]
    assert all(
        each.startswith("message-")
        for each in Document.objects.values_list("external_id", flat=True)
    )


def test_maildir__flags_and_moves_change_nothing(tmp_path, seeded):
    path = tmp_path / "Maildir"
    box = mailbox.Maildir(path)
    box.add(message(1))
    box.add_folder("Sent").add(message(2))
    (path / "tmp" / "half").write_bytes(message(3))

    code, output = ingest(path, source="mail")

    assert code == 0, output
    assert set(Document.objects.values_list("external_id", flat=True)) == {
        "<1@camelot.example>",
        "<2@camelot.example>",
    }
    assert Source.objects.get().connector == "mailbox"
    (new,) = (path / "new").iterdir()
    new.rename(path / "cur" / f"{new.name}:2,S")
    assert "2 unchanged" in ingest(path, source="mail")[1]
    assert Document.objects.filter(status="ready").count() == 2
