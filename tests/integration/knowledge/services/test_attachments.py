"""Files that came with a message are documents that live and go with it."""

import mailbox
from email.message import EmailMessage

import pytest

from knowledge.models import Document
from knowledge.services.documents import delete_document
from tests.integration.knowledge.management.test_ingest import ingest
from tests.unit.knowledge.ingestion.extract.documents import paragraph, run, word

OFFER = "offer.eml#price list.docx"
TERMS = "offer.eml#terms.txt"


def write_message(path, *, body="Please find our offer.", files=("price list.docx", "terms.txt")):
    message = EmailMessage()
    message["Subject"] = "Offer 2026-117"
    message["From"] = "Ana Brandt <ana@supplier.example>"
    message["Date"] = "Mon, 02 Nov 2026 09:30:00 +0100"
    message["Message-ID"] = "<117@supplier.example>"
    message.set_content(body)
    content = {
        "price list.docx": word(paragraph(run("Pallet jack 412.50 EUR"))),
        "terms.txt": b"---\ntags: [board]\ntrust: 1\n---\nPayment within 30 days",
        "logo.png": b"\x89PNG\r\n\x1a\n" + bytes(20),
    }
    for name in files:
        message.add_attachment(
            content[name], maintype="application", subtype="octet-stream", filename=name
        )
    path.write_bytes(message.as_bytes())
    return message


@pytest.fixture
def folder(tmp_path, seeded):
    folder = tmp_path / "mail"
    folder.mkdir()
    for number in range(30):
        (folder / f"{number:02}.md").write_text(f"Note {number} on the rota")
    write_message(folder / "offer.eml")
    return folder


def states():
    mails = Document.objects.filter(external_id__startswith="offer.eml").order_by("external_id")
    return {each.external_id: each.status for each in mails}


def test_attachments__are_documents_of_their_message(folder):
    assert ingest(folder, source="mail")[0] == 0

    letter = Document.objects.get(external_id="offer.eml")
    offer, terms = Document.objects.filter(parent=letter).order_by("external_id")
    assert letter.body.text.endswith(
        "Please find our offer.\n\n\nAttachments: price list.docx, terms.txt"
    )
    assert (offer.external_id, terms.external_id) == (OFFER, TERMS)
    assert offer.body.text == "Pallet jack 412.50 EUR"
    assert (offer.title, offer.published_at) == ("price list.docx", letter.published_at)
    assert offer.metadata == {"file_name": "price list.docx", "attached_to": "Offer 2026-117"}
    # A stranger's file names neither its readers nor its trust.
    assert (terms.access_tags, terms.trust) == (letter.access_tags, None)
    assert "tags: [board]" in terms.body.text


def test_attachments__unchanged_the_second_time(folder):
    ingest(folder, source="mail")

    assert "(0 added, 0 updated, 33 unchanged" in ingest(folder, source="mail")[1]


def test_attachments__go_with_their_message_and_come_back(folder):
    ingest(folder, source="mail")
    mail = (folder / "offer.eml").read_bytes()
    (folder / "offer.eml").unlink()

    ingest(folder, source="mail", confirm_removal=True)
    assert set(states().values()) == {"retired"}

    (folder / "offer.eml").write_bytes(mail)
    ingest(folder, source="mail")
    assert states() == dict.fromkeys(("offer.eml", OFFER, TERMS), "ready")


def test_attachments__one_that_is_gone_from_its_message(folder):
    ingest(folder, source="mail")
    write_message(folder / "offer.eml", files=("terms.txt",))

    ingest(folder, source="mail")

    assert states() == {"offer.eml": "ready", OFFER: "retired", TERMS: "ready"}


def test_attachments__stay_while_their_message_cannot_be_read(folder):
    ingest(folder, source="mail")
    (folder / "offer.eml").write_bytes(b"")

    ingest(folder, source="mail", allow_failures=True)

    assert states() == {"offer.eml": "needs_attention", OFFER: "ready", TERMS: "ready"}


def test_attachments__deleted_with_their_message(folder):
    ingest(folder, source="mail")

    delete_document(document=Document.objects.get(external_id="offer.eml"))

    assert states() == {}


def test_attachments__of_messages_in_a_mailbox(folder):
    box = mailbox.mbox(folder / "desk.mbox")
    box.add(write_message(folder / "offer.eml").as_bytes())
    box.close()
    (folder / "offer.eml").unlink()

    assert ingest(folder / "desk.mbox", source="box")[0] == 0

    attached = Document.objects.filter(parent__external_id="<117@supplier.example>")
    assert set(attached.values_list("external_id", flat=True)) == {
        "<117@supplier.example>#price list.docx",
        "<117@supplier.example>#terms.txt",
    }


def test_attachments__a_picture_is_a_warning(folder):
    write_message(folder / "offer.eml", files=("logo.png",))

    assert ingest(folder, source="mail")[0] == 0

    letter = Document.objects.get(external_id="offer.eml")
    assert states() == {"offer.eml": "ready"}
    assert "logo.png" not in letter.body.text
    assert letter.warnings == [
        "Attachment logo.png was not read: This is a picture: its text cannot be read without OCR"
    ]
