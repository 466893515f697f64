from knowledge.ingestion.types import Attachment
from tests.unit.knowledge.ingestion.extract.compound import outlook_message
from tests.unit.knowledge.ingestion.extract.documents import paragraph, read, run, word, zipped

LETTER = {"0037": "Angebot für März", "0C1A": "Ana Brandt", "1000": "Please find our offer."}


def test_read_outlook__attachments():
    offer = word(paragraph(run("Pallet jack 412.50 EUR")))
    picture = b"\x89PNG\r\n\x1a\n" + bytes(20)

    extraction = read(
        "a.msg", outlook_message(LETTER, [("Preise.docx", offer), ("logo.png", picture)])
    )

    assert (extraction.status, extraction.mime_type) == ("ok", "application/vnd.ms-outlook")
    assert extraction.metadata["title"] == "Angebot für März"
    assert "Subject: Angebot für März" in extraction.text
    assert extraction.text.endswith("Please find our offer.\n\nAttachments: Preise.docx")
    assert extraction.attachments == (
        Attachment(
            name="Preise.docx",
            text="Pallet jack 412.50 EUR",
            mime_type="application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ),
    )
    assert extraction.warnings == (
        "Attachment logo.png was not read: This is a picture: its text cannot be read without OCR",
    )


def test_read_outlook__inside_an_archive_with_its_attachments():
    message = outlook_message(LETTER, [("terms.txt", b"30 days")])

    extraction = read("a.zip", zipped(("a.msg", message)))

    assert "Please find our offer.\n\n## Attachment: terms.txt\n\n30 days" in extraction.text
    assert extraction.attachments == ()


def test_read_outlook__encrypted():
    message = outlook_message({"0037": "Secret"}, [("encrypted.asc", b"-----BEGIN PGP MESSAGE")])

    extraction = read("a.msg", message)

    assert (extraction.status, extraction.reason) == (
        "no_text",
        "The message is encrypted: save its decrypted text instead",
    )


def test_read_outlook__cut_off():
    extraction = read("a.msg", outlook_message(LETTER, [("terms.txt", b"30 days")])[:1500])

    assert extraction.status == "refused"
