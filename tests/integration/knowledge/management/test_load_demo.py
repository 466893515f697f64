"""`manage.py load_demo`."""

import io

from django.core.management import call_command

from knowledge.demo.catalogue import find_documents, load_catalogue
from knowledge.models import Chunk, Document, Entity, Source
from knowledge.services import update_source


def load():
    output = io.StringIO()
    call_command("load_demo", stdout=output)
    return output.getvalue()


def test_load_demo__twice_changes_nothing(seeded):
    catalogue = load_catalogue()
    expected = {name for source in catalogue.sources for name in find_documents(source)}

    first = load()
    ids = set(Chunk.objects.values_list("pk", flat=True))
    update_source(source=Source.objects.get(name="trade-press"), trust=0.5)
    second = load()

    documents = Document.objects.select_related("source")
    assert {f"{each.source.name}/{each.external_id}" for each in documents} == expected
    assert {each.status for each in documents} == {"ready"}
    assert [warning for each in documents for warning in each.warnings] == []
    assert f"{len(expected)} added, 0 updated, 0 unchanged" in first
    assert f"0 added, 0 updated, {len(expected)} unchanged" in second
    assert set(Chunk.objects.values_list("pk", flat=True)) == ids
    assert Source.objects.get(name="trade-press").trust == 0.5
    assert Entity.objects.count() == len(catalogue.entities)
    child = Entity.objects.get(external_id="per-marta-hollis")
    assert child.parent.external_id == "acc-hollis"
