"""The reference pages name everything that exists."""

import dataclasses
import importlib
import re
from pathlib import Path

import pytest
from drf_spectacular.generators import SchemaGenerator

from cachemgr.conf import CacheSettings
from crmind.exceptions import CRMindError
from knowledge.conf import KnowledgeSettings
from retrieval.conf import RetrievalSettings

ROOT = Path(__file__).resolve().parents[3]
APPS = ("crmind", "knowledge", "retrieval", "cachemgr")
PAGES = sorted((ROOT / "docs").rglob("*.md"))
CHECK_ID = re.compile(r'id="((?:crmind|knowledge|retrieval|cachemgr)\.[EW]\d{3})"')
LINK = re.compile(r"\]\(([^)\s]+)\)")
NOT_IN_ANCHOR = re.compile(r"[^\w\- ]")


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
    names = set(re.findall(r"\benv\.\w+\(\s*\"([A-Z_]+)\"", source))
    page = read("reference/settings.md")
    assert len(names) > 15
    assert [name for name in sorted(names) if f"`{name}`" not in page] == []


def error_codes(kind):
    """Yield the codes that reach callers; other modules keep errors of their own, to catch."""
    if kind.__module__.endswith(".exceptions"):
        yield kind.code
    for child in kind.__subclasses__():
        yield from error_codes(child)


def test_errors_page__names_every_code():
    for app in APPS:
        for module in (ROOT / app).rglob("exceptions.py"):
            importlib.import_module(".".join(module.relative_to(ROOT).with_suffix("").parts))
    page = read("reference/errors.md")
    codes = set(error_codes(CRMindError))
    assert len(codes) > 20
    assert [code for code in sorted(codes) if f"`{code}`" not in page] == []


def test_commands_page__names_every_command():
    page = read("reference/commands.md")
    commands = {
        path.stem
        for app in APPS
        for path in (ROOT / app / "management" / "commands").glob("[a-z]*.py")
    }
    assert len(commands) > 5
    assert [name for name in sorted(commands) if f"## {name}\n" not in page] == []


def test_checks_page__names_every_id():
    ids = {
        found
        for app in APPS
        for module in (ROOT / app).rglob("checks.py")
        for found in CHECK_ID.findall(module.read_text(encoding="utf-8"))
    }
    named = set(re.findall(r"^\| `([a-z]+\.[EW]\d{3})`", read("reference/checks.md"), re.MULTILINE))
    assert len(ids) > 10
    assert named == ids


def test_api_page__names_every_path():
    page = read("reference/api.md")
    paths = SchemaGenerator().get_schema(request=None, public=True)["paths"]
    assert len(paths) > 10
    assert [path for path in paths if f"`{path}`" not in page] == []


def test_api_page__has_a_section_with_an_example_for_every_endpoint():
    page = read("reference/api.md")
    paths = SchemaGenerator().get_schema(request=None, public=True)["paths"]
    names = {path.removeprefix("/api/v1/").split("/")[0] for path in paths}
    sections = {part.split("\n")[0].lower(): part for part in re.split(r"(?m)^## ", page)}
    assert [name for name in sorted(names) if "```json" not in sections.get(name, "")] == []


def test_guarantees_page__names_tests_that_exist():
    named = re.findall(
        r"`((?:unit|integration|browser)/[\w/]+\.py)`", read("reference/guarantees.md")
    )
    assert len(named) > 30
    assert [path for path in named if not (ROOT / "tests" / path).exists()] == []


def anchors(page):
    """Return what the headings of a page can be linked by."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {NOT_IN_ANCHOR.sub("", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links__resolve(page):
    broken = []
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        if not linked.exists() or (anchor and anchor not in anchors(linked)):
            broken.append(target)
    assert broken == []


def test_index__links_every_page():
    linked = {
        (ROOT / "docs" / target).resolve()
        for target in LINK.findall(read("index.md"))
        if target.endswith(".md")
    }
    assert [page.name for page in PAGES if page.name != "index.md" and page not in linked] == []
