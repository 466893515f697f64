"""The reference pages name everything that exists."""

import dataclasses
import importlib
from pathlib import Path

import pytest

from cachemgr.conf import CacheSettings
from crmind.exceptions import CRMindError
from knowledge.conf import KnowledgeSettings
from retrieval.conf import RetrievalSettings

ROOT = Path(__file__).resolve().parents[3]
APPS = ("crmind", "knowledge", "retrieval", "cachemgr")


def read(page):
    return (ROOT / "docs" / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("config", [KnowledgeSettings, RetrievalSettings, CacheSettings])
def test_settings_page__names_every_key(config):
    page = read("reference/settings.md")
    missing = [
        field.name for field in dataclasses.fields(config) if f"`{field.name.upper()}`" not in page
    ]
    assert missing == []


def test_settings_page__names_every_variable():
    source = (ROOT / "crmind" / "settings.py").read_text(encoding="utf-8")
    names = {part.split('"')[1] for part in source.split("env.")[1:] if part.count('"') > 1}
    page = read("reference/settings.md")
    assert len(names) > 15
    assert [name for name in sorted(names) if name.isupper() and f"`{name}`" not in page] == []


def error_codes(kind):
    yield kind.code
    for child in kind.__subclasses__():
        yield from error_codes(child)


def test_errors_page__names_every_code():
    for app in APPS:
        for module in (ROOT / app).rglob("exceptions.py"):
            importlib.import_module(".".join(module.relative_to(ROOT).with_suffix("").parts))
    page = read("reference/errors.md")
    shipped = [code for code in error_codes(CRMindError) if f"`{code}`" not in page]
    assert [code for code in sorted(set(shipped)) if code not in {"too_salty"}] == []


def test_commands_page__names_every_command():
    page = read("reference/commands.md")
    commands = {
        path.stem
        for app in APPS
        for path in (ROOT / app / "management" / "commands").glob("[a-z]*.py")
    }
    assert len(commands) > 5
    assert [name for name in sorted(commands) if f"## {name}\n" not in page] == []
