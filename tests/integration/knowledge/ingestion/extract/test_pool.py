"""The reader process: one that fails must cost one file and nothing else."""

import json
import os
import threading
import time

import pytest

from knowledge.demo.catalogue import DEMO_ROOT
from knowledge.ingestion.extract import ExtractionLimits, extract_file
from knowledge.ingestion.extract.ocr import RECOGNISED, find_language_data
from knowledge.ingestion.extract.pool import Worker, WorkerCrashedError, WorkerPool
from tests.unit.knowledge.ingestion.extract.test_ocr import picture


@pytest.fixture
def pool():
    pool = WorkerPool()
    yield pool
    pool.stop()


@pytest.fixture
def good(tmp_path):
    path = tmp_path / "good.txt"
    path.write_text("Harbour rota: Zoë")
    return path


@pytest.fixture
def slow(tmp_path):
    """Parses for a second or more."""
    path = tmp_path / "slow.json"
    path.write_text(json.dumps([{"name": f"row {number}"} for number in range(500_000)]))
    return path


def test_extract_file__ok(good):
    extraction = extract_file(good)

    assert (extraction.status, extraction.text, extraction.encoding) == (
        "ok",
        "Harbour rota: Zoë",
        "utf-8",
    )


def test_extract_file__relative_path(good, monkeypatch):
    monkeypatch.chdir(good.parent)

    assert extract_file(good.relative_to(good.parent)).status == "ok"


def test_extract_file__name_that_is_no_unicode(tmp_path):
    path = tmp_path / os.fsdecode(b"caf\xe9.txt")
    path.write_text("Blue lantern")

    assert extract_file(path).text == "Blue lantern"


def test_extract__pdf_on_a_machine_that_has_read_none_before(pool, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    pdf = DEMO_ROOT / "sources/contracts/2024-12-brennecke-framework-cf-2024-117.pdf"

    extraction = pool.extract(pdf, ExtractionLimits())

    assert (extraction.status, extraction.text[:18]) == ("ok", "Framework contract")
    assert list(tmp_path.iterdir()) == []


def test_extract__one_process_serves_many_files(pool, good):
    for _ in range(3):
        pool.extract(good, ExtractionLimits())

    assert len(pool.idle_process_ids) == 1


def test_extract__deadline(pool, slow, good):
    pool.extract(good, ExtractionLimits())

    extraction = pool.extract(slow, ExtractionLimits(max_seconds=0.2))

    assert extraction.reason == "Reading took longer than 0.2 seconds: split the file"
    assert pool.extract(good, ExtractionLimits()).status == "ok"


def test_extract__memory_limit(pool, slow, good):
    extraction = pool.extract(slow, ExtractionLimits(max_memory_bytes=64 << 20))

    assert extraction.status == "refused"
    assert pool.extract(good, ExtractionLimits()).status == "ok"


def test_extract__engine_crash(pool, tmp_path, good):
    """Deep nesting overflows the stack of the engine, which ends the whole process."""
    path = tmp_path / "deep.html"
    path.write_text("<b>" * 300_000 + "text" + "</b>" * 300_000)

    extraction = pool.extract(path, ExtractionLimits())

    assert extraction.status in {"refused", "no_text"}
    assert pool.extract(good, ExtractionLimits()).status == "ok"


def test_extract__reader_that_died_while_idle_is_replaced(pool, good):
    pool.extract(good, ExtractionLimits())
    first = pool.idle_process_ids
    os.kill(first[0], 9)
    time.sleep(0.1)

    assert pool.extract(good, ExtractionLimits()).status == "ok"
    assert pool.idle_process_ids != first


def test_extract__several_threads(pool, good):
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(pool.extract(good, ExtractionLimits())))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [result.status for result in results] == ["ok"] * 6
    assert len(pool.idle_process_ids) <= 2


def test_read__killed_while_reading(slow):
    worker = Worker()
    killer = threading.Timer(0.5, lambda: os.kill(worker.process_id, 9))
    killer.start()

    with pytest.raises(WorkerCrashedError):
        worker.read(slow, ExtractionLimits())

    killer.join()
    worker.stop()


def test_forget__forked_child_gets_its_own_reader(good):
    extract_file(good)
    child = os.fork()
    if child == 0:
        os._exit(0 if extract_file(good).status == "ok" else 1)

    _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == 0
    assert extract_file(good).status == "ok"


@pytest.mark.skipif(find_language_data("eng") is None, reason="needs Tesseract's English data")
def test_extract__scan_is_recognised_within_the_bounds_of_a_reader(pool, tmp_path):
    path = tmp_path / "scan.png"
    path.write_bytes(picture("HEEL"))
    limits = ExtractionLimits(ocr_languages="eng", max_seconds=120)

    extraction = pool.extract(path, limits)

    assert (extraction.status, extraction.text.strip()) == ("ok", "HEEL")
    assert extraction.warnings == (RECOGNISED,)
