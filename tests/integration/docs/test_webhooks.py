"""The examples of the page on webhooks, run against a server."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from knowledge.models import IngestionRun
from knowledge.seed import seed_source_types
from knowledge.services.webhooks import renew_webhook
from tests.factories.knowledge import SourceFactory

PAGE = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "webhooks.md"
BLOCK = re.compile(r"```(python|sh)\n(.*?)```", re.DOTALL)
PROGRAMS = {"python": [sys.executable, "-"], "sh": ["sh", "-s"]}


@pytest.mark.parametrize("language", ["python", "sh"])
def test_example__starts_a_run(live_server, tmp_path, language):
    if language == "sh" and not (shutil.which("curl") and shutil.which("openssl")):
        pytest.skip("curl and openssl are not here")
    seed_source_types()
    source = SourceFactory(name="wiki", connector="folder", location=str(tmp_path))
    blocks = dict(BLOCK.findall(PAGE.read_text(encoding="utf-8")))
    environment = {
        "PATH": os.environ["PATH"],
        "WEBHOOK_URL": f"{live_server.url}/api/v1/webhooks/{source.pk}/",
        "WEBHOOK_SECRET": renew_webhook(source=source),
    }

    done = subprocess.run(
        PROGRAMS[language],
        input=blocks[language],
        env=environment,
        text=True,
        capture_output=True,
        timeout=30,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    run = IngestionRun.objects.get()
    assert json.loads(done.stdout) == {"run": run.pk, "repeated": False}
    assert (run.source, run.trigger, run.status) == (source, "webhook", "waiting")
