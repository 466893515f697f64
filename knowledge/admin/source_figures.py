"""What the stock of sources amounts to, told from one index over their documents."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Avg, Count, DurationField, ExpressionWrapper, F, Max, Q, Sum, Value
from django.db.models.functions import Coalesce, Greatest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from knowledge.admin.readers import only_readable
from knowledge.models import Document, DocumentStatus

TROUBLED = Q(status__in=[DocumentStatus.NEEDS_ATTENTION, DocumentStatus.FAILED])
READY = Q(status=DocumentStatus.READY)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFigures:
    """Documents, passages and age of a source; ages count from publication, else from fetching."""

    documents: int = 0
    troubled: int = 0
    passages: int = 0
    newest: datetime | None = None
    average_age: timedelta | None = None


def figures_of(source_ids: Iterable[int], user: Any, *, now: datetime) -> dict[int, SourceFigures]:
    """Return the figures of sources, of the documents that `user` may read; none without any."""
    dated = Coalesce("published_at", "fetched_at")
    age = ExpressionWrapper(Value(now) - F("dated"), output_field=DurationField())
    documents = Document.objects.filter(source__in=list(source_ids))
    rows: Any = (
        only_readable(documents, user)
        .order_by()
        .annotate(dated=dated)
        .values_list("source")
        .annotate(
            documents=Count("*"),
            troubled=Count("source", filter=TROUBLED),
            passages=Coalesce(Sum("chunk_count"), 0),
            newest=Max("dated", filter=READY),
            average_age=Avg(Greatest(age, timedelta(0)), filter=READY),
        )
    )
    return {
        source_id: SourceFigures(
            documents=count,
            troubled=troubled,
            passages=passages,
            newest=newest,
            average_age=average_age,
        )
        for source_id, count, troubled, passages, newest, average_age in rows
    }


def with_figures(sources: Any, user: Any) -> Any:
    """Return sources with their figures as `user` may know them."""
    found = figures_of([source.pk for source in sources], user, now=timezone.now())
    for source in sources:
        source.figures = found.get(source.pk, SourceFigures())
    return sources


def link_to_documents(source: Any, count: int, condition: str = "", *, css: str) -> SafeString:
    """Return a number of documents as a link to them."""
    base = reverse("admin:knowledge_document_changelist")
    url = f"{base}?source__id__exact={source.pk}{condition}"
    return format_html('<a href="{}" class="{}">{}</a>', url, css, f"{count:,}")
