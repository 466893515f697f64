import pytest

from crmind.postgres.configuration import double_quoted, recovery_sync, settings_text


@pytest.mark.parametrize(
    ("system", "release", "method"),
    [
        ("linux", "6.18.44-generic", "syncfs"),
        ("linux", "5.8.0", "syncfs"),
        ("linux", "5.7.19", "fsync"),
        ("linux", "4.18.0-553.el8.x86_64", "fsync"),
        ("linux", "unknown", "fsync"),
        ("darwin", "24.1.0", "fsync"),
    ],
)
def test_recovery_sync__by_kernel(system, release, method):
    assert recovery_sync(system, release) == method


def test_settings_text__quotes_and_backslashes():
    settings = {"port": "5432", "unix_socket_directories": double_quoted('/it\'s/a "b"\\c')}
    assert settings_text(settings).splitlines()[1:] == [
        "port = '5432'",
        """unix_socket_directories = '"/it''s/a ""b""\\\\c"'""",
    ]
