"""Stores new versions of one document in processes that are killed between two statements.

Started as a program with the number of rounds. For each it forks a process that stores the next
version and dies before its nth statement; n grows until one lives to its end, then starts anew.
"""

import os
import signal
import sys

import django

VERSION = """# Hours

Version {number}: the harbour is open until {hour} o'clock, and the bell rings before it closes.

# Parking

Version {number}: park behind the hall, never on the ramp, and leave a note with your number.

# Keys

The keys hang beside the green door and belong to nobody, so bring them back in the evening.
"""


class Death:
    """Kills this process before its nth statement."""

    def __init__(self, fatal):
        self.fatal = fatal
        self.count = 0

    def __call__(self, execute, sql, params, many, context):
        self.count += 1
        if self.count == self.fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        return execute(sql, params, many, context)


def store(number, fatal):
    """Store a version in a process of its own; return whether it lived."""
    child = os.fork()
    if child == 0:
        from tests.integration.knowledge.faults.version import store_version  # noqa: PLC0415

        store_version(VERSION.format(number=number, hour=number % 24), Death(fatal))
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0


def main(rounds):
    django.setup()
    # Loaded once, before any connection is made, and not by each process anew.
    import tests.integration.knowledge.faults.version  # noqa: F401, PLC0415

    number = fatal = 1
    for _ in range(rounds):
        has_lived = store(number, fatal)
        print(number, fatal, "lived" if has_lived else "died", flush=True)  # noqa: T201
        fatal = 1 if has_lived else fatal + 1
        number += has_lived


if __name__ == "__main__":
    main(int(sys.argv[1]))
