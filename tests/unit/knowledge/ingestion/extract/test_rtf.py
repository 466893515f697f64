from tests.unit.knowledge.ingestion.extract.documents import read


def escaped(text, encoding):
    return "".join(f"\\'{byte:02x}" for byte in text.encode(encoding))


def test_read_rtf__code_page_of_the_document():
    text = "zażółć gęślą jaźń"

    extraction = read("a.rtf", f"{{\\rtf1\\ansi\\ansicpg1250 {escaped(text, 'cp1250')}}}")

    assert (extraction.text.strip(), extraction.encoding) == (text, "cp1250")


def test_read_rtf__code_page_of_a_font():
    fonts = "{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset128 Mincho;}{\\f2\\fcharset204 Cyr;}}"
    body = f"\\f1 {escaped('処刑記録', 'cp932')} \\f2 {escaped('Договор', 'cp1251')}\\f0  end"

    extraction = read("a.rtf", f"{{\\rtf1\\ansi\\ansicpg1252{fonts}{body}}}")

    assert extraction.text.split() == ["処刑記録", "Договор", "end"]


def test_read_rtf__unescaped_second_byte():
    """In Shift-JIS the second byte may be a letter: 83 41 is `ア`, 83 43 is `イ`."""
    fonts = "{\\fonttbl{\\f1\\fcharset128 Mincho;}}"

    extraction = read("a.rtf", f"{{\\rtf1\\ansi{fonts}\\f1 \\'83A\\'83C}}")

    assert extraction.text.strip() == "アイ"


def test_read_rtf__fallback_after_a_unicode_escape_is_not_doubled():
    extraction = read("a.rtf", "{\\rtf1\\ansi\\ansicpg1252\\uc1 caf\\u233\\'e9 bar}")

    assert extraction.text.strip() == "café bar"


def test_read_rtf__name_without_content():
    assert "named .rtf but holds something else" in read("a.rtf", "just text").reason


def test_read_rtf__what_it_says_of_itself_and_tables():
    said = (
        "{\\info{\\title Angebot M\\'e4rz}{\\author Ana Brandt}"
        "{\\creatim\\yr2029\\mo3\\dy4\\hr10\\min0}}"
    )
    row = "\\trowd\\cellx900\\cellx1800\\intbl a\\cell b\\cell\\row"

    extraction = read("a.rtf", f"{{\\rtf1\\ansi\\ansicpg1252{said}\\pard Prices\\par{row}}}")

    assert extraction.text.strip() == "Prices\n\n| a | b |\n| --- | --- |"
    assert extraction.metadata == {
        "title": "Angebot März",
        "author": "Ana Brandt",
        "published_at": "2029-03-04T10:00:00Z",
    }
