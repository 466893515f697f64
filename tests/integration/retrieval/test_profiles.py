"""The shipped profiles: each orders the same passages as its description says."""

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowledge.services import update_source
from retrieval.pipeline import build_context
from retrieval.seed import PROFILES
from retrieval.services import get_profile
from tests.integration.retrieval.conftest import NOW

pytestmark = pytest.mark.django_db

TERM = "The lease of the castle of Anthrax may be ended with six months notice"
QUESTION = "lease of the castle of Anthrax notice"
SLUGS = [seed.slug for seed in PROFILES]


@pytest.fixture
def archive(library):
    """Give the old contract of a high authority and the new post of an unknown one."""
    old, new = NOW - timedelta(days=700), NOW - timedelta(days=1)
    deed = library.add(
        "deed.txt", f"{TERM}.", source="Vault", type_slug="contract", published_at=old
    )
    post = library.add("post.txt", f"{TERM}, says a herald.", source="Town crier", published_at=new)
    update_source(source=deed.source, trust=0.9)
    update_source(source=post.source, trust=0.5)
    return library


@pytest.mark.parametrize(
    ("slug", "first"),
    [("sales", "post.txt"), ("support", "deed.txt"), ("legal", "deed.txt")],
)
def test_search__new_or_of_authority(archive, slug, first):
    assert archive.found(QUESTION, profile=slug)[0] == first


def test_search__words_or_meaning(castle):
    """Support and legal weigh words more than meaning, the others less."""
    weights = {slug: get_profile(slug).keyword_weight for slug in SLUGS}
    assert weights == {"balanced": 0.45, "sales": 0.45, "support": 0.6, "legal": 0.6}


@pytest.mark.parametrize(
    ("slug", "most"), [("balanced", 3), ("sales", 2), ("support", 5), ("legal", 6)]
)
def test_search__so_many_passages_of_one_document(library, slug, most):
    rule = "Rule {0} of the round table says that knight {0} has to mind the coconut of rule {0}. "
    text = "\n\n".join(f"# Rule {number}\n\n" + rule.format(number) * 8 for number in range(9))
    library.add("rules.md", text)
    hits = library.search("rule of the round table", profile=slug, top_k=100).hits
    assert len(hits) > most
    assert [hit.receipt.cap for hit in hits[: most + 1]] == [""] * most + ["document"]


def test_build_context__legal_reads_more(library):
    library.add_all({f"deed-{number}.txt": f"Deed {number} of the castle." for number in range(20)})
    counts = {
        slug: len(
            build_context(library.search("deed of the castle", profile=slug, top_k=20)).citations
        )
        for slug in ("balanced", "legal")
    }
    assert counts == {"balanced": 8, "legal": 12}


def test_search__the_profile_is_named_in_the_reply(castle):
    output = StringIO()
    call_command("search", "grail", "--profile", "legal", "--json", stdout=output)
    assert json.loads(output.getvalue())["profile"] == "legal"


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    slug=st.sampled_from(SLUGS),
    question=st.sampled_from(["grail castle", "question of the bridge", "coconut", "rabbit grail"]),
    fewer=st.integers(1, 6),
    more=st.integers(1, 6),
)
def test_search__a_larger_top_k_only_adds_hits(castle, slug, question, fewer, more):
    short = castle.search(question, profile=slug, top_k=fewer).hits
    long = castle.search(question, profile=slug, top_k=fewer + more).hits
    assert long[:fewer] == short
