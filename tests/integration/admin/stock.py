"""A stock as large as the admin has to bear, made by a few statements."""

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db import connection

from cachemgr.models import CachedResponse
from knowledge.models import (
    ApiKey,
    Document,
    EmbeddingSpace,
    Entity,
    IngestionLogEntry,
    IngestionRun,
    Source,
)
from retrieval.models import (
    EvaluationRun,
    GapQuestion,
    GoldenQuestion,
    Intent,
    Judgement,
    KnowledgeGap,
    RankingProfile,
    RankingProfileVersion,
    SearchLog,
    Synonym,
)
from tests.integration.admin.addresses import fill

DOCUMENTS = 5_000
CHUNKS = 100_000
SEARCHES = 20_000

MAKE_CHUNKS = """
insert into knowledge_chunk (document_id, position, text, prefix, heading_path, start, "end",
    token_count, content_hash, extra_terms, search_vector, is_switched_off, is_active, source_id,
    source_type_id, language, access_tags, entity_ids)
select document.id, n, repeat('The grail is in the castle of Aargh. ', 4), '', '{}', 0, 120, 30,
    '', '', '', false, true, document.source_id, source.source_type_id, 'english', '{everyone}',
    '{}'
from knowledge_document as document
join knowledge_source as source on source.id = document.source_id
cross join generate_series(1, %(each)s) as n
where document.external_id like 'large-%%'
"""
MAKE_EMBEDDINGS = """
insert into knowledge_chunkembedding (chunk_id, space_id, vector)
select chunk.id, %(space)s, '[1,0,0]' from knowledge_chunk as chunk
left join knowledge_chunkembedding as embedding on embedding.chunk_id = chunk.id
where embedding.chunk_id is null
"""
OF_DOCUMENT = "(select id from knowledge_document where external_id = 'large-' || n)"
OF_SEARCH = "(select id from retrieval_searchlog where question = 'Where is grail ' || n)"


def fill_large():
    """Fill the tables: 100,000 passages, thousands of everything that grows with use."""
    fill(2)
    space = _space()
    _copy(
        Document,
        DOCUMENTS,
        external_id="'large-' || n",
        title="'Document ' || n",
        parent_id="null",
        supersedes_id="null",
        published_at="now() - n * interval '1 hour'",
        updated_at="now() - n * interval '1 second'",
        status="case when n % 50 = 0 then 'failed' else 'ready' end",
        status_reason="case when n % 50 = 0 then 'The PDF is locked.' else '' end",
        chunk_count=str(CHUNKS // DOCUMENTS),
    )
    with connection.cursor() as cursor:
        cursor.execute(MAKE_CHUNKS, {"each": CHUNKS // DOCUMENTS})
        cursor.execute(MAKE_EMBEDDINGS, {"space": space.pk})
    _copy_what_people_make()
    _copy_what_use_makes(space)
    with connection.cursor() as cursor:
        cursor.execute("analyze")


def _space():
    """Make a space without an index: to link so many vectors would take minutes."""
    space = EmbeddingSpace(provider="hashing", model="large", dimensions=3, status="retired")
    return EmbeddingSpace.objects.bulk_create([space])[0]


def _copy_what_people_make():
    named = "'Copy ' || n"
    slug = "'copy-' || n"
    _copy(Source, 500, name=named)
    _copy(Entity, 5_000, name=named, external_id=slug)
    _copy(GoldenQuestion, 2_000, text=named)
    _copy(Judgement, 2_000, document_id=OF_DOCUMENT)
    _copy(Synonym, 1_000)
    _copy(Intent, 200, slug=slug)
    _copy(RankingProfile, 100, slug=slug, is_default="false")
    _copy(RankingProfileVersion, 200, version="1000 + n")
    _copy(ApiKey, 200, id=slug, prefix="'p' || n")
    _copy(User, 200, username=slug)


def _copy_what_use_makes(space):
    questions = {f"q{n}": {"text": f"Where is grail {n}?", "ndcg@10": n / 500} for n in range(500)}
    EvaluationRun.objects.update(per_question=questions)
    changed = Source.history.model.objects.filter(history_type="~").order_by("history_id")
    LogEntry.objects.create(
        user=User.objects.first(),
        content_type=ContentType.objects.get_for_model(User),
        object_id="1",
        object_repr="a person",
        action_flag=2,
    )
    _copy(
        SearchLog,
        SEARCHES,
        question="'Where is grail ' || n",
        verdict="(array['answerable', 'weak', 'none'])[1 + n % 3]",
        created_at="now() - n * interval '2 minutes'",
    )
    _copy(KnowledgeGap, 2_000, question="'Copy ' || n")
    _copy(GapQuestion, 5_000, search_id=OF_SEARCH)
    _copy(
        CachedResponse,
        5_000,
        space_id=str(space.pk),
        question="'Where is grail ' || n",
        question_key="lpad(n::text, 64, 'x')",
    )
    _copy(IngestionRun, 5_000, created_at="now() - n * interval '1 hour'")
    _copy(IngestionLogEntry, 20_000)
    _copy(EvaluationRun, 300)
    _copy(
        Source.history.model,
        50_000,
        row=changed.first(),
        history_date="now() - n * interval '1 minute'",
    )
    _copy(LogEntry, 10_000, action_time="now() - n * interval '1 minute'")


def _copy(model, count, *, row=None, **columns):
    """Make `count` copies of a row, by default the first one; `columns` are expressions of n."""
    options = model._meta
    row = row or model._base_manager.order_by("pk").first()
    key, table = options.pk.column, options.db_table
    # With n in it, so that each copy gets a number of its own.
    new = f"0 * n + nextval(pg_get_serial_sequence('{table}', '{key}'))"
    if "UUID" in options.pk.get_internal_type():
        new = "gen_random_uuid()"
    values = {key: new, **columns} if key not in columns else columns
    pairs = ", ".join(f"'{name}', {value}" for name, value in values.items())
    with connection.cursor() as cursor:
        cursor.execute(
            f"insert into {table} select made.* from {table} as original"
            f" cross join generate_series(1, {count}) as n"
            f" cross join lateral jsonb_populate_record(original, jsonb_build_object({pairs}))"
            f" as made where original.{key} = %s".replace("%", "%%").replace("%%s", "%s"),
            [row.pk],
        )
