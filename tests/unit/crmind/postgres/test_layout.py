import os
from pathlib import Path

import pytest

from crmind.postgres.accounts import Account
from crmind.postgres.exceptions import PostgresStartError
from crmind.postgres.layout import find_sockets, make_private

ACCOUNT = Account(name="somebody", uid=os.geteuid(), gid=os.getegid(), switch=False)


@pytest.mark.parametrize(
    ("home", "is_beside"),
    [
        ("/srv/crmind/.crmind/postgres", True),
        # 100 bytes are the limit: 7 for /socket and 15 for /.s.PGSQL.5432 leave 79.
        ("/" + "d" * 78, True),
        ("/" + "d" * 79, False),
        # Each of these letters takes three bytes.
        ("/" + "日" * 27, False),
        ("/srv/sales, marketing", False),
    ],
)
def test_find_sockets__short_and_without_comma(home, is_beside):
    sockets = find_sockets(Path(home), Path(home), ACCOUNT)
    assert (sockets == Path(home, "socket")) is is_beside
    assert len(os.fsencode(sockets / ".s.PGSQL.5432")) <= 100


def test_find_sockets__differs_by_directory():
    long = "/" + "d" * 100
    one, other = (find_sockets(Path(long, name), Path(long, name), ACCOUNT) for name in "ab")
    assert one != other


def test_make_private__closed_to_others(tmp_path):
    directory = tmp_path / "new" / "socket"
    make_private(directory, ACCOUNT)
    assert directory.stat().st_mode & 0o777 == 0o700
    directory.chmod(0o777)
    make_private(directory, ACCOUNT)
    assert directory.stat().st_mode & 0o777 == 0o700


def test_make_private__link_to_elsewhere(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "socket").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PostgresStartError, match="socket belongs to another user"):
        make_private(tmp_path / "socket", ACCOUNT)
