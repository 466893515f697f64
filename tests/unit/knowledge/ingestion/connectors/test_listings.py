"""Feeds and sitemaps that are made to keep a worker busy."""

import pytest

from knowledge.ingestion.connectors.feeds import read_feed
from knowledge.ingestion.connectors.sitemaps import NotASitemapError, read_sitemap, root_name

ITEM = "<item><guid>1</guid>{}</item>"
RSS = "<rss version='2.0'><channel>{}</channel></rss>"


def feed(inner):
    return RSS.format(ITEM.format(inner))


@pytest.mark.parametrize("open_name", ["<author>", "<dc:creator>", "<author> <![CDATA["])
def test_read_feed__names_without_end(open_name):
    assert read_feed(feed(f"{open_name}{'a.' * 20_000}").encode(), url="") is None
    assert read_feed(feed(f"{open_name}{'a.' * 20_000}").encode("utf-16"), url="") is None


def test_read_feed__markup_without_end():
    written = feed(f"<author>Robin</author><description>{'&lt;!--' * 20_000}</description>")

    (entry,) = read_feed(written.encode(), url="").entries

    assert entry.author == "Robin"
    assert entry.html.startswith("<!--<!--")


def test_root_name__only_near_the_start():
    assert root_name(b"<?xml version='1.0'?>" + b"\n" * 1_000 + feed("").encode()) == "rss"
    assert root_name(b"<?xml version='1.0'?>" + b"\n" * 20_000 + feed("").encode()) == ""


@pytest.mark.parametrize("declaration", ["<!ATTLIST url x CDATA 'x'>", "<!ENTITY x 'x'>"])
def test_read_sitemap__declarations_are_refused(declaration):
    content = f"<!DOCTYPE urlset [{declaration}]><urlset><url><loc>http://x</loc></url></urlset>"

    with pytest.raises(NotASitemapError, match="declarations are not read"):
        read_sitemap(content.encode())
    assert root_name(content.encode()) == ""
