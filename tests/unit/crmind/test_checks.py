import pytest

from crmind import checks
from crmind.checks import ExtensionVersions


@pytest.mark.parametrize(("major", "ids"), [(14, ["crmind.E003"]), (15, []), (18, [])])
def test_server_version_faults__by_major_version(major, ids):
    assert [fault.id for fault in checks.server_version_faults(major)] == ids


@pytest.mark.parametrize(
    ("available", "installed", "ids"),
    [
        ("0.8.4", None, []),
        ("0.10.0", "0.8.4", []),
        ("0.8.3", None, ["crmind.E005"]),
        ("0.8.3", "0.8.3", ["crmind.E005"]),
        ("0.8.6", "0.8.3", ["crmind.E006"]),
        ("1.0", "0.9", []),
    ],
)
def test_pgvector_faults__by_version(available, installed, ids):
    versions = ExtensionVersions(available=available, installed=installed)
    assert [fault.id for fault in checks.pgvector_faults(versions)] == ids


def test_pgvector_faults__not_offered():
    [fault] = checks.pgvector_faults(None)
    assert fault.id == "crmind.E004"
    assert fault.hint == "Install pgvector 0.8.4 or newer on the server."


def test_extension_faults__names_each_missing():
    assert [fault.msg for fault in checks.extension_faults(["unaccent"])] == [
        "The server does not offer the extension pg_trgm."
    ]
    assert list(checks.extension_faults(["unaccent", "pg_trgm"])) == []


@pytest.mark.parametrize(
    ("encoding", "character_type", "ids"),
    [
        ("UTF8", "C.UTF-8", []),
        ("UTF8", "de_DE.UTF-8", []),
        ("UTF8", "C", ["crmind.W002"]),
        ("LATIN1", "C", ["crmind.E008"]),
    ],
)
def test_encoding_faults__by_encoding_and_character_type(encoding, character_type, ids):
    assert [fault.id for fault in checks.encoding_faults(encoding, character_type)] == ids


@pytest.mark.parametrize(
    ("queue", "ids"),
    [
        ({"timeout": 60, "retry": 61}, []),
        ({"timeout": 60, "retry": 60}, ["crmind.E009"]),
        ({"timeout": 90}, ["crmind.E009"]),
        ({"timeout": None, "retry": 3_600}, ["crmind.E009"]),
        ({}, ["crmind.E009"]),
    ],
)
def test_check_queue__retry_above_timeout(settings, queue, ids):
    settings.Q_CLUSTER = queue
    assert [fault.id for fault in checks.check_queue()] == ids


def test_check_queue__shipped_settings():
    assert checks.check_queue() == []


def test_check_engine__shipped_settings():
    assert checks.check_engine() == []
