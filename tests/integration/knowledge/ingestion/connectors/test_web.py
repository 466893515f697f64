"""Web pages, sitemaps and feeds, taken in from a real server."""

import gzip
import time
from datetime import UTC, datetime

import pytest
from django.core.management import CommandError

from knowledge.embedding.hashing import HashingEmbedder
from knowledge.models import Chunk, Document, IngestionRun, Source
from tests.integration.knowledge.management.test_ingest import ingest

LONG = "The knights of the round table eat ham and jam and spam a lot. " * 4
PAGE = """<html lang="en"><head><title>Holy Grail - Camelot</title>
<meta property="article:published_time" content="2031-07-01T09:00:00Z">
<meta name="author" content="Sir Robin"><link rel="canonical" href="{canonical}"></head>
<body><nav><a href="/">Home</a> <a href="/shop">Shop for coconuts</a></nav>
<main><article><h1>Holy Grail</h1><p>{text}</p></article></main>
<footer>Imprint and cookies</footer></body></html>"""


@pytest.fixture(autouse=True)
def _stocked(seeded):
    """Give the source types."""


@pytest.fixture
def embedded(monkeypatch):
    """Collect the texts that are embedded."""
    texts = []
    embed = HashingEmbedder.embed_passages

    def count(self, passages):
        texts.extend(passages)
        return embed(self, passages)

    monkeypatch.setattr(HashingEmbedder, "embed_passages", count)
    return texts


def sitemap(site, *pages, path="/sitemap.xml"):
    entries = "".join(
        f"<url><loc>{url}</loc>{f'<lastmod>{changed}</lastmod>' if changed else ''}</url>"
        for url, changed in pages
    )
    content = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'
    site.pages[path] = content
    site.headers[path] = {"Content-Type": "application/xml"}
    return site.url + path


def fill(site, count):
    """Give a site of so many pages and return the address of its sitemap."""
    pages = [site.page(f"/{n}", title=f"Page {n}", text=f"Page {n}: {LONG}") for n in range(count)]
    return sitemap(site, *((url, "") for url in pages))


def searched():
    return Document.objects.filter(status="ready").count()


def test_page__main_text_and_what_it_says_of_itself(site):
    site.pages["/grail?ref=mail"] = PAGE.format(canonical=f"{site.url}/grail", text=LONG)

    code, output = ingest(f"{site.url}/grail?ref=mail#top", source="camelot")

    assert code == 0, output
    document = Document.objects.get()
    assert document.external_id == document.url == f"{site.url}/grail"
    assert (document.title, document.author) == ("Holy Grail - Camelot", "Sir Robin")
    assert document.published_at == datetime(2031, 7, 1, 9, tzinfo=UTC)
    assert document.language == "english"
    text = document.body.text
    assert "ham and jam" in text
    assert "coconuts" not in text
    assert "cookies" not in text
    source = Source.objects.get()
    assert (source.connector, source.location) == ("url", f"{site.url}/grail?ref=mail")


def test_page__without_a_main_text_is_read_whole(site):
    site.page("/short", title="Notice", text="Closed on Friday.")

    ingest(f"{site.url}/short", source="camelot")

    assert Chunk.objects.get().text == "Closed on Friday."


def test_page__may_not_pretend_to_be_one_of_another_site(site):
    site.pages["/a"] = PAGE.format(canonical="https://bank.example/terms", text=LONG)

    ingest(f"{site.url}/a", source="camelot")

    assert Document.objects.get().external_id == f"{site.url}/a"


def test_page__written_in_what_the_server_says(site):
    site.pages["/a"] = "<html><body>Größe überall</body></html>".encode("cp1252")
    site.headers["/a"] = {"Content-Type": "text/html; charset=windows-1252"}

    ingest(f"{site.url}/a", source="camelot")

    assert Chunk.objects.get().text == "Größe überall"


def test_page__a_text_file_does_not_choose_its_readers(site):
    site.pages["/a.md"] = "---\ntags: [everyone]\ntrust: 1.0\n---\nOpen to all"
    site.headers["/a.md"] = {"Content-Type": "text/markdown"}

    ingest(f"{site.url}/a.md", source="camelot", tags="board")

    assert Chunk.objects.get().access_tags == ["board"]


def test_page__unchanged_costs_no_transfer_and_no_embedding(site, embedded):
    url = site.page("/a", text=LONG, ETag='"1"')
    ingest(url, source="camelot")
    assert len(embedded) == 1

    output = ingest(url, source="camelot")[1]

    assert "1 unchanged" in output
    assert site.requests[-1][1]["If-None-Match"] == '"1"'
    assert len(embedded) == 1

    site.page("/a", text=LONG + "New", ETag='"2"')
    assert "1 updated" in ingest(url, source="camelot")[1]
    assert len(embedded) == 2
    site.page("/a", text=LONG + "New", ETag='"3"')
    assert "1 unchanged" in ingest(url, source="camelot")[1]
    assert len(embedded) == 2


def test_page__is_fetched_whole_again_where_it_was_not_stored(site):
    url = site.page("/a", text=LONG, ETag='"1"')
    ingest(url, source="camelot")
    Document.objects.update(status="failed", status_reason="lost", content_hash="")

    assert "1 updated" in ingest(url, source="camelot")[1]
    assert "If-None-Match" not in site.requests[-1][1]


@pytest.mark.parametrize("status", [404, 403, 500])
def test_page__that_fails_stays(site, status):
    url = site.page("/a", text=LONG)
    ingest(url, source="camelot")
    site.pages["/a"] = status

    with pytest.raises(CommandError, match=f"answers {status}"):
        ingest(url, source="camelot")

    assert searched() == 1
    assert IngestionRun.objects.first().status == "failed"


def test_sitemap__pages_that_did_not_change_are_not_asked_for(site):
    pages = [site.page(f"/{n}", text=f"{n} {LONG}") for n in range(3)]
    url = sitemap(site, *((page, "2031-07-01") for page in pages))
    assert "3 added" in ingest(url, source="camelot")[1]

    url = sitemap(site, (pages[0], "2031-07-01"), (pages[1], "2031-07-02"), (pages[2], ""))
    site.hits.clear()
    assert "3 unchanged" in ingest(url, source="camelot")[1]

    assert {path for path, _ in site.hits.items()} == {"/robots.txt", "/sitemap.xml", "/1", "/2"}


def test_sitemap__index_with_a_packed_one(site):
    page = site.page("/a", text=LONG)
    sitemap(site, (page, ""), path="/inner.xml")
    site.pages["/inner.xml.gz"] = gzip.compress(site.pages["/inner.xml"].encode())
    other = site.page("/b", text=f"b {LONG}")
    sitemap(site, (other, ""), (page, ""), path="/second.xml")
    site.pages["/index.xml"] = (
        f"<sitemapindex><sitemap><loc>{site.url}/inner.xml.gz</loc></sitemap>"
        f"<sitemap><loc>{site.url}/second.xml</loc></sitemap>"
        f"<sitemap><loc>{site.url}/index.xml</loc></sitemap></sitemapindex>"
    )

    code, output = ingest(f"{site.url}/index.xml", source="camelot")

    assert (code, searched()) == (0, 2), output


def test_sitemap__unchanged_is_not_sent_again_and_takes_nothing_out(site):
    """The pages it names are looked at all the same: it need not tell when they change."""
    for part in range(2):
        pages = [site.page(f"/{part}/{n}", text=f"{part} {n} {LONG}", ETag='"1"') for n in range(3)]
        sitemap(site, *((page, "") for page in pages), path=f"/part{part}.xml")
        site.headers[f"/part{part}.xml"]["ETag"] = f'"part{part}"'
    parts = "".join(f"<sitemap><loc>{site.url}/part{n}.xml</loc></sitemap>" for n in range(2))
    site.pages["/index.xml"] = f"<sitemapindex>{parts}</sitemapindex>"
    site.headers["/index.xml"] = {"Last-Modified": "Sun, 20 Jul 2031 12:00:00 GMT"}
    url = f"{site.url}/index.xml"
    assert "6 added" in ingest(url, source="camelot")[1]
    site.page("/0/0", text=f"New. {LONG}", ETag='"2"')
    sitemap(site, (f"{site.url}/1/0", ""), (f"{site.url}/1/1", ""), path="/part1.xml")
    site.headers["/part1.xml"]["ETag"] = '"part1, later"'
    site.answers.clear()

    output = ingest(url, source="camelot", confirm_removal=True)[1]

    changed = {path for path, status in site.answers.items() if status == 200}
    same = {path for path, status in site.answers.items() if status == 304}
    assert changed == {"/part1.xml", "/0/0"}
    assert same == {"/index.xml", "/part0.xml", "/0/1", "/0/2", "/1/0", "/1/1"}
    assert "1 updated, 4 unchanged" in output
    assert "1 gone from the source, taken out" in output


def test_sitemap__pages_of_other_sites_are_left_out(site):
    page = site.page("/a", text=LONG)
    url = sitemap(site, (page, ""), ("http://127.0.0.1:9/x", ""), ("file:///etc/passwd", ""))

    code, output = ingest(url, source="camelot")

    assert (code, searched()) == (0, 1)
    assert "127.0.0.1:9/x was left out: it is on another site" in output
    assert "only http and https" in output


@pytest.mark.parametrize(
    "content",
    [
        b"<urlset><url><loc>http://127",
        b"<urlset/>",
        b"<html><body>Back soon</body></html>",
        b'<!DOCTYPE urlset [<!ENTITY a "b">]><urlset><url><loc>&a;</loc></url></urlset>',
    ],
)
def test_sitemap__damaged_or_empty_takes_nothing_out(site, content):
    url = fill(site, 3)
    ingest(url, source="camelot")
    site.pages["/sitemap.xml"] = content

    with pytest.raises(CommandError, match=r"sitemap|lists no pages"):
        ingest(url, source="camelot")

    assert searched() == 3


def slow(handler):
    time.sleep(0.2)


@pytest.mark.parametrize("answer", [500, 403, 404, slow, b"<html>Maintenance</html>"])
def test_sitemap__second_of_three_fails_and_nothing_is_gone(site, answer):
    """Case B19, (2) and (3)."""
    for part in range(3):
        pages = [site.page(f"/{part}/{n}", text=f"{part} {n} {LONG}") for n in range(10)]
        sitemap(site, *((page, "") for page in pages), path=f"/part{part}.xml")
    parts = "".join(f"<sitemap><loc>{site.url}/part{n}.xml</loc></sitemap>" for n in range(3))
    site.pages["/index.xml"] = f"<sitemapindex>{parts}</sitemapindex>"
    url = f"{site.url}/index.xml"
    assert "30 added" in ingest(url, source="camelot")[1]
    site.pages["/part1.xml"] = answer

    with pytest.raises(CommandError, match=r"could not be told what the source holds.*part1\.xml"):
        ingest(url, source="camelot")

    run = IngestionRun.objects.first()
    assert (searched(), run.status, run.removed, run.seen) == (30, "failed", 0, 20)


def test_sitemap__pages_that_are_gone(site):
    """Case B19, (4): three of thirty are really gone, each in another way."""
    url = fill(site, 30)
    assert "30 added" in ingest(url, source="camelot")[1]
    sitemap(site, *((f"{site.url}/{n}", "") for n in range(1, 30)))
    site.pages["/1"] = 404
    site.pages["/2"] = 410
    site.pages["/3"] = 500

    code, output = ingest(url, source="camelot")

    assert code == 3
    assert "3 gone from the source, taken out" in output
    states = dict(Document.objects.values_list("external_id", "status"))
    assert [states[f"{site.url}/{n}"] for n in range(5)] == [
        "retired", "retired", "retired", "needs_attention", "ready",
    ]  # fmt: skip
    assert Document.objects.get(external_id=f"{site.url}/3").chunk_count == 1


def test_sitemap__no_more_pages_than_a_setting_says(site, settings):
    settings.CRMIND_KNOWLEDGE = {**settings.CRMIND_KNOWLEDGE, "FETCH_MAX_PAGES": 2}

    with pytest.raises(CommandError, match="more than 2 pages"):
        ingest(fill(site, 3), source="camelot")

    assert searched() == 2


def feed(site, *entries, path="/feed.xml"):
    site.pages[path] = (
        '<?xml version="1.0"?><rss version="2.0" '
        'xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>News</title>'
        f"{''.join(f'<item>{entry}</item>' for entry in entries)}</channel></rss>"
    )
    site.headers[path] = {"Content-Type": "application/rss+xml"}
    return site.url + path


def test_feed__whole_entries_and_teasers(site):
    page = site.page("/2", title="Other title", text=f"Behind the teaser. {LONG}")
    url = feed(
        site,
        "<guid isPermaLink='false'>n1</guid><title>One</title><author>Robin</author>"
        "<pubDate>Tue, 01 Jul 2031 09:00:00 GMT</pubDate>"
        "<link>https://news.example/1</link><description>Teaser</description>"
        "<content:encoded><![CDATA[<p>The whole text</p><script>x()</script>]]></content:encoded>",
        f"<guid isPermaLink='false'>n2</guid><title>Two</title><link>{page}</link>"
        "<description>Teaser</description>",
        f"<guid isPermaLink='false'>n3</guid><title>Three</title><link>{site.url}/gone</link>"
        "<description>All there is</description>",
        "<title>Four</title><description>No link</description>",
    )

    output = ingest(url, source="news")[1]

    documents = {each.external_id: each for each in Document.objects.all()}
    assert len(documents) == 3, output
    one, two = documents["n1"], documents["n2"]
    assert (one.title, one.author, one.url) == ("One", "Robin", "https://news.example/1")
    assert one.published_at == datetime(2031, 7, 1, 9, tzinfo=UTC)
    assert one.body.text.strip() == "The whole text"
    assert (two.title, two.url) == ("Two", page)
    assert "Behind the teaser" in two.body.text
    assert Source.objects.get().connector == "feed"


def test_feed__teaser_where_the_page_cannot_be_had(site):
    site.pages["/2"] = 403
    url = feed(
        site,
        f"<guid isPermaLink='false'>n2</guid><title>Two</title><link>{site.url}/2</link>"
        "<description>Just the teaser</description>",
    )

    ingest(url, source="news")

    document = Document.objects.get()
    assert (document.status, document.body.text.strip()) == ("ready", "Just the teaser")
    assert "Only the text of the feed was taken" in document.warnings[0]


def test_feed__what_drops_out_of_it_stays(site):
    entries = [
        f"<guid isPermaLink='false'>n{n}</guid><title>{n}</title>"
        f"<description>{n} {LONG * 6}</description>"
        for n in range(3)
    ]
    url = feed(site, *entries)
    ingest(url, source="news")
    feed(site, entries[2])
    assert ingest(url, source="news")[0] == 0
    assert searched() == 3

    feed(site)
    assert ingest(url, source="news")[0] == 0
    assert searched() == 3


def test_feed__unchanged_is_not_sent_again_and_what_failed_is_read(site):
    site.pages["/2"] = 500
    url = feed(
        site,
        f"<guid isPermaLink='false'>n1</guid><description>{LONG * 6}</description>",
        f"<guid isPermaLink='false'>n2</guid><title>Two</title><link>{site.url}/2</link>",
    )
    site.headers["/feed.xml"]["ETag"] = '"1"'
    assert "1 needs attention" in ingest(url, source="news")[1]
    site.page("/2", text=f"Mended. {LONG}")
    site.answers.clear()

    assert ingest(url, source="news", dry_run=True)[0] == 0
    assert "1 unchanged" in ingest(url, source="news")[1]

    assert (site.answers["/feed.xml"], site.answers["/2"], searched()) == (304, 200, 2)


def test_feed__that_declares_entities_is_not_read(site):
    """Row T33: neither files of this machine nor a billion laughs."""
    url = feed(site, "<guid>n1</guid><description>before &c; after</description>")
    entities = '<!ENTITY a SYSTEM "file:///etc/passwd"><!ENTITY b "&a;&a;"><!ENTITY c "&b;&b;">'
    declared = f'<?xml version="1.0"?><!DOCTYPE rss [{entities}]>'
    site.pages["/feed.xml"] = site.pages["/feed.xml"].replace('<?xml version="1.0"?>', declared)

    with pytest.raises(CommandError, match="holds neither a sitemap nor a feed"):
        ingest(url, source="news")

    assert not Document.objects.exists()


def test_feed__atom(site):
    page = site.page("/a", text=f"Atom page. {LONG}")
    site.pages["/atom"] = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><title>N</title><entry><id>urn:1</id>'
        f'<title>First</title><updated>2031-07-01T09:00:00Z</updated><link href="{page}"/>'
        "<summary>S</summary></entry></feed>"
    )

    ingest(f"{site.url}/atom", source="news")
    site.hits.clear()
    assert "1 unchanged" in ingest(f"{site.url}/atom", source="news")[1]

    assert Document.objects.get().external_id == "urn:1"
    assert site.hits["/a"] == 0
