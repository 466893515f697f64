"""Keeps a generated secret key for installations that set none."""

import os
import secrets
from pathlib import Path


def read_secret_key(directory: Path) -> str:
    """Return the key kept in `directory`, making it (readable by its owner only) when missing."""
    path = directory / "secret_key"
    try:
        return path.read_text(encoding="ascii")
    except FileNotFoundError:
        directory.mkdir(parents=True, exist_ok=True)
    own = directory / f".secret_key.{secrets.token_hex(8)}"
    with os.fdopen(os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(secrets.token_urlsafe(64))
    try:
        # A link never replaces: when two processes start at once, both read the first one's key.
        os.link(own, path)
    except FileExistsError:
        pass
    finally:
        own.unlink()
    return path.read_text(encoding="ascii")
