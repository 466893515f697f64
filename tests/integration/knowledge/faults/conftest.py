"""A queue worker as a process of its own, on the committed rows of the tests' database."""

import os
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL, Popen

import psutil
import pytest
from django.db import connection

from knowledge.models import IngestionRun
from knowledge.seed import seed_source_types
from knowledge.services import ensure_source

ROOT = Path(__file__).resolve().parents[4]
SETTINGS = "tests.integration.knowledge.faults.settings"


def wait_until(is_met, *, seconds, told):
    """Poll a condition; fail with what was waited for."""
    deadline = time.monotonic() + seconds
    while not is_met():
        if time.monotonic() > deadline:
            runs = list(IngestionRun.objects.values())
            pytest.fail(f"waited {seconds} s for {told}: {runs}")
        time.sleep(0.05)


@dataclass
class QueueWorker:
    """The processes of `qcluster`."""

    process: Popen
    pids: Path

    def working(self):
        """Return the processes that take tasks."""
        found = []
        for name in os.listdir(self.pids):
            try:
                process = psutil.Process(int(name))
                if process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
            except psutil.NoSuchProcess:
                (self.pids / name).unlink()
        return found

    def kill_one(self, chance):
        """Kill one of the processes that take tasks, as the kernel would for want of memory."""
        working = self.working()
        if working:
            os.kill(chance.choice(working).pid, signal.SIGKILL)
        return len(working) > 0

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=30)


@pytest.fixture
def queue_worker(transactional_db, tmp_path):
    """Return what starts a queue worker; it is stopped in the end."""
    started = []

    def start(**environment):
        pids = tmp_path / f"pids-{len(started)}"
        pids.mkdir()
        process = Popen(
            [sys.executable, "-m", "tests.integration.knowledge.faults.worker"],
            cwd=ROOT,
            env={
                **os.environ,
                "DJANGO_SETTINGS_MODULE": SETTINGS,
                "FAULTS_DATABASE": connection.settings_dict["NAME"],
                "FAULTS_PIDS": str(pids),
                "LOG_LEVEL": "CRITICAL",
                **environment,
            },
            stdout=DEVNULL,
            stderr=DEVNULL if "FAULTS_SHOW" not in os.environ else None,
        )
        worker = QueueWorker(process=process, pids=pids)
        started.append(worker)
        wait_until(lambda: len(worker.working()) > 1, seconds=60, told="the queue worker")
        return worker

    yield start
    for worker in started:
        if worker.process.poll() is None:
            tree = psutil.Process(worker.process.pid).children(recursive=True)
            worker.process.send_signal(signal.SIGTERM)
            try:
                worker.process.wait(timeout=20)
            finally:
                for process in [worker.process, *tree]:
                    with suppress(psutil.NoSuchProcess, ProcessLookupError):
                        process.kill()
                worker.process.wait()


@pytest.fixture
def shelf_source(transactional_db, settings):
    """Give a source whose writes are committed."""
    settings.CRMIND_KNOWLEDGE = {
        "EMBEDDING_PROVIDER": "hashing",
        "CHUNK_TARGET_TOKENS": 48,
        "LEASE_SECONDS": 1.0,
    }
    seed_source_types()
    return ensure_source(name="shelf")
