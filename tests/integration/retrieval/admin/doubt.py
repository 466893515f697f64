"""A golden set that wants the trusted document first, and numbers that trust nobody."""

from django.utils import timezone

from knowledge.embedding.registry import get_embedder
from knowledge.models import Document
from retrieval.models import RankingProfile
from retrieval.pipeline import answer
from retrieval.query.parse import SearchRequest, build_query
from retrieval.services import AskedQuestion, as_profile, grade_document

WITHOUT_TRUST = {
    "bound": 0.0,
    "relevance_weight": 1.0,
    "freshness_weight": 0.0,
    "trust_weight": 0.0,
    "authority_weight": 0.0,
}


def judge_all(count, *, right):
    """Make `count` golden questions, each answered by the document that `right` names."""
    for number in range(count):
        asked = AskedQuestion(text=f"Where is holy grail {number} kept?")
        document = Document.objects.get(external_id=right)
        grade_document(asked=asked, document=document, grade=3, user=None)


def order_by(slug):
    """Return the documents that a profile finds, best first."""
    request = SearchRequest(question="Where is holy grail 1 kept?")
    query = build_query(request, reader_tags=frozenset({"everyone"}), now=timezone.now())
    row = RankingProfile.objects.get(slug=slug)
    result = answer(query, profile=as_profile(row), embedder=get_embedder())
    return [hit.evidence.external_id for hit in result.hits]
