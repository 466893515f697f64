from concurrent.futures import ThreadPoolExecutor

from crmind.secret_key import read_secret_key


def test_read_secret_key__is_made_once_and_readable_by_its_owner_only(tmp_path):
    key = read_secret_key(tmp_path / "state")
    assert len(key) >= 64
    assert read_secret_key(tmp_path / "state") == key
    assert (tmp_path / "state" / "secret_key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in (tmp_path / "state").iterdir()] == ["secret_key"]


def test_read_secret_key__two_installations_differ(tmp_path):
    assert read_secret_key(tmp_path / "a") != read_secret_key(tmp_path / "b")


def test_read_secret_key__starters_at_once_agree(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(read_secret_key, [tmp_path] * 32))
    assert len(keys) == 1
