"""Measuring ingestion beside the bare model."""

import json

import pytest
from django.core.management import CommandError, call_command

from knowledge.models import Document


@pytest.mark.django_db(transaction=True)
def test_benchmark_ingest__measures_in_a_database_of_its_own(capsys):
    call_command("benchmark_ingest", chunks=30, json=True)

    report = json.loads(capsys.readouterr().out)
    assert report["chunks"] >= 30
    assert report["documents"] > 3
    assert report["ratio"] == pytest.approx(
        report["bare_seconds"] / report["ingest_seconds"], abs=0.1
    )
    assert not Document.objects.exists()


def test_benchmark_ingest__refuses_nothing_to_measure(db):
    with pytest.raises(CommandError, match="--chunks is 0"):
        call_command("benchmark_ingest", chunks=0)
