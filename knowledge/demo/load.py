"""Loads the demo knowledge base through the same services as any other knowledge."""

from collections.abc import Callable
from dataclasses import dataclass

from django.db import transaction

from knowledge.demo.catalogue import DemoCatalogue, DemoEntity, DemoSource
from knowledge.models import Connector, Entity, RunTrigger, Source
from knowledge.services import create_source, ensure_entity
from knowledge.services.ingest import Progress, RunSummary, Tools, ingest_paths, plan_ingestion
from knowledge.services.runs import create_run
from knowledge.services.types import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoLoad:
    """What became of the documents of each source of the demo."""

    summaries: tuple[RunSummary, ...]

    def count(self, outcome: Outcome) -> int:
        """Return how many documents ended so."""
        return sum(summary.count(outcome) for summary in self.summaries)


def load_demo(
    *, catalogue: DemoCatalogue, tools: Tools, on_progress: Callable[[Progress], None]
) -> DemoLoad:
    """Load what is missing or changed; existing sources and entities stay as curators set them."""
    ensure_entities(catalogue.entities)
    summaries = []
    for demo_source in catalogue.sources:
        source = _ensure_source(demo_source)
        plan = plan_ingestion(paths=[demo_source.path], mapping=demo_source.mapping)
        run = create_run(source=source, trigger=RunTrigger.COMMAND)
        summaries.append(
            ingest_paths(source=source, plan=plan, run=run, tools=tools, on_progress=on_progress)
        )
    return DemoLoad(summaries=tuple(summaries))


@transaction.atomic
def ensure_entities(entities: tuple[DemoEntity, ...]) -> None:
    """Add the entities that are missing, then say which belongs to which."""
    by_external_id: dict[str, Entity] = {}
    for entity in entities:
        found = Entity.objects.filter(kind=entity.kind, external_id=entity.external_id).first()
        by_external_id[entity.external_id] = (
            found
            or ensure_entity(
                name=entity.name,
                kind=entity.kind,
                external_id=entity.external_id,
                aliases=list(entity.aliases),
            )[0]
        )
    for entity in entities:
        child = by_external_id[entity.external_id]
        if entity.parent and child.parent_id is None:
            child.parent = by_external_id[entity.parent]
            child.save(update_fields=["parent", "updated_at"])


def _ensure_source(demo_source: DemoSource) -> Source:
    existing: Source | None = (
        Source.objects.select_related("source_type").filter(name__iexact=demo_source.name).first()
    )
    return existing or create_source(
        name=demo_source.name,
        type_slug=demo_source.type,
        connector=Connector.EXPORT if demo_source.mapping else Connector.FOLDER,
        location=str(demo_source.path),
        mapping=dict(demo_source.mapping),
        trust=demo_source.trust,
        authority_override=demo_source.authority,
        access_tags=list(demo_source.access_tags),
        language=demo_source.language,
    )
