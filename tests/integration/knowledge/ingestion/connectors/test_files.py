"""Which files a folder holds."""

import os
import zipfile
from pathlib import Path

import pytest

from crmind.exceptions import InvalidInputError
from knowledge.ingestion.connectors import find_files, read_file


def names(*paths):
    return [file.external_id for file in find_files(paths)]


def write(path, text="text"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_find_files__sorted_and_below_without_hidden_ones(tmp_path):
    for name in ("b.md", "a/z.md", "a/b.md", ".hidden.md", ".git/config", "c/.x/y.md"):
        write(tmp_path / name)

    assert names(tmp_path) == ["b.md", "a/b.md", "a/z.md"]
    assert names(tmp_path / "b.md") == ["b.md"]
    assert names(tmp_path / ".hidden.md") == [".hidden.md"]


def test_find_files__links_are_followed_only_within(tmp_path):
    root = tmp_path / "root"
    write(root / "a.md")
    secret = write(tmp_path / "secret.md")
    (root / "inside.md").symlink_to(root / "a.md")
    (root / "outside.md").symlink_to(secret)
    (root / "folder").symlink_to(tmp_path)
    (root / "broken.md").symlink_to(root / "nothing.md")
    (root / "loop.md").symlink_to(root / "loop.md")

    assert names(root) == ["a.md", "inside.md"]


def test_read_item__a_file_that_became_a_link_out_is_not_read(tmp_path):
    """Row T35."""
    root = tmp_path / "root"
    path = write(root / "a.md")
    (file,) = find_files([root])
    path.unlink()
    path.symlink_to(write(tmp_path / "secret.md", "secret"))

    reading = read_file(file, mapping={})

    assert "leads out of its folder" in reading.documents[0].reason
    assert reading.gap


@pytest.mark.parametrize("name", ["../../evil.md", "/evil.md", "a/../../../evil.md", "C:\\evil.md"])
def test_read_file__names_in_archives_write_nothing(tmp_path, name):
    """Row T35: what an archive holds is read in memory."""
    inside = tmp_path / "outer" / "root"
    inside.mkdir(parents=True)
    with zipfile.ZipFile(inside / "a.zip", "w") as archive:
        archive.writestr(name, "evil text")
        link = zipfile.ZipInfo("link.md")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    before = sorted(tmp_path.rglob("*"))

    (file,) = find_files([inside])
    (document,) = read_file(file, mapping={}).documents

    assert sorted(tmp_path.rglob("*")) == before
    assert not Path("/evil.md").exists()
    assert "root:" not in document.text


def test_find_files__pipes_are_no_files(tmp_path):
    write(tmp_path / "a.md")
    os.mkfifo(tmp_path / "pipe")

    assert names(tmp_path) == ["a.md"]
    with pytest.raises(InvalidInputError, match="pipe is neither a file nor a folder"):
        names(tmp_path / "pipe")


def test_find_files__names_in_another_encoding(tmp_path):
    os.close(os.open(os.fsencode(tmp_path) + b"/caf\xe9.md", os.O_CREAT | os.O_WRONLY))

    assert names(tmp_path) == [r"caf\xe9.md"]
    with pytest.raises(InvalidInputError, match=r"caf\\xe9\.md holds characters that cannot be"):
        names(tmp_path / os.fsdecode(b"caf\xe9.md"))


def test_find_files__nothing_there(tmp_path):
    with pytest.raises(InvalidInputError, match=r"^paths: there is no file or folder .*nope"):
        names(tmp_path / "nope")
    with pytest.raises(InvalidInputError, match=r"^paths: there are no files in "):
        names(tmp_path)


def test_find_files__two_files_of_one_name(tmp_path):
    one, two = write(tmp_path / "x" / "a.md"), write(tmp_path / "y" / "a.md")

    with pytest.raises(InvalidInputError, match=r"would both be known as 'a\.md'"):
        names(one, two)
    assert names(one, one, tmp_path / "x") == ["a.md"]
    assert names(tmp_path) == ["x/a.md", "y/a.md"]
