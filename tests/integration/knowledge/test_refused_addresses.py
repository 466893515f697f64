"""Row T34: nothing that comes in makes the service ask an address of its own network."""

import io
import socket
import zipfile
from email.message import EmailMessage

import pytest
from django.core.management import CommandError

from knowledge.models import Document
from tests.integration.knowledge.management.test_ingest import ingest
from tests.integration.website import website

ADDRESSES = [
    "http://127.0.0.1:{port}/",
    "http://127.1:{port}/",
    "http://127.0.1:{port}/",
    "http://2130706433:{port}/",
    "http://0x7f000001:{port}/",
    "http://0x7f.0.0.1:{port}/",
    "http://0177.0.0.1:{port}/",
    "http://017700000001:{port}/",
    "http://0:{port}/",
    "http://0.0.0.0:{port}/",
    "http://localhost:{port}/",
    "http://LOCALHOST.:{port}/",
    "http://[::1]:{port}/",
    "http://[::]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://[::ffff:7f00:1]:{port}/",
    "http://[::127.0.0.1]:{port}/",
    "http://[64:ff9b::7f00:1]:{port}/",
    "http://[2002:7f00:1::]:{port}/",
    "http://[fe80::1%25lo]:{port}/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/latest/meta-data/",
    "http://100.100.100.200/latest/meta-data/",
    "http://metadata.google.internal/",
    "http://10.0.0.1:{port}/",
    "http://\uff11\uff12\uff17.\uff10.\uff10.\uff11:{port}/",
    "http://\u2460\u2461\u2466.0.0.1:{port}/",
    "http://example.org@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}#@example.org/",
    "http://127.0.0.1:{port}\\@example.org/",
    "https://127.0.0.1:{port}/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:{port}/",
    "ftp://127.0.0.1:{port}/",
    "dict://127.0.0.1:{port}/",
]


@pytest.fixture(autouse=True)
def _stocked(seeded):
    """Give the source types."""


@pytest.fixture
def canary():
    """Run a server of the own network that nothing may ask."""
    with website() as site:
        for path in ("/", "/x.png", "/feed", "/sitemap.xml"):
            site.page(path, text="The secret of the own network")
        yield site


@pytest.fixture
def outside(settings, canary):
    """Run a server that may be asked, as if it were of the internet: by its name alone."""
    settings.CRMIND_KNOWLEDGE = {
        **settings.CRMIND_KNOWLEDGE,
        "FETCH_ALLOWED_HOSTS": ["outside.example"],
        "FETCH_INTERVAL_SECONDS": 0.0,
        "FETCH_ATTEMPTS": 1,
        "FETCH_STEP_SECONDS": 0.5,
    }
    with website() as site:
        site.url = f"http://outside.example:{site.port}"
        yield site


@pytest.fixture
def names(monkeypatch):
    """Say which addresses names have, the rest as the system says; counts what was asked."""
    known = {"outside.example": ["127.0.0.1"]}
    resolve = socket.getaddrinfo

    def lookup(host, port, *arguments, **options):
        found = known.get(host)
        if callable(found):
            found = found()
        if found is None:
            return resolve(host, port, *arguments, **options)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in found]

    monkeypatch.setattr("socket.getaddrinfo", lookup)
    return known


def assert_nothing_was_asked(canary):
    assert not canary.hits
    assert not Document.objects.filter(chunk_count__gt=0, body__text__contains="secret").exists()


@pytest.mark.parametrize("address", ADDRESSES)
def test_location__of_the_own_network_is_refused(canary, settings, address):
    settings.CRMIND_KNOWLEDGE = {
        **settings.CRMIND_KNOWLEDGE,
        "FETCH_ATTEMPTS": 1,
        "FETCH_STEP_SECONDS": 0.3,
    }

    with pytest.raises(CommandError):
        ingest(address.format(port=canary.port), source="trap")

    assert_nothing_was_asked(canary)


@pytest.mark.parametrize("target", ["http://127.0.0.1:{port}/", "//localhost:{port}/", "file:///x"])
def test_redirect__into_the_own_network(canary, outside, names, target):
    outside.redirect("/a", target.format(port=canary.port))

    with pytest.raises(CommandError, match="refused"):
        ingest(f"{outside.url}/a", source="trap")

    assert outside.hits["/a"] == 1
    assert_nothing_was_asked(canary)


def test_redirect__of_robots_into_the_own_network(canary, outside, names):
    outside.redirect("/robots.txt", f"{canary.url}/")
    outside.page("/a", text="page")

    with pytest.raises(CommandError, match="refused"):
        ingest(f"{outside.url}/a", source="trap")

    assert_nothing_was_asked(canary)


def test_name__that_points_to_another_address_each_time(canary, names):
    """DNS rebinding: what was checked is what is connected to."""
    answers = iter([["203.0.113.5", "127.0.0.1"], ["127.0.0.1"], ["127.0.0.1"], ["127.0.0.1"]])
    names["rebind.example"] = lambda: next(answers)

    with pytest.raises(CommandError, match="not an address of the public internet"):
        ingest(f"http://rebind.example:{canary.port}/", source="trap")

    assert_nothing_was_asked(canary)


def test_name__is_resolved_once_for_a_connection(canary, outside, names, settings):
    """A name that is allowed once must not be looked up again between check and connection."""
    settings.CRMIND_KNOWLEDGE = {
        **settings.CRMIND_KNOWLEDGE,
        "FETCH_ALLOWED_HOSTS": ["127.0.0.1"],
        "FETCH_RESPECTS_ROBOTS": False,
    }
    lookups = []

    def answer():
        lookups.append(1)
        return ["127.0.0.1"]

    names["once.example"] = answer
    outside.page("/a", text="page")

    ingest(f"http://once.example:{outside.port}/a", source="fine")

    assert len(lookups) == 1
    assert outside.requests[-1][1]["Host"] == f"once.example:{outside.port}"


def test_sitemap_and_feed__that_name_addresses_of_the_own_network(canary, outside, names):
    outside.pages["/sitemap.xml"] = (
        f"<urlset><url><loc>{canary.url}/</loc></url><url><loc>{outside.url}/p</loc></url></urlset>"
    )
    outside.page("/p", text="page")
    outside.pages["/feed"] = (
        f"<rss version='2.0'><channel><item><guid>1</guid><link>{canary.url}/</link>"
        f"<description><img src='{canary.url}/x.png'>teaser</description></item></channel></rss>"
    )

    ingest(f"{outside.url}/sitemap.xml", source="trap")
    ingest(f"{outside.url}/feed", source="news")

    assert_nothing_was_asked(canary)
    assert Document.objects.get(source__name="news").status == "ready"


def docx(target):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="rels" ContentType='
            '"application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats'
            '-officedocument.wordprocessingml.document.main+xml"/></Types>',
        )
        relation = (
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            '<Relationship Id="{}" Target="{}" {} Type="http://schemas.openxmlformats.org/'
            'officeDocument/2006/relationships/{}"/></Relationships>'
        )
        archive.writestr(
            "_rels/.rels", relation.format("r1", "word/document.xml", "", "officeDocument")
        )
        external = relation.format("r2", target, 'TargetMode="External"', "attachedTemplate")
        archive.writestr("word/_rels/document.xml.rels", external)
        archive.writestr(
            "word/document.xml",
            '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
            "<w:body><w:p><w:r><w:t>Template</w:t></w:r></w:p></w:body></w:document>",
        )
    return content.getvalue()


def mail(target):
    message = EmailMessage()
    message["Subject"] = "Hi"
    message.set_content(f"<img src='{target}x.png'><p>Mail</p>", subtype="html")
    return message.as_bytes()


def test_content__of_files_and_pages_makes_nothing_be_fetched(canary, outside, names, tmp_path):
    target = f"{canary.url}/"
    html = (
        f"<html><head><link rel='stylesheet' href='{target}'><base href='{target}'>"
        f"<meta http-equiv='refresh' content='0;url={target}'></head><body><p>Page text</p>"
        f"<img src='{target}x.png'><iframe src='{target}'></iframe><script src='{target}'></script>"
        f"<object data='{target}'></object></body></html>"
    )
    xml = f'<!DOCTYPE a [<!ENTITY x SYSTEM "{target}">]><a>text &x;</a>'
    files = {
        "a.md": f"![picture]({target}x.png) [link]({target}) text".encode(),
        "b.docx": docx(target),
        "c.html": html.encode(),
        "d.xml": xml.encode(),
        "e.svg": f'<svg xmlns="http://www.w3.org/2000/svg"><image href="{target}"/>'
        "<text>S</text></svg>".encode(),
        "f.eml": mail(target),
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    outside.pages["/page"] = html

    ingest(tmp_path, source="files", allow_failures=True)
    ingest(f"{outside.url}/page", source="page", allow_failures=True)

    assert Document.objects.count() == len(files) + 1
    assert_nothing_was_asked(canary)
