import base64

from knowledge.ingestion.types import Attachment
from tests.unit.knowledge.ingestion.extract.documents import read, zipped


def multipart(kind, *parts, headers="Subject: Offer\nFrom: ana@x.example\n"):
    body = "".join(f"--b\n{part}\n" for part in parts)
    return (
        f'{headers}MIME-Version: 1.0\nContent-Type: multipart/{kind}; boundary="b"\n\n{body}--b--\n'
    )


def plain(text, headers=""):
    return f"Content-Type: text/plain; charset=utf-8\n{headers}\n{text}"


def test_read_mail__headers_and_metadata():
    letter = (
        "Subject: =?utf-8?b?w4RuZ2Vib3Q=?=\nFrom: Zoë <zoe@x.example>\nTo: b@x.example\n"
        "Date: Fri, 17 May 2030 10:00:00 +0200\n\nHello\n"
    )

    extraction = read("a.eml", letter)

    assert extraction.text == (
        "Subject: Ängebot\nFrom: Zoë <zoe@x.example>\nTo: b@x.example\n"
        "Date: Fri, 17 May 2030 10:00:00 +0200\n\nHello\n"
    )
    assert extraction.metadata == {
        "title": "Ängebot",
        "author": "Zoë <zoe@x.example>",
        "published_at": "2030-05-17T10:00:00+02:00",
    }


def test_read_mail__of_alternatives_the_plain_one():
    page = "Content-Type: text/html\n\n<p>Hello <b>again</b></p>"

    extraction = read("a.eml", multipart("alternative", page, plain("Hello")))

    assert extraction.text.endswith("\n\nHello")
    assert "again" not in extraction.text


def test_read_mail__html_only():
    page = "Content-Type: text/html; charset=iso-8859-1\n\n<p>Gr\u00fc\u00dfe</p>"

    extraction = read("a.eml", multipart("alternative", page).encode("latin-1"))

    assert "Grüße" in extraction.text


def test_read_mail__unknown_charset():
    letter = "Subject: x\nContent-Type: text/plain; charset=x-no-such\n\nplain ascii\n"

    assert "plain ascii" in read("a.eml", letter).text


def test_read_mail__attachments_and_forwarded_messages():
    encoded = base64.b64encode("Fälligkeit 30 Tage".encode("cp1252")).decode()
    attached = (
        'Content-Type: application/octet-stream; name="terms.txt"\n'
        f"Content-Transfer-Encoding: base64\nContent-Disposition: attachment\n\n{encoded}"
    )
    forwarded = "Content-Type: message/rfc822\n\nSubject: Inner\n\nInner body"

    extraction = read("a.eml", multipart("mixed", plain("See below"), attached, forwarded))

    assert extraction.text == (
        "Subject: Offer\nFrom: ana@x.example\n\nSee below\n\n"
        "## Attached message\n\nSubject: Inner\n\nInner body\n\n"
        "Attachments: terms.txt"
    )
    assert extraction.attachments == (
        Attachment(name="terms.txt", text="Fälligkeit 30 Tage", mime_type="text/plain"),
    )


def test_read_mail__inside_an_archive_with_its_attachments():
    attached = (
        'Content-Type: application/octet-stream; name="terms.txt"\n'
        "Content-Disposition: attachment\n\n30 days"
    )
    packed = zipped(("a.eml", multipart("mixed", plain("See below"), attached)))

    extraction = read("a.zip", packed)

    assert extraction.text.endswith("See below\n\n## Attachment: terms.txt\n\n30 days")
    assert extraction.attachments == ()


def test_read_mail__pictures_only():
    picture = "Content-Type: image/png\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo="

    extraction = read("a.eml", multipart("mixed", picture))

    assert (extraction.status, extraction.reason) == ("no_text", "The message holds only pictures")


def test_read_mail__encrypted():
    cipher = "Content-Type: application/octet-stream\n\n-----BEGIN PGP MESSAGE-----"

    extraction = read("a.eml", multipart("encrypted", cipher))

    assert (extraction.status, extraction.reason) == (
        "no_text",
        "The message is encrypted: save its decrypted text instead",
    )


def test_read_mail__nested_beyond_reason():
    levels = "".join(
        f"Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n" for level in range(5000)
    )

    extraction = read("a.eml", f"Subject: n\n{levels}Content-Type: text/plain\n\nhello\n")

    assert extraction.reason == "The message is nested too deeply to be read"
