"""Languages other than English, by words and with the vectors."""

import pytest

pytestmark = pytest.mark.django_db

FOREIGN = {
    "japanese.txt": "返品は三十日以内に受け付けます",
    "chinese.txt": "退货政策：三十天内可退",  # the colon of Chinese
    "korean.txt": "환불은 30일 이내에 가능합니다",
    "thai.txt": "คืนสินค้าได้ภายใน 30 วัน",
    "french.txt": "Église Saint-Roch : visites le mardi",
    "german.txt": "Die Kündigungsfrist beträgt drei Monate",
}
ENGLISH = (
    "The warehouse of hall {} opens at eight.",
    "Ring the bell of gate {} and wait for the porter.",
    "Forklift {} needs a new battery before winter.",
    "Meeting {} was moved to the small room upstairs.",
)
QUESTIONS = {
    "返品": "japanese.txt",
    "退货": "chinese.txt",
    "환불": "korean.txt",
    "คืนสินค้า": "thai.txt",
    "eglise": "french.txt",
    "Kündigungsfrist": "german.txt",
    "Kundigungsfrist": "german.txt",
}


@pytest.fixture
def polyglot(library):
    """Give six documents in other languages among 24 in English."""
    library.add_all(FOREIGN)
    library.add_all(
        {f"hall-{number}.txt": ENGLISH[number % 4].format(number) for number in range(24)}
    )
    return library


@pytest.mark.parametrize(("question", "external_id"), QUESTIONS.items())
def test_search__a_word_in_another_language(polyglot, question, external_id):
    hits = polyglot.search(question).hits
    places = {hit.evidence.external_id: hit for hit in hits[:3]}
    assert external_id in places
    assert places[external_id].receipt.keyword_rank == 1
