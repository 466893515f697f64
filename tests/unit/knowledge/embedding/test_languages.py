import pytest

from knowledge.embedding.languages import is_foreign

PACKAGED = "all-MiniLM-L6-v2"


@pytest.mark.parametrize(
    ("text", "language", "foreign"),
    [
        ("Refunds within 30 days", "english", False),
        ("Refunds within 30 days, see 返品", "english", False),
        ("", "english", False),
        ("返品は三十日以内に受け付けます", "english", True),
        ("คืนสินค้าได้ภายใน 30 วัน", "simple", True),
        ("Die Kündigungsfrist beträgt drei Monate", "german", True),
    ],
)
def test_is_foreign__by_configuration_or_script(text, language, foreign):
    assert is_foreign(text, language=language, model=PACKAGED) is foreign
    assert not is_foreign(text, language=language, model="some-multilingual-model")
