import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from crmind.postgres import server
from tests.integration.crmind.postgres.clients import stops


@pytest.fixture(scope="session")
def prepared() -> Path:
    """The files of a stopped server, made once: `initdb` takes longer than most tests."""
    root = Path(tempfile.mkdtemp(prefix="crmind-test-"))
    # Below a closed directory root's server would have to live elsewhere.
    root.chmod(0o755)
    server.ensure_running(root / "server", database="crmind")
    server.stop_if_unused(root / "server")
    yield root / "server"
    shutil.rmtree(root)


@pytest.fixture
def place() -> Path:
    """A directory that every account can enter."""
    root = Path(tempfile.mkdtemp(prefix="crmind-test-"))
    root.chmod(0o755)
    yield root
    shutil.rmtree(root)


@pytest.fixture
def directory(prepared: Path, place: Path, request: pytest.FixtureRequest) -> Path:
    """The directory of a stopped server; at the end of the test it must stop again.

    Tests share one while all is well, which saves copying.
    """
    target = copy_of(prepared, place / "server") if request.session.testsfailed else prepared
    yield target
    server.stop_if_unused(target)
    assert stops(target)


@pytest.fixture
def copy_prepared(prepared: Path):
    return lambda target: copy_of(prepared, target)


def copy_of(prepared: Path, target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-a", str(prepared), str(target)], check=True)
    return target
