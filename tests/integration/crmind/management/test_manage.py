"""Commands in a database that nobody set up say in one line what to do."""

import sys
from subprocess import run

import pytest

from tests.integration.crmind.management.test_serve import ROOT, environment


@pytest.mark.parametrize(
    "command", [["search", "grail"], ["reindex", "--all"], ["purge_cache", "--yes"]]
)
def test_manage__a_database_without_tables(tmp_path, command):
    finished = run(
        [sys.executable, "manage.py", *command],
        cwd=ROOT,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 1
    assert "Traceback" not in finished.stderr
    assert finished.stderr.splitlines()[-1] == (
        "The database is not set up, or is that of another version of CRMind. "
        "Run manage.py migrate, then manage.py seed."
    )
