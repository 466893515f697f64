import pytest

from crmind.postgres.diagnosis import UNKNOWN, last_lines, remedy_for


@pytest.mark.parametrize(
    ("output", "remedy"),
    [
        (
            'FATAL:  could not write to file "pg_wal/x": No space left on device',
            "The disk is full: free some space and start again.",
        ),
        (
            "[Errno 13] Permission denied: '/srv/x'",
            "Give the user write permission, or set CRMIND_STATE_DIR elsewhere.",
        ),
        ("FATAL:  something nobody has seen", UNKNOWN),
        ("", UNKNOWN),
    ],
)
def test_remedy_for__complaint(output, remedy):
    assert remedy_for(output) == remedy


def test_last_lines__at_most_twelve_since_the_offset(tmp_path):
    log = tmp_path / "server.log"
    log.write_text("before\n")
    offset = log.stat().st_size
    with log.open("ab") as stream:
        stream.write(b"caf\xe9\n" + b"".join(b"%d\n" % number for number in range(5)))
    assert last_lines(log, offset=offset) == ("caf\N{REPLACEMENT CHARACTER}", *"01234")
    log.write_text("".join(f"{number}\n" for number in range(30)))
    assert last_lines(log) == tuple(str(number) for number in range(18, 30))


def test_last_lines__no_log(tmp_path):
    assert last_lines(tmp_path / "absent") == ()
