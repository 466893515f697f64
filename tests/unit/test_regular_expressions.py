"""Text of users and documents must not keep an expression busy."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_regular_expressions__come_to_an_end_with_hostile_texts():
    finished = subprocess.run(
        [sys.executable, "-m", "tests.unit.hostile_text"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    told = json.loads(finished.stdout)
    assert told["patterns"] > 100
    assert told["slow"] == []
