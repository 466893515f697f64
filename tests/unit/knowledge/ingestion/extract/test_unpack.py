import gzip

from tests.unit.knowledge.ingestion.extract.documents import read


def test_read_gzip__text_under_its_inner_name():
    assert read("a.jsonl.gz", gzip.compress(b'{"id": 7}\n')).text == "id: 7"


def test_read_gzip__bomb():
    bomb = gzip.compress(b"0" * (40 << 20))

    assert "decompression bomb" in read("a.txt.gz", bomb).reason


def test_read_gzip__cut_off():
    assert "cut off or damaged" in read("a.txt.gz", gzip.compress(b"text" * 50)[:-12]).reason
