"""A new version that dies between any two statements of its swap; row T13.

`FAULT_SWAPS=400` in the environment makes it the long version.
"""

import os
import re
import sys
import time
from subprocess import PIPE, Popen

from django.db import connection

from knowledge.models import Chunk, ChunkEmbedding
from tests.integration.knowledge.faults import swaps
from tests.integration.knowledge.faults.conftest import ROOT, SETTINGS

ROUNDS = int(os.environ.get("FAULT_SWAPS", "60"))


def seen():
    """Return the versions that a reader finds, with the number of passages of each."""
    texts = Chunk.objects.filter(is_active=True, embeddings__isnull=False)
    found = re.findall(r"Version (\d+)", "\n".join(texts.values_list("text", flat=True)))
    return sorted(found)


def test_store_document__killed_between_any_two_statements(shelf_source):
    program = Popen(
        [sys.executable, "-m", "tests.integration.knowledge.faults.swaps", str(ROUNDS)],
        cwd=ROOT,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": SETTINGS,
            "FAULTS_DATABASE": connection.settings_dict["NAME"],
        },
        stdout=PIPE,
        text=True,
    )
    looks = []
    try:
        while program.poll() is None:
            looks.append(seen())
            time.sleep(0.005)
    finally:
        program.kill()
        told = [line.split() for line in program.communicate()[0].splitlines()]

    first_whole = next(number for number, look in enumerate(looks) if look)
    for look in looks[first_whole:]:
        assert len(look) == 2, look
        assert look[0] == look[1], look
    versions = [int(look[0]) for look in looks[first_whole:]]
    assert versions == sorted(versions)
    assert len(told) == ROUNDS
    assert {line[2] for line in told} == {"lived", "died"}
    assert max(int(line[1]) for line in told) > 15
    assert Chunk.objects.count() == ChunkEmbedding.objects.count() == 3
    assert swaps.VERSION.count("Version") == 2
