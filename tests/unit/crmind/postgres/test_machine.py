import os

from crmind.postgres.machine import control_group_limits, read_limit, usable_memory_bytes


def test_control_group_limits__version_2_with_an_ancestor(tmp_path):
    own = tmp_path / "groups" / "system.slice" / "crmind.service"
    own.mkdir(parents=True)
    (own / "memory.max").write_text("max\n")
    (own / "memory.high").write_text("3000000000\n")
    (own.parent / "memory.max").write_text("4000000000\n")
    membership = tmp_path / "membership"
    membership.write_text("0::/system.slice/crmind.service\n")
    limits = control_group_limits(tmp_path / "groups", membership)
    assert sorted(limits) == [3_000_000_000, 4_000_000_000]


def test_control_group_limits__version_2_in_a_container(tmp_path):
    (tmp_path / "memory.max").write_text("2147483648\n")
    membership = tmp_path / "membership"
    membership.write_text("0::/\n")
    assert set(control_group_limits(tmp_path, membership)) == {2_147_483_648}


def test_control_group_limits__version_1(tmp_path):
    own = tmp_path / "memory" / "docker" / "abc"
    own.mkdir(parents=True)
    (own / "memory.limit_in_bytes").write_text("1073741824\n")
    # What version 1 writes for "no limit".
    (tmp_path / "memory" / "memory.limit_in_bytes").write_text("9223372036854771712\n")
    membership = tmp_path / "membership"
    membership.write_text("5:devices:/docker/abc\n4:memory:/docker/abc\n0::/\n")
    assert control_group_limits(tmp_path, membership) == [1_073_741_824]


def test_control_group_limits__no_control_groups(tmp_path):
    assert control_group_limits(tmp_path / "absent", tmp_path / "absent") == []


def test_read_limit__unreadable(tmp_path):
    (tmp_path / "memory.max").write_text("what\n")
    assert read_limit(tmp_path / "memory.max") is None


def test_usable_memory_bytes__at_most_the_machines():
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert 0 < usable_memory_bytes() <= physical
